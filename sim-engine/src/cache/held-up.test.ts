import { expect, test } from "vitest";
import { Work } from "../work.ts";
import { heldUpCycles, loadsMet } from "./held-up.ts";
import { load, SectorLog, store } from "./log.ts";

// h200-own-rows.txt, "next load, store", once, 132 SMs, rows 8224 bytes apart: cycles a turn, less those of "load and store".
test.each([
  ["32 rows, a word a turn, 1 warp", 528, 1505.8 - 272.8],
  ["32 rows, a word a turn, 2 warps", 1056, 2426.4 - 288],
  ["32 rows, a word a turn, 4 warps", 2112, 4028.3 - 475.3],
  ["32 rows, a word a turn, 16 warps", 8448, 8881.1 - 1811.1],
  ["32 rows, a sector a turn, 1 warp", 4224, 6253.6 - 1181.8],
  ["32 rows, a sector a turn, 2 warps", 8448, 11677.6 - 1306.9],
  ["32 rows, a sector a turn, 4 warps", 16896, 15641.8 - 1563.1],
  ["32 rows, a sector a turn, 16 warps", 67584, 23247.1 - 3841.9],
] as const)("%s", (_, sectorsOfTurn, measured) => {
  const cycles = heldUpCycles(sectorsOfTurn, sectorsOfTurn);
  expect(cycles / measured).toBeGreaterThan(1 / 1.6);
  expect(cycles / measured).toBeLessThan(1.6);
});

/** A warp of eight rows, each `apart` sectors from the last, that loads the sector `ahead` of the one it stores to. */
function met(apart: number, ahead: number): number {
  const log = new SectorLog(0);
  for (const [site, kind, at] of [
    [0, load, ahead],
    [1, store, 0],
  ] as const) {
    log.request(0, site, kind);
    for (let row = 0; row < 8; row++) log.sector(row * apart + at);
  }
  const [loads] = loadsMet([log], [{}, { underWay: [0] }], new Work())!;
  return loads!.met / loads!.sectors;
}

test.each([
  ["the next sector of its line", met(4, 1), 1],
  ["the next sector, half of them in the next line", met(6, 3), 0.5],
  ["the line after the next", met(64, 8), 0],
])("what is stored to is of the line of %s", (_, share, expected) => {
  expect(share).toBeCloseTo(expected);
});

test("where no store is made while loads are under way nothing is looked for", () => {
  expect(loadsMet([new SectorLog(0)], [{}, {}], new Work())).toBeUndefined();
});
