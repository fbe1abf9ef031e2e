/** Matches by how many different values a warp has, against what an H200 took: sim-engine/validation/microbenchmarks/h200-matches.txt. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { findGpu } from "@warplens/sim-engine";
import { beforeAll, expect, test } from "vitest";
import { loadGrammarFromDisk } from "../grammar.ts";
import { simulateProgram } from "../simulate.ts";
import { analyseCode } from "../testing/rule-tables.ts";

const file = path.join(import.meta.dirname, "../../../sim-engine/validation/microbenchmarks/h200-matches.txt");

/** Of `match.any`: cycles a turn, by the values that differ and the warps of a block. */
const rows = readFileSync(file, "utf8")
  .split("\n")
  .flatMap((line) => {
    const different = /^match\.any +(\d+) different/.exec(line);
    return different
      ? [...line.matchAll(/(\d+) warps +([\d.]+)/g)].map(([, w, c]) => [Number(different[1]), Number(w), Number(c)] as const)
      : [];
  });

beforeAll(loadGrammarFromDisk);

/** Cycles that a turn takes: of two launches the longer less the shorter, so that what is besides does not count. */
function cyclesOf(different: number, warps: number): number {
  const kernel = `__global__ void k(unsigned *out, int different, int turns) {
    unsigned value = threadIdx.x % 32 % different, sum = 0;
    for (int i = 0; i < turns; i++) {
      unsigned mask = __match_any_sync(~0u, value);
      sum += mask;
      value ^= (mask >> 31) & (sum == 0x12345678u);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  }`;
  const gpu = findGpu("h200")!;
  const [few, many] = [64, 192].map((turns) => {
    const program = `${kernel}\nint main() { unsigned *p; cudaMalloc(&p, 1 << 22); k<<<132, ${32 * warps}>>>(p, ${different}, ${turns}); }`;
    return simulateProgram(analyseCode(program), gpu, { figuresOnly: true }).launches[0]!.report.time!.cycles;
  });
  return (many! - few!) / 128;
}

test("as many rounds as values differ, a warp alone and all that an SM holds, within 15 % for three of four and 25 % for all", () => {
  expect(rows.length).toBe(30);
  const errors = rows.map(([different, warps, cycles]) => Math.abs(cyclesOf(different, warps) / cycles - 1));
  expect(errors.filter((error) => error > 0.25)).toEqual([]);
  expect(errors.filter((error) => error > 0.15).length).toBeLessThanOrEqual(rows.length / 4);
});
