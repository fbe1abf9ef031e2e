import { findGpu } from "@warplens/sim-engine";
import { beforeAll, expect, test } from "vitest";
import { loadGrammarFromDisk } from "../grammar.ts";
import { hostCosts } from "../host-costs.ts";
import { simulateProgram } from "../simulate.ts";
import { analyseCode } from "../testing/rule-tables.ts";
import type { ProgramTimeline } from "./program-timeline.ts";
import { timelineOf } from "./timeline.ts";

beforeAll(loadGrammarFromDisk);

const h200 = findGpu("h200")!;

function timeline(host: string): ProgramTimeline | undefined {
  const program = analyseCode(`__global__ void k(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 2 * x[i];
}
${host}`);
  return timelineOf(program, h200, simulateProgram(program, h200).launches);
}

test("launches take as long as they are simulated to, and stand where they do in the source", () => {
  const found = timeline(`int main() {
  float *x, *h; cudaMalloc(&x, 4 << 20); cudaMallocHost(&h, 4 << 20);
  cudaMemcpy(x, h, 4 << 20, cudaMemcpyHostToDevice);
  for (int t = 0; t < 10; t++) {
    k<<<4096, 256>>>(x, 1 << 20);
    k<<<16, 256>>>(x, 4096);
  }
}`);
  const { hostLinkBandwidth } = h200.values;
  expect(found?.tasks.map(({ name, line, engine, times }) => [name, line, engine, times])).toEqual([
    ["cudaMemcpy", 7, "to device", 1],
    ["k", 9, "kernel", 1],
    ["k", 10, "kernel", 1],
    ["k", 9, "kernel", 1],
    ["k", 10, "kernel", 1],
    ["k", 9, "kernel", 8],
    ["k", 10, "kernel", 8],
  ]);
  const [copy, large, small] = found?.tasks ?? [];
  expect(copy && copy.to - copy.from).toBeCloseTo(hostCosts.started["to device"] + (4 << 20) / (hostLinkBandwidth * hostCosts.copyShare));
  const took = (task: typeof large): number => (task ? task.to - task.from : Number.NaN);
  expect(took(large)).toBeGreaterThan(took(small));
  const last = found?.tasks.at(-1);
  expect(found?.ns).toBeGreaterThan(took(copy) + 10 * (took(large) + took(small)));
  expect(last?.engine).toBe("kernel");
  expect(found?.kernels).toBeCloseTo(10 * (took(large) + took(small)));
});

test("without a `main` there is none", () => {
  expect(timeline("void run(float *x) { k<<<16, 256>>>(x, 4096); }")).toBeUndefined();
  expect(timeline("int main() { return 0; }")).toBeUndefined();
});

test("a loop that gives a kernel other numbers each time takes what its launches take together", () => {
  const code = `__global__ void strided(float *x, int stride) { x[(blockIdx.x * blockDim.x + threadIdx.x) * stride] = 1; }
int main() {
  float *x; cudaMalloc(&x, 1 << 28);
  for (int s = 1; s <= 32; s *= 2) strided<<<4096, 256>>>(x, s);
}`;
  const program = analyseCode(code);
  const { launches } = simulateProgram(program, h200);
  const times = launches.map(({ report }) => report.time?.ns ?? 0);
  expect(launches.map(({ report }) => report.given)).toEqual([1, 2, 4, 8, 16, 32].map((value) => [{ name: "stride", value }]));
  // The widest strides take several times as long.
  expect((times[5] ?? 0) / (times[0] ?? 1)).toBeGreaterThan(3);
  const found = timelineOf(program, h200, launches);
  expect(found?.kernels).toBeCloseTo(
    times.reduce((sum, ns) => sum + ns, 0),
    0,
  );
});
