/** Rows that are read, stored and copied, from memory, against what Nsight Compute measured: sim-engine/validation/microbenchmarks/h200-halves.tsv. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { findGpu } from "@warplens/sim-engine";
import { beforeAll, expect, test } from "vitest";
import { loadGrammarFromDisk } from "../grammar.ts";
import { simulateProgram } from "../simulate.ts";
import { analyseCode } from "../testing/rule-tables.ts";

const folder = path.join(import.meta.dirname, "../../../sim-engine/validation/microbenchmarks");
const rows = readFileSync(path.join(folder, "h200-halves.tsv"), "utf8")
  .trim()
  .split("\n")
  .map((line) => line.split("\t"))
  .filter(([, from]) => from === "memory")
  .map(([kernel = "", , ns]) => ({ kernel, ns: Number(ns) }));

const times = new Map<string, number>();
beforeAll(async () => {
  await loadGrammarFromDisk();
  const { launches } = simulateProgram(analyseCode(readFileSync(path.join(folder, "halves.cu"), "utf8")), findGpu("h200")!, {
    figuresOnly: true,
  });
  for (const { report } of launches) times.set(report.kernel, report.time!.ns);
}, 120_000);

test.each(rows)("$kernel takes what was measured, within 16 %", ({ kernel, ns }) => {
  expect(Math.abs(times.get(kernel)! / ns - 1)).toBeLessThan(0.16);
});
