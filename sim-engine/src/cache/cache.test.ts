import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findGpu } from "../gpus/model.ts";
import { Work } from "../work.ts";
import { estimateTraffic, l2Keeps } from "./estimate.ts";
import { interleave } from "./interleave.ts";
import { l1Cycles } from "./l1-cycles.ts";
import { load, SectorLog, store } from "./log.ts";
import { blocksToLog, planLogs } from "./sample.ts";
import { SectorSet } from "./sector-set.ts";
import { SectoredCache } from "./sectored-cache.ts";
import { type Pattern, trafficInput } from "./testing/pattern.ts";

const h200 = findGpu("h200")!;
const l1Bytes = 224 * 1024;

describe("a sectored cache", () => {
  test("holds what fits and loses what does not", () => {
    const hits = (lines: number): number => {
      const cache = new SectoredCache(64 * 1024, 16);
      let count = 0;
      for (let round = 0; round < 2; round++) for (let line = 0; line < lines; line++) if (cache.load(line * 4, round) === "hit") count++;
      return count / lines;
    };
    expect(hits(256)).toBeGreaterThan(0.95);
    expect(hits(2048)).toBeLessThan(0.05);
  });
  test("fills by sector", () => {
    const cache = new SectoredCache(1 << 16, 16);
    expect([cache.load(0, 0), cache.load(1, 0), cache.load(0, 1), cache.load(1, 1)]).toEqual(["miss", "miss", "hit", "hit"]);
  });
  test("what a load of the same turn brings is still under way", () => {
    const cache = new SectoredCache(1 << 16, 16);
    expect([cache.load(0, 5), cache.load(0, 5), cache.load(0, 6)]).toEqual(["miss", "under way", "hit"]);
  });
  test("a store meets what was stored; a load misses what is written in part", () => {
    const cache = new SectoredCache(1 << 16, 16);
    expect([cache.store(8, 0xf), cache.store(8, 0xf0), cache.load(8, 0), cache.load(8, 1)]).toEqual([false, true, "miss", "hit"]);
    expect([cache.store(9, 0xffffffff), cache.load(9, 0)]).toEqual([false, "hit"]);
  });
});

test("a sector set is a map", () =>
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 2 ** 32 - 2 }), fc.nat()), { maxLength: 3000 }), (pairs) => {
      const set = new SectorSet();
      const map = new Map<number, number>();
      for (const [key, note] of pairs) {
        set.set(key, note);
        map.set(key, note);
      }
      expect(set.size).toBe(map.size);
      for (const [key, note] of map) expect(set.get(key)).toBe(note);
      expect([...set.keys()].sort((a, b) => a - b)).toEqual([...map.keys()].sort((a, b) => a - b));
      expect(set.has(2 ** 32 - 2)).toBe(map.has(2 ** 32 - 2));
    }),
  ));

test("warps take turns, each in its own order", () => {
  const log = new SectorLog(0);
  for (const [warp, site] of [
    [0, 0],
    [0, 1],
    [0, 2],
    [1, 0],
    [1, 1],
  ] as const)
    log.request(warp, site, load);
  const seen: string[] = [];
  interleave([log], new Work(), (of, request) => seen.push(`${of.warp[request]}.${of.site[request]}`));
  expect(seen).toEqual(["0.0", "1.0", "0.1", "1.1", "0.2"]);
});

test("a full log drops and counts", () => {
  const log = new SectorLog(0, 2);
  expect([log.request(0, 0, load), log.request(0, 0, load), log.request(0, 0, store)]).toEqual([true, true, false]);
  expect([log.requests, log.dropped]).toEqual([2, 1]);
});

test("blocks to log exist, are distinct and start in the middle", () =>
  fc.assert(
    fc.property(
      fc.tuple(...[1, 2, 3].map(() => fc.integer({ min: 1, max: 300 }))),
      fc.integer({ min: 1, max: 32 }),
      (grid, blocksPerSm) => {
        const blocks = blocksToLog(grid as [number, number, number], blocksPerSm, 132);
        const total = grid.reduce((a, b) => a * b);
        expect(new Set(blocks).size).toBe(blocks.length);
        expect(blocks.every((block) => block >= 0 && block < total)).toBe(true);
        expect(blocks[0]).toBe(planLogs(grid as [number, number, number], blocksPerSm, 132).middle);
      },
    ),
  ));

// validation/microbenchmarks/h200-profile.tsv: readStream.
test.each([
  [34.6, 1],
  [51.9, 0.56],
  [86.5, 0],
])("of %f MB read over and over the L2 keeps %f", (mb, kept) => expect(l2Keeps(h200.values, mb * 1e6)).toBeCloseTo(kept, 1));

const stream = (bytesPerThread: number, grid: number): Pattern => ({
  grid: [grid, 1, 1],
  block: [256, 1, 1],
  blocksPerSm: 8,
  l1Bytes,
  buffers: [grid * 256 * bytesPerThread],
  accesses: [{ site: { space: "global", operation: "load", buffer: 0 }, bytes: 4, at: (b, t) => (b[0] * 256 + t[0]) * bytesPerThread }],
});

describe("traffic", () => {
  test("a stream reads each byte once", () => {
    const got = estimateTraffic(trafficInput(stream(4, 100_000), h200));
    expect(got.dramReadBytes).toBeCloseTo(100_000 * 1024, -3);
    expect(got.sites[0]).toMatchObject({ l1: 0, l2: 0, dram: 1, accessesPerSector: 0.5, scattered: false });
  });

  test("what every block reads is read from memory once", () => {
    const shared = { ...stream(4, 10_000), buffers: [1024] };
    const accesses = [{ ...shared.accesses[0]!, at: (_: unknown, t: readonly number[]) => t[0]! * 4 }];
    const got = estimateTraffic(trafficInput({ ...shared, accesses }, h200));
    expect(got.dramReadBytes).toBe(1024);
    expect(got.l2HitPct).toBeGreaterThan(99);
  });

  test("rows that come again after more than the L2 holds are read again", () => {
    // Every block of a column reads the same; a row of blocks reads 256 MB.
    const columns: Pattern = {
      ...stream(4, 1),
      grid: [250_000, 4, 1],
      buffers: [250_000 * 1024],
      accesses: [{ site: { space: "global", operation: "load", buffer: 0 }, bytes: 4, at: (b, t) => (b[0] * 256 + t[0]) * 4 }],
    };
    const input = { ...trafficInput(columns, h200), buffers: [{ address: 1 << 20 }] };
    expect(estimateTraffic(input).dramReadBytes / (4 * 250_000 * 1024)).toBeCloseTo(1, 2);
    const small = trafficInput({ ...columns, grid: [10_000, 4, 1] }, h200);
    expect(estimateTraffic(small).dramReadBytes / (10_000 * 1024)).toBeCloseTo(1, 2);
  });

  test("a log cut short stands for the whole", () => {
    const input = trafficInput(stream(4, 100_000), h200);
    const twice = { ...input, sectors: input.sectors.map((count) => 2 * count), buffers: [{ address: 1 << 20 }] };
    expect(estimateTraffic(twice).dramReadBytes).toBeCloseTo(2 * 100_000 * 1024, -3);
  });

  test("shares sum to 1 whatever is accessed", () =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 5000 }), fc.boolean(), (stride, grid, writes) => {
        const pattern = stream(4 * stride, grid);
        const [access] = pattern.accesses;
        const site = { ...access!.site, operation: writes ? ("store" as const) : ("load" as const) };
        const [got] = estimateTraffic(trafficInput({ ...pattern, accesses: [{ ...access!, site }] }, h200)).sites;
        expect(got!.l1 + got!.l2 + got!.dram).toBeCloseTo(1, 9);
        for (const share of [got!.l1, got!.l2, got!.dram]) expect(share).toBeGreaterThanOrEqual(0);
        expect(got!.accessesPerSector).toBeGreaterThanOrEqual(0.5);
      }),
      { numRuns: 30 },
    ));

  test("nothing logged is all from memory", () => {
    const input = { ...trafficInput(stream(4, 100), h200), logs: [] };
    expect(estimateTraffic(input)).toMatchObject({ dramReadBytes: 100 * 1024, sites: [{ l1: 0, dram: 1 }] });
  });
});

describe("cycles of the L1", () => {
  const cycles = (at: (lane: number) => number, bytes = 4): number =>
    l1Cycles(
      Float64Array.from({ length: 32 }, (_, lane) => 4096 + at(lane)),
      0,
      -1,
      bytes,
    );
  test.each([
    ["neighbouring words", cycles((lane) => 4 * lane), 1],
    ["one word", cycles(() => 0), 1],
    ["every second word", cycles((lane) => 8 * lane), 2],
    ["a word of each line", cycles((lane) => 128 * lane), 32],
    ["a word of each line and the next bank", cycles((lane) => 132 * lane), 8],
    // Two rows of a matrix, one word of each (matmulNaive: 6,146 distinct lines and 6,338 cycles for 4,097 requests of a warp).
    ["two rows", cycles((lane) => (lane < 16 ? 0 : 8192)), 2],
    ["8 bytes a lane", cycles((lane) => 8 * lane, 8), 2],
    ["16 bytes a lane", cycles((lane) => 16 * lane, 16), 4],
  ])("%s", (_, got, want) => expect(got).toBe(want));
  test("nobody takes none", () => expect(l1Cycles(new Float64Array(32), 0, 0, 4)).toBe(0));
});
