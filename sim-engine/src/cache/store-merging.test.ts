import { expect, test } from "vitest";
import { findGpu } from "../gpus/model.ts";
import type { MemorySite } from "../memory/site.ts";
import { gatheredLines, StoreMerging } from "./store-merging.ts";

type Of = Pick<MemorySite, "run" | "awaits">;

const [first, second] = [0, 1];
const run: Of = { run: 7 };
/** Bytes of the first and the second word of a sector. */
const [low, high] = [0xf, 0xf0];

/** Stores of two sites to `sectors`, one behind the other; of those of the second, how many go on with the first's. */
function joined(sectors: number[], { lines = 8, to = high, runs = [run, run] as readonly Of[] } = {}): number {
  const merging = new StoreMerging(lines);
  merging.begin(0, first, runs[0]);
  for (const sector of sectors) merging.joins(0, sector, low);
  merging.begin(0, second, runs[1]);
  return sectors.filter((sector) => merging.joins(0, sector, to)).length;
}
const everyOther = (count: number): number[] => Array.from({ length: count }, (_, i) => 2 * i);

test("a warp's stores to the same sectors, one behind the other, go on as one", () => {
  expect(joined(everyOther(16))).toBe(16);
});

test.each([
  ["of more lines than are gathered", everyOther(18), {}],
  ["of the same bytes", everyOther(16), { to: low }],
  ["of different runs", everyOther(16), { runs: [run, { run: 8 }] }],
  ["of no run", everyOther(16), { runs: [{}, {}] }],
  ["of which the second waits for a load", everyOther(16), { runs: [run, { ...run, awaits: true }] }],
  ["where none are gathered", everyOther(16), { lines: 0 }],
])("those %s do not", (_, sectors, options) => {
  expect(joined(sectors, options)).toBe(0);
});

test("a run that comes again, another request and another warp begin anew", () => {
  const merging = new StoreMerging(8);
  merging.begin(0, first, run);
  merging.joins(0, 0, low);
  merging.begin(0, first, run);
  expect(merging.joins(0, 0, high)).toBe(false);
  merging.interrupt(0);
  merging.begin(0, second, run);
  expect(merging.joins(0, 0, 0xf00)).toBe(false);
  merging.begin(1, second, run);
  expect(merging.joins(1, 0, 0xf000)).toBe(false);
});

// h200-record-stores.tsv, stores alone: records of 4 words are merged by 3 to 4, of 7 by 1.4, of 8 not at all.
test("where every scheduler has a warp that stores, only short runs of lines wait for each other", () => {
  const { values } = findGpu("h200")!;
  expect(gatheredLines(values)).toBe(8);
  const crowded = gatheredLines(values, true);
  expect(crowded).toBeGreaterThanOrEqual(4);
  expect(crowded).toBeLessThan(7);
});
