/** Products of warp groups by width, source of A and how many a group has, against sim-engine/validation/microbenchmarks/h200-hopper.txt. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { findGpu, type LaunchReport } from "@warplens/sim-engine";
import { beforeAll, describe, expect, test } from "vitest";
import { loadGrammarFromDisk } from "../grammar.ts";
import { simulateProgram } from "../simulate.ts";
import { analyseCode } from "../testing/rule-tables.ts";

const folder = path.join(import.meta.dirname, "../../../sim-engine/validation/microbenchmarks");
const rounds = 2000;
const row = /^m64n(\d+)k16 A (shared|registers)\tinner (\d+)\tthreads (\d+)\t.*\t([\d.]+) cycles a product of a warp group$/gm;
const rows = [...readFileSync(path.join(folder, "h200-hopper.txt"), "utf8").matchAll(row)].map(
  ([, columns, source, inner, threads, cycles]) => ({
    kernel: `wgmma${columns}${source === "shared" ? "s" : "r"}`,
    inner: Number(inner),
    threads: Number(threads),
    cycles: Number(cycles),
  }),
);
/** Registers that nvcc 13.0 gives a thread (-Xptxas -v), where each product's A need not be moved for it. */
const registers: Readonly<Record<string, number>> = { wgmma8s: 30, wgmma64s: 58, wgmma128s: 90, wgmma256s: 154 };

const reports: LaunchReport[] = [];
beforeAll(async () => {
  await loadGrammarFromDisk();
  const gpu = findGpu("h200");
  if (!gpu) throw new Error("no h200");
  const [kernels = ""] = readFileSync(path.join(folder, "hopper.cu"), "utf8").split("__global__ void bulkLatency");
  const launches = rows.map(({ kernel, inner, threads }) => `${kernel}<${inner}><<<1, ${threads}, 49152>>>(cycles, out, ${rounds});`);
  const code = `${kernels} int main() { long long *cycles; float *out; cudaMalloc(&cycles, 4096); cudaMalloc(&out, 1 << 20); ${launches.join("\n")} }`;
  const { launches: simulated, notSimulated } = simulateProgram(analyseCode(code), gpu, { figuresOnly: true });
  expect(notSimulated).toEqual([]);
  reports.push(...simulated.map(({ report }) => report));
}, 120_000);

describe.each(rows.map((each, index) => ({ ...each, index })))(
  "$kernel, $inner a group, $threads threads",
  ({ index, kernel, inner, cycles }) => {
    test("takes the cycles measured", () => {
      const each = (reports[index]?.time?.cycles ?? 0) / rounds / inner;
      // What is around a product that is waited for at once is not measured apart.
      expect(Math.abs(each / cycles - 1)).toBeLessThan(inner === 1 ? 0.25 : 0.16);
    });

    test.runIf(kernel in registers && inner < 16)("takes the registers that nvcc gives it", () =>
      expect(reports[index]?.resources.registersPerThread.value).toBe(registers[kernel]),
    );
  },
);

test("are all measured", () => expect(rows).toHaveLength(48));
