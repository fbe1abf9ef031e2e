/** Stores that fill no sector, or share one, against what Nsight Compute counted: sim-engine/validation/microbenchmarks/h200-parts.tsv. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { findGpu, type LaunchReport } from "@warplens/sim-engine";
import { beforeAll, expect, test } from "vitest";
import { loadGrammarFromDisk } from "../grammar.ts";
import { simulateProgram } from "../simulate.ts";
import { analyseCode } from "../testing/rule-tables.ts";

const folder = path.join(import.meta.dirname, "../../../sim-engine/validation/microbenchmarks");
const rows = readFileSync(path.join(folder, "h200-parts.tsv"), "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => {
    const [kernel = "", grid = "", ...numbers] = line.split("\t");
    const [ns = 0, read = 0, written = 0] = numbers.map(Number);
    return { launch: `${kernel} ${grid}`, ns, read, written };
  });

const reports = new Map<string, LaunchReport>();
beforeAll(async () => {
  await loadGrammarFromDisk();
  const { launches, notSimulated } = simulateProgram(analyseCode(readFileSync(path.join(folder, "parts.cu"), "utf8")), findGpu("h200")!, {
    figuresOnly: true,
  });
  expect(notSimulated).toEqual([]);
  for (const { report } of launches) reports.set(`${report.kernel}<${report.templateArguments}> ${report.grid}`, report);
}, 120_000);

test.each(rows)("$launch moves what was measured", ({ launch, read, written }) => {
  const { dramReadBytes, dramWriteBytes } = reports.get(launch)!.traffic;
  // Of columns that wait for others to fill their sectors some leave the L2 before: a tenth of what is written, at most.
  const off = launch.startsWith("columns") ? 0.25 * written : 0.08 * (read + written);
  expect(Math.abs(dramReadBytes! - read)).toBeLessThan(off + 4e6);
  expect(Math.abs(dramWriteBytes! - written)).toBeLessThan(off + 4e6);
});

test("their times are off by 8 % in the median, and by 51 % at most", () => {
  const ratios = rows.map(({ launch, ns }) => reports.get(launch)!.time!.ns / ns);
  const off = ratios.map((ratio) => Math.abs(ratio - 1)).sort((a, b) => a - b);
  expect(off[Math.floor(off.length / 2)]).toBeLessThan(0.085);
  expect(off.at(-1)).toBeLessThan(0.51);
});
