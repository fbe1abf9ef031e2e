/** What the models of GPUs that this project has not measured make of published microbenchmarks. `node bench/published.mjs` prints it. */
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { loadGrammarFromDisk } from "../grammar.ts";
import { errorOf, nameOf, type PublishedRow, publishedRows } from "./published.ts";
import { known } from "./published-deviations.ts";

let rows: readonly PublishedRow[] = [];
beforeAll(async () => {
  await loadGrammarFromDisk();
  rows = publishedRows(fileURLToPath(new URL("../../../sim-engine/validation/jia-2018/kernels", import.meta.url)));
}, 300_000);

test("every row is simulated, once", () => {
  expect(rows.filter(({ simulated }) => simulated === undefined).map(nameOf)).toEqual([]);
  expect(new Set(rows.map(nameOf)).size).toBe(rows.length);
  expect(rows.length).toBeGreaterThan(120);
});

test("every row is within 15 %, but those that are known not to be", () => {
  const beyond = rows.filter((row) => Math.abs(errorOf(row)) > 0.15).map(nameOf);
  expect(beyond.sort()).toEqual(known.map(({ row }) => row).sort());
});

test("rows beyond that are as far off as is told: better ones are to be told, too", () => {
  for (const { row, error } of known) {
    const found = rows.find((each) => nameOf(each) === row);
    expect(found && Math.abs(errorOf(found) - error), row).toBeLessThan(0.02);
  }
});
