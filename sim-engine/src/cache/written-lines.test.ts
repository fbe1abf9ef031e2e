import { expect, test } from "vitest";
import { findGpu } from "../gpus/model.ts";
import type { MemorySite } from "../memory/site.ts";
import { Work } from "../work.ts";
import { SectorLog, store } from "./log.ts";
import { lostOnLines, writtenLines } from "./written-lines.ts";

const sites: readonly MemorySite[] = [
  { space: "global", operation: "store", buffer: 0 },
  { space: "global", operation: "store", buffer: 0 },
];

/** A block whose requests store to sectors, each at its site. */
function logOf(block: number, ...requests: readonly (readonly [site: number, sectors: readonly number[]])[]): SectorLog {
  const log = new SectorLog(block);
  for (const [site, sectors] of requests) {
    log.request(0, site, store);
    for (const sector of sectors) log.sector(sector, 0xf);
  }
  return log;
}

test.each([
  ["whole lines", [logOf(0, [0, [0, 1, 2, 3, 4, 5, 6, 7]])], 0.25],
  ["two sectors of each line", [logOf(0, [0, [0, 2, 4, 6]])], 0.5],
  ["a sector of each line", [logOf(0, [0, [0, 4, 8, 12]])], 1],
  ["a sector of each line, and another request stores the others", [logOf(0, [0, [0, 4]], [1, [1, 2, 3, 5, 6, 7]])], 0.25],
  ["a sector of each line, and the next block goes on in them", [logOf(0, [0, [0, 4, 8]]), logOf(1, [0, [1, 5, 9]])], 0.25],
  ["a row that ends within a line, where the next block goes on", [logOf(0, [0, [0, 1, 2, 3, 4]]), logOf(1, [0, [5, 6, 7]])], 0.25],
  ["a sector of each line, and another block is elsewhere", [logOf(0, [0, [0, 4, 8]]), logOf(1, [0, [100, 104]])], 1],
])("lines for each sector that is written: %s", (_, logs, lines) => expect(writtenLines(logs, 0, sites, new Work())[0]).toBeCloseTo(lines));

test("where turns stand for others that nobody saw, lines are taken to be whole", () => {
  const log = logOf(0, [0, [0]], [0, [100]], [1, [200]]);
  log.repeats = [{ middle: 0, to: 1, times: 10, share: 2 }];
  expect([...writtenLines([log], 0, sites, new Work())]).toEqual([0.25, 1]);
});

// validation/microbenchmarks/h200-parts.tsv: picoseconds for each sector that is filled and written, whole lines 14.7.
test.each([
  ["whole lines", 0.25, { lines: 8, beside: 7, onward: 32 }, 14.7],
  ["every second sector", 0.5, { lines: 16, beside: 15, onward: 32 }, 19.3],
  ["a sector of each line", 1, { lines: 32, beside: 31, onward: 32 }, 37.9],
  ["a sector of every second line", 1, { lines: 32, beside: 0, onward: 32 }, 49.8],
])("what memory takes of a sector: %s", (_, lines, l1, picoseconds) => {
  const { values } = findGpu("h200")!;
  const bytes = 2 * values.sectorBytes + lostOnLines({ written: 1, filled: 1 }, lines, l1, values);
  expect(Math.abs((bytes * 14.7) / 64 / picoseconds - 1)).toBeLessThan(0.15);
});
