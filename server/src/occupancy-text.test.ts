import { findGpu } from "@warplens/sim-engine";
import { beforeAll, expect, test } from "vitest";
import { loadGrammarFromDisk } from "./grammar.ts";
import { occupancySweeps } from "./lsp/sweeps.ts";
import { bestBlocksText, intervalText, nextStepText, resourceChanges } from "./occupancy-text.ts";
import { simulateProgram } from "./simulate.ts";
import { analyseCode } from "./testing/rule-tables.ts";

beforeAll(loadGrammarFromDisk);

const h200 = findGpu("h200")!;

/** A kernel whose warps wait for memory, with 40 KB of shared memory a block. */
const code = `__global__ void wait(const int *in, int *out, int n) {
  __shared__ int buffer[10240];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  buffer[threadIdx.x] = in[i];
  __syncthreads();
  int at = buffer[(threadIdx.x + 1) % 256];
  for (int k = 0; k < 8; k++) at = in[at];
  out[i] = at;
}
// warplens: in=permutation(1 << 24)
int main() { int *a, *b; cudaMalloc(&a, 1 << 26); cudaMalloc(&b, 1 << 26); wait<<<65536, 256>>>(a, b, 1 << 24); }`;

const simulated = (registers: number) =>
  simulateProgram(analyseCode(code), h200, { registersOf: () => ({ value: registers, basis: "annotated" }) }).launches[0]!.report;

test("a launch's changes are told for each resource, on both sides", () => {
  expect(resourceChanges(simulated(32))).toEqual([
    { resource: "registers", name: "Registers", now: "32", above: "over 48: 50 %" },
    { resource: "shared", name: "Shared memory", now: "40 KB", below: "up to 37 KB: 75 %", above: "over 44.5 KB: 50 %" },
    { resource: "block", name: "Block size", now: "256", below: "224: 55 %", above: "288: 70 %" },
  ]);
});

test("the next step, or why there is none", () => {
  const { advice } = simulated(32).occupancy;
  expect(advice && nextStepText(advice)).toMatch(/3,072 fewer bytes of shared memory a block: 75 %|^More would not help: /);
  expect(nextStepText({ gains: [], losses: [], bestBlockSizes: [], bestOccupancyPct: 0, withheld: "DRAM is busy" })).toBe(
    "More would not help: DRAM is busy",
  );
  expect(nextStepText({ gains: [], losses: [], bestBlockSizes: [], bestOccupancyPct: 100 })).toBeUndefined();
});

test("block sizes and the register interval are told only where they matter", () => {
  const advice = { gains: [], losses: [], bestBlockSizes: [1024, 512, 256, 128, 64], bestOccupancyPct: 100 };
  expect(bestBlocksText(advice, 75)).toBe("1024, 512, 256, 128, …: 100 %");
  expect(bestBlocksText(advice, 100)).toBeUndefined();
  expect(intervalText({ ...advice, registerInterval: { registers: [38, 52], occupancyPct: [75, 50] } })).toBe(
    "38 to 52 registers: 75 to 50 %",
  );
  expect(intervalText(advice)).toBeUndefined();
});

test("sweeps pass through the launch's own occupancy, and change where its changes are", () => {
  const report = simulated(32);
  for (const { resource, now, steps } of occupancySweeps(report, h200)) {
    const at = (value: number) => steps.findLast(([from]) => from <= value)?.[1];
    expect(at(now), resource).toBe(report.occupancy.theoreticalPct);
    for (const { value, occupancyPct } of [...report.occupancy.advice!.gains, ...report.occupancy.advice!.losses].filter(
      (each) => each.resource === resource,
    )) {
      // Shared memory is drawn in steps of 512 bytes.
      expect(at(resource === "shared" ? Math.ceil(value / 512) * 512 : value), `${resource} ${value}`).toBe(occupancyPct);
    }
  }
});
