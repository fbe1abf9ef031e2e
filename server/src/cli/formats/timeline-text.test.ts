import { expect, test } from "vitest";
import type { DeviceTask } from "../../timeline/program-timeline.ts";
import { timelineText } from "./timeline-text.ts";

const task = (name: string, more: Partial<DeviceTask>): DeviceTask => ({
  name,
  engine: "kernel",
  stream: 0,
  line: 1,
  from: 0,
  to: 5000,
  times: 1,
  ...more,
});

test("tells what takes longest first, and what stands at one place together", () => {
  const text = timelineText(
    {
      ns: 40_000,
      kernels: 30_000,
      copies: 10_000,
      overlap: 0,
      turns: [],
      notes: ["a note"],
      tasks: [
        task("cudaMemcpy", { engine: "to device", line: 3, bytes: 4000, to: 10_000, isPageable: true }),
        task("step", { line: 5, stream: 1 }),
        task("step", { line: 5, stream: 2, times: 5 }),
        task("\u202eevil", { line: 7, isUnknown: true, to: 0 }),
        task("cudaMemset", { engine: "in device", bytes: 4, to: 1, isUncertain: true }),
      ],
    },
    (shown) => shown,
  );
  expect(text.split("\n")).toEqual([
    "  main on the device: about 40 µs",
    "    kernels 30 µs (75 %), copies 10 µs (25 %), none of them beside a kernel",
    "    line 5           30 µs  step, 6 times, in 2 streams",
    "    line 3           10 µs  cudaMemcpy 4 kB to the device, pageable",
    "    line 1               ?  cudaMemset 4 B on the device, if at all",
    expect.stringMatching(/^ {4}line 7 {15}\? {2}[^\u202e]*evil$/),
    "    a note",
    "",
  ]);
});
