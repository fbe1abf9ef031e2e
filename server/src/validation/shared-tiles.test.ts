/** What groups of blocks read together, from memory, against sim-engine/validation/microbenchmarks/h200-groups.tsv. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { findGpu } from "@warplens/sim-engine";
import { expect, test } from "vitest";
import { loadGrammarFromDisk } from "../grammar.ts";
import { simulateProgram } from "../simulate.ts";
import { analyseCode } from "../testing/rule-tables.ts";

const folder = path.join(import.meta.dirname, "../../../sim-engine/validation/microbenchmarks");

test("each byte that any block touches is read once, as measured", async () => {
  await loadGrammarFromDisk();
  const [, ...rows] = readFileSync(path.join(folder, "h200-groups.tsv"), "utf8").trimEnd().split("\n");
  const { launches, notSimulated } = simulateProgram(analyseCode(readFileSync(path.join(folder, "groups.cu"), "utf8")), findGpu("h200")!, {
    figuresOnly: true,
  });
  expect(notSimulated).toEqual([]);
  expect(launches).toHaveLength(rows.length);
  for (const [k, row] of rows.entries()) {
    const [kernel = "", , , read] = row.split("\t");
    const over = (launches[k]!.report.traffic?.dramReadBytes ?? Number.NaN) / Number(read);
    expect(over, row).toBeGreaterThan(0.99);
    // Of the triangle's long loops only some turns are run, not the same ones in each block: what blocks share is seen in part.
    expect(over, row).toBeLessThan(kernel.startsWith("triangle") ? 3.2 : 1.01);
  }
}, 60_000);
