import { expect, test } from "vitest";
import { Work } from "../work.ts";
import { Footprint, Footprints } from "./footprint.ts";
import { load, SectorLog, store } from "./log.ts";

/** A block that reads some sectors at its first site and writes others at its second. */
function logOf(block: number, reads: readonly number[], writes: readonly number[]): SectorLog {
  const log = new SectorLog(block);
  for (const [site, kind, sectors] of [
    [0, load, reads],
    [1, store, writes],
  ] as const) {
    log.request(0, site, kind);
    for (const sector of sectors) log.sector(sector, kind === store ? 0xff : 0xffffffff);
  }
  return log;
}

test("what blocks are first to touch is the same from the second question on, and takes nothing", () => {
  const [a, b] = [logOf(0, [1, 2, 3], [10]), logOf(1, [3, 4, 10], [11, 2])];
  const work = new Work();
  const footprints = new Footprints(2);
  const once = [footprints.alone(b, work), footprints.behind(b, a, work), footprints.alone(a, work)];
  expect(once.map(({ read, written }) => [...read, ...written])).toEqual([
    [3, 0, 0, 2],
    // Of what b reads a has read sector 3 and written sector 10.
    [1, 0, 0, 2],
    [3, 0, 0, 1],
  ]);
  const { taken } = work;
  expect([footprints.alone(b, work), footprints.behind(b, a, work), footprints.alone(a, work)]).toEqual(once);
  expect(work.taken).toBe(taken);
  const both = new Footprint();
  both.add(a, 2, work);
  expect(both.add(b, 2, work)).toEqual(once[1]);
});

test.each([
  ["every second sector, and nobody the others", [0, 2, 4, 6, 8, 10, 12, 14], [], [], 8],
  ["every third", [0, 3, 6, 9, 12, 15, 18, 21], [], [24, 27, 30], 8],
  ["side by side", [0, 1, 2, 3, 4, 5, 6, 7], [], [], 0],
  ["others are written by the block", [0, 2, 4, 6, 8, 10, 12, 14], [1, 3, 5], [], 5],
  ["rows of a sector, and the next block has what stands behind them", [0, 100, 200, 300], [], [1, 101, 201, 301], 0],
  ["rows of a sector, and the next block begins elsewhere", [0, 100, 200, 300], [], [400, 500, 600, 700], 4],
  ["rows that begin between two: so do those of the block before, and what comes after goes on", [5, 6, 7, 8], [], [1, 2, 3, 4], 0],
  ["rows that begin between two, with a gap between the blocks", [15, 16, 17, 18], [], [5, 6, 7, 8], 2],
])("sectors alone among two that memory brings: %s", (_, reads, writes, beside, lone) => {
  const footprints = new Footprints(2);
  const [own, other] = [logOf(1, reads, writes), logOf(0, beside, [])];
  expect(footprints.lone(own, [[other]], new Work())).toEqual(Float64Array.of(lone, 0));
  // Blocks on both sides tell no more than one does.
  expect(footprints.lone(own, [[other, other]], new Work())).toEqual(Float64Array.of(lone, 0));
});

test.each([
  ["both at once", [[0, 0, 1]], 0, 0],
  [
    "one behind the other",
    [
      [0, 0],
      [0, 1],
    ],
    1,
    0,
  ],
  [
    "whichever comes first",
    [
      [0, 1],
      [0, 0],
    ],
    1,
    0,
  ],
  [
    "of two pairs",
    [
      [0, 1],
      [0, 2],
    ],
    0,
    0,
  ],
  [
    "again",
    [
      [0, 0],
      [0, 1],
      [0, 1, 0],
    ],
    1,
    0,
  ],
  [
    "with another that is not there",
    [
      [0, 0, 4],
      [0, 1, 2, 5],
    ],
    2,
    2,
  ],
  [
    "of another warp, that may be waiting for it yet",
    [
      [0, 0],
      [1, 1],
    ],
    0,
    0,
  ],
])("sectors that memory brings along with their neighbours: %s", (_, requests, along, alongOthers) => {
  const log = new SectorLog(0);
  for (const [warp, ...sectors] of requests) {
    log.request(warp!, 0, load);
    for (const sector of sectors) log.sector(sector, 0xffffffff);
  }
  const work = new Work();
  const first = new Footprints(1).alone(log, work);
  expect([first.along[0], first.alongOthers[0]]).toEqual([along, alongOthers]);
});

test("what another block's neighbours brought is not this one's", () => {
  const one = (block: number, ...sectors: readonly number[]): SectorLog => {
    const log = new SectorLog(block);
    for (const sector of sectors) {
      log.request(0, 0, load);
      log.sector(sector, 0xffffffff);
    }
    return log;
  };
  expect(new Footprints(1).behind(one(1, 3, 1), one(0, 0, 2), new Work()).along[0]).toBe(0);
});

test("what came along so long ago that the L2 has lost it is read again", () => {
  const log = new SectorLog(0);
  for (const part of [0, 1])
    for (let pair = 0; pair < 2000; pair++) {
      log.request(0, part, load);
      log.sector(2 * pair + part, 0xffffffff);
    }
  expect([...new Footprints(2).alone(log, new Work()).along]).toEqual([0, 0]);
});

test.each([
  ["nobody else writes there", [1, 2, 3, 4], [10, 11], 0],
  ["the next block goes on where this one ends", [1, 2, 3, 4], [4, 5, 6, 7], 0.5],
  ["both write parts of all", [1, 2, 3, 4], [1, 2, 3, 4], 1],
])("sectors that are written in part and closed by the next block: %s", (_, own, next, closed) => {
  const footprints = new Footprints(2);
  expect(footprints.closed(logOf(0, [], own), [logOf(1, [], next)], new Work())).toEqual(Float64Array.of(0, closed));
});
