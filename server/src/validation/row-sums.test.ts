/** Threads that add to rows of their own, against what Nsight Compute counted: sim-engine/validation/microbenchmarks/h200-row-sums.tsv. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { findGpu, type LaunchReport } from "@warplens/sim-engine";
import { beforeAll, expect, test } from "vitest";
import { loadGrammarFromDisk } from "../grammar.ts";
import { simulateProgram } from "../simulate.ts";
import { analyseCode } from "../testing/rule-tables.ts";

const folder = path.join(import.meta.dirname, "../../../sim-engine/validation/microbenchmarks");
const rows = readFileSync(path.join(folder, "h200-row-sums.tsv"), "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => {
    const [launch = "", cycles = "", , , , , read = ""] = line.split("\t");
    const [, kernel = "", grid = "", block = "", width = ""] = /^(\w+)<<<(\d+), (\d+)>>>\(y, (\d+)/.exec(launch) ?? [];
    return {
      launch,
      kernel,
      grid: Number(grid),
      warps: Number(block) / 32,
      width: Number(width),
      cycles: Number(cycles),
      read: Number(read),
    };
  })
  // Between 8 and 12 warps of 32 lines part of them is lost, which is told as all or none; rows of fewer lines are not touched by it.
  .filter(
    ({ kernel, grid, warps, width }) =>
      kernel === "added" && grid === 132 && (width === 64 ? [1, 4, 6, 28].includes(warps) : warps === 1 && [8, 16, 24].includes(width)),
  );

let reports: readonly LaunchReport[];
beforeAll(async () => {
  await loadGrammarFromDisk();
  const source = readFileSync(path.join(folder, "row-sums.cu"), "utf8");
  const kept = new Set(rows.map(({ launch }) => `${launch};`));
  const code = source
    .split("\n")
    .filter((line) => !line.includes("<<<") || kept.has(line.trim()))
    .join("\n");
  const { launches, notSimulated } = simulateProgram(analyseCode(code), findGpu("h200")!, { figuresOnly: true });
  expect(notSimulated).toEqual([]);
  reports = launches.map(({ report }) => report).filter(({ kernel, grid }) => kernel === "added" && grid[0] === 132);
  expect(reports).toHaveLength(rows.length);
}, 120_000);

test.each(rows.map((row, k) => ({ ...row, k })))("$launch reads what was measured", ({ k, width, warps, read }) => {
  const said = reports[k]!.traffic.l2ReadSectors!;
  const cold = 132 * warps * 32 * (width / 8) * 1.5;
  // What is lost is a third to three times what is read at first; where nothing is, the L1 keeps it but for what it has no room for.
  if (read > 3 * cold) expect(said / read).toBeCloseTo(1, 0.5);
  else expect(said).toBeLessThan(3 * cold);
});
