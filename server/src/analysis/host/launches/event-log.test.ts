import { expect, test } from "vitest";
import { parseText } from "../../../syntax/testing/parse-text.ts";
import type { DeviceEvents, DeviceProgram } from "../../device-events.ts";
import { bindUnit } from "../../sema/index.ts";
import type { AnalysisSettings } from "../../settings.ts";
import { FileEvaluation } from "../file-evaluation.ts";
import { hostUnit } from "../program/unit.ts";

const settings: AnalysisSettings = { computeCapability: 90, defines: [], includeDirs: [], launches: [], assume: [], argv: [] };

async function device(main: string): Promise<DeviceProgram | undefined> {
  const { unit, reading } = await parseText(`__global__ void k(float *p) { p[threadIdx.x] = 1; }
__global__ void l(float *p) { p[threadIdx.x] = 2; }
int main(int argc, char **argv) { float *d, *h; cudaMalloc(&d, 4096); h = (float *)malloc(4096); ${main} }`);
  const own = hostUnit(unit, bindUnit(unit), reading);
  const evaluation = new FileEvaluation({ unit: own, settings, linker: undefined }, new Map(), () => true);
  evaluation.launches();
  return evaluation.device;
}

/** `k<<<1, 32>>>@1`: in stream 1. */
function words(event: DeviceEvents): string {
  if (event.kind === "repeat") return `${event.times ?? "?"} x (${event.events.map(words).join("; ")})`;
  const stream = "stream" in event && event.stream !== undefined ? `@${event.stream}` : "";
  const perhaps = event.uncertain ? "?" : "";
  switch (event.kind) {
    case "launch":
      return `${event.kernel}<<<${event.grid[0] ?? "?"}, ${event.block[0] ?? "?"}>>>${stream}${perhaps}`;
    case "copy":
      return `${event.from ?? "?"} to ${event.to ?? "?"} ${event.bytes ?? "?"}${event.async ? " async" : ""}${stream}${perhaps}`;
    case "set":
      return `set ${event.bytes ?? "?"}${stream}${perhaps}`;
    default:
      return `${event.kind}${"event" in event && event.event !== undefined ? ` ${event.event}` : ""}${stream}${perhaps}`;
  }
}

const streams = "cudaStream_t s[2]; for (int i = 0; i < 2; i++) cudaStreamCreate(&s[i]);";

test.each([
  [
    "in the order of the host",
    "cudaMemcpy(d, h, 4096, cudaMemcpyHostToDevice); k<<<1, 32>>>(d); cudaDeviceSynchronize();",
    ["host to device 4096", "k<<<1, 32>>>", "wait"],
  ],
  ["turns of a loop once", "for (int i = 0; i < 1000; i++) { k<<<1, 32>>>(d); l<<<2, 32>>>(d); }", ["1000 x (k<<<1, 32>>>; l<<<2, 32>>>)"]],
  ["a short loop whose turns differ", "for (int i = 1; i < 4; i++) k<<<i, 32>>>(d);", ["k<<<1, 32>>>", "k<<<2, 32>>>", "k<<<3, 32>>>"]],
  [
    "a loop in a loop",
    "for (int i = 0; i < 10; i++) { for (int j = 0; j < 5; j++) k<<<1, 32>>>(d); cudaMemset(d, 0, 4096); }",
    ["10 x (5 x (k<<<1, 32>>>); set 4096)"],
  ],
  [
    "streams that take turns",
    `${streams} for (int i = 0; i < 1001; i++) k<<<1, 32, 0, s[i % 2]>>>(d);`,
    ["500 x (k<<<1, 32>>>@1; k<<<1, 32>>>@2)", "k<<<1, 32>>>@1"],
  ],
  [
    "memory that is page-locked",
    "float *p; cudaMallocHost(&p, 64); cudaMemcpyAsync(p, d, 64, cudaMemcpyDeviceToHost); k<<<1, 32>>>(d);",
    ["device to pinned 64 async", "k<<<1, 32>>>"],
  ],
  ["a loop that does it in its first turn", "for (int i = 0; i < 1000; i++) { if (i == 0) k<<<1, 32>>>(d); }", ["k<<<1, 32>>>"]],
  [
    "a loop that does it in every fourth turn",
    "for (int i = 0; i < 1000; i++) { if (i % 4 == 0) k<<<1, 32>>>(d); }",
    ["250 x (k<<<1, 32>>>)"],
  ],
  [
    "a stream of each turn's own",
    "for (int i = 0; i < 100; i++) { cudaStream_t t; cudaStreamCreate(&t); k<<<1, 32, 0, t>>>(d); }",
    ["100 x (k<<<1, 32>>>@1)"],
  ],
  ["what depends on the input", "if (argc > 1) k<<<1, 32>>>(d); l<<<1, 32>>>(d);", ["l<<<1, 32>>>"]],
  ["what depends on what is not known", "if (h[3] > 1) k<<<1, 32>>>(d); l<<<1, 32>>>(d);", ["k<<<1, 32>>>?", "l<<<1, 32>>>"]],
  [
    "loops of which the end is not known",
    "while (h[3] > 1) { k<<<1, 32>>>(d); cudaMemcpy(h, d, 64, cudaMemcpyDeviceToHost); }",
    ["? x (k<<<1, 32>>>; device to host 64)"],
  ],
  [
    "events and who waits for them",
    `${streams} cudaEvent_t e; cudaEventCreate(&e); k<<<1, 32, 0, s[0]>>>(d); cudaEventRecord(e, s[0]); cudaStreamWaitEvent(s[1], e, 0); l<<<1, 32, 0, s[1]>>>(d); cudaStreamSynchronize(s[1]);`,
    ["k<<<1, 32>>>@1", "record 3@1", "join 3@2", "l<<<1, 32>>>@2", "wait@2"],
  ],
  ["rows", "cudaMemcpy2D(d, 128, h, 64, 64, 10, cudaMemcpyHostToDevice); k<<<1, 32>>>(d);", ["host to device 640", "k<<<1, 32>>>"]],
])("%s", async (_, main, expected) => {
  expect((await device(main))?.events.map(words)).toEqual(expected);
});

test.each([
  [
    "for (int i = 0; i < 1000; i++) { if (i < 500) continue; k<<<1, 32>>>(d); }",
    "of long loops the first turns are followed: the others are taken to do the same",
  ],
  ["cudaGraphLaunch(graph, 0); k<<<1, 32>>>(d);", "what `cudaGraphLaunch` has the device do is left out"],
])("%s: what is not followed is said", async (main, doubt) => {
  expect((await device(main))?.doubts).toContain(doubt);
});

test("what is thrown ends the program where nothing takes it", async () => {
  expect((await device("for (int i = 0; i < 3; i++) { k<<<1, 32>>>(d); if (i == 1) throw 1; }"))?.events.map(words)).toEqual([
    "2 x (k<<<1, 32>>>)",
  ]);
});

test("a stream that is not known is said to be", async () => {
  expect((await device("extern cudaStream_t given(); k<<<1, 32, 0, given()>>>(d);"))?.doubts).toEqual([
    "a stream or an event is not known: it is taken for the default stream",
  ]);
  expect((await device("k<<<1, 32, 0, 0>>>(d);"))?.doubts).toEqual([]);
});
