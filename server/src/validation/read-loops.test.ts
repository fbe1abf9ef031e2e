/** Times of loops that read by indices of all forms, against sim-engine/validation/microbenchmarks/h200-indices.tsv. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { findGpu } from "@warplens/sim-engine";
import { expect, test } from "vitest";
import { loadGrammarFromDisk } from "../grammar.ts";
import { simulateProgram } from "../simulate.ts";
import { analyseCode } from "../testing/rule-tables.ts";

const folder = path.join(import.meta.dirname, "../../../sim-engine/validation/microbenchmarks");

test("loops take the time that their loads under way let them", async () => {
  await loadGrammarFromDisk();
  const [, ...rows] = readFileSync(path.join(folder, "h200-indices.tsv"), "utf8").trimEnd().split("\n");
  const { launches, notSimulated } = simulateProgram(analyseCode(readFileSync(path.join(folder, "indices.cu"), "utf8")), findGpu("h200")!, {
    figuresOnly: true,
  });
  expect(notSimulated).toEqual([]);
  expect(launches).toHaveLength(rows.length);
  const off = rows.map((row, k) => Math.abs((launches[k]!.report.time?.ns ?? 0) / Number(row.split("\t")[1]) - 1));
  expect(off.reduce((sum, each) => sum + each, 0) / off.length).toBeLessThan(0.13);
  // All threads read the same, or the same lines as the warp beside: how much of that the L1 has is told too well.
  expect(rows.filter((_, k) => off[k]! > 0.25).map((row) => row.split("\t")[0])).toEqual(["u_plus"]);
}, 60_000);
