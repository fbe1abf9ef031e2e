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
