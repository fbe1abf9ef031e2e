/** Loops that wait for a clock: each look finds it further on, and turns that are all alike are not run one by one. */
import { findGpu } from "@warplens/sim-engine";
import { beforeAll, expect, test } from "vitest";
import { loadGrammarFromDisk } from "../grammar.ts";
import { simulateProgram } from "../simulate.ts";
import { analyseCode } from "../testing/rule-tables.ts";

beforeAll(loadGrammarFromDisk);

/** Times a kernel turns that waits for so many cycles. */
function turnsOf(body: string, cycles: number): number | undefined {
  const source = `__global__ void wait(float *out, long long cycles) {
  ${body}
}
int main() {
  float *out;
  cudaMalloc(&out, 128);
  wait<<<1, 32>>>(out, ${cycles}LL);
}`;
  return simulateProgram(analyseCode(source), findGpu("h200")!).launches[0]?.report?.loops[0]?.trips;
}

test.each([
  ["a difference", "long long start = clock64(); while (clock64() - start < cycles); out[threadIdx.x] = 1;"],
  ["an end", "long long end = clock64() + cycles; do { out[0] = 1; } while (clock64() < end);"],
])("for ten milliseconds as for some microseconds: %s", (_, body) => {
  const few = turnsOf(body, 4000);
  const many = turnsOf(body, 20_000_000);
  expect(few).toBeGreaterThan(50);
  expect(many! / few!).toBeGreaterThan(4900);
  expect(many! / few!).toBeLessThan(5100);
});
