import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findGpu } from "../gpus/model.ts";
import { estimateTraffic } from "./estimate.ts";
import { type AccessKind, load, SectorLog, store } from "./log.ts";
import { planLogs } from "./sample.ts";
import { l2Keeps } from "./site-memory.ts";
import { type Pattern, trafficInput } from "./testing/pattern.ts";

const h200 = findGpu("h200")!;
const h100 = findGpu("h100-sxm")!;
const l1Bytes = 224 * 1024;

// validation/microbenchmarks/h200-reread.tsv and h100-reread.tsv, nothing written.
test.each([
  ["H200", 30.3, 1, h200],
  ["H200", 34.6, 0.98, h200],
  ["H200", 43.3, 0.82, h200],
  ["H200", 51.9, 0.12, h200],
  ["H200", 69.2, 0, h200],
  ["H100", 30.3, 0.96, h100],
  ["H100", 34.6, 0.86, h100],
  ["H100", 43.3, 0.15, h100],
  ["H100", 51.9, 0.01, h100],
])("%s: of %f MB that are read twice, all of them in between, the L2 keeps %f", (_, mb, kept, gpu) =>
  expect(Math.abs(l2Keeps(gpu.values, mb * 1e6) - kept)).toBeLessThan(0.1),
);

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

  // Rows of 16 threads that begin within sectors, as in images of bytes and of three bytes a pixel: each block goes on in a sector that the
  // one before or the one behind has asked for, and not in both.
  test.each([
    ["bytes", 16, 0],
    ["three bytes a pixel", 48, 0],
    ["bytes and two on either side", 16, 2],
  ])("%s: all of the image is read once", (_, row, halo) => {
    const [columns, rows] = [240, 60];
    const pitch = columns * row;
    const at = (b: readonly number[], t: readonly number[], byte: number): number =>
      Math.max(0, (b[1]! * 16 + t[1]!) * pitch + b[0]! * row + t[0]! * (row / 16) + byte);
    const image: Pattern = {
      grid: [columns, rows, 1],
      block: [16, 16, 1],
      blocksPerSm: 8,
      l1Bytes,
      rounds: [[2], [], []],
      buffers: [pitch * rows * 16 + 64],
      accesses: Array.from({ length: 2 * halo + 1 }, (_, k) => k - halo).map((byte) => ({
        site: { space: "global", operation: "load", buffer: 0 },
        bytes: 1,
        at: (b, t) => at(b, t, byte),
      })),
    };
    const got = estimateTraffic(trafficInput(image, h200));
    expect(got.dramReadBytes / (pitch * rows * 16)).toBeGreaterThan(0.9);
    // What memory brings along is not all found to be a neighbour's two blocks away.
    expect(got.dramReadBytes / (pitch * rows * 16)).toBeLessThan(1.2);
  });

  describe("what blocks side by side read at the same time", () => {
    /** Blocks of a grid of 8 by 8 that all run at once; each reads what `at` says of its row and column. */
    const square = (at: (x: number, y: number) => number): ReturnType<typeof estimateTraffic>["sites"][number] => {
      const pattern: Pattern = {
        ...stream(4, 1),
        grid: [8, 8, 1],
        buffers: [64 * 1024],
        accesses: [{ site: { space: "global", operation: "load", buffer: 0 }, bytes: 4, at: (b, t) => (at(b[0], b[1]) * 256 + t[0]) * 4 }],
      };
      return estimateTraffic(trafficInput(pattern, h200)).sites[0]!;
    };

    test("is under way from memory for all but the first of them: a tile that a row of blocks shares", () => {
      expect(square((_, y) => y)).toMatchObject({ dram: 1 / 8, l2: 7 / 8, l2UnderWay: 7 / 8 });
      expect(square(() => 0)).toMatchObject({ dram: 1 / 64, l2UnderWay: 63 / 64 });
    });

    test("is nothing where each reads its own", () => expect(square((x, y) => y * 8 + x)).toMatchObject({ dram: 1, l2UnderWay: 0 }));

    test("is there from before where they run in turn: each eighth row of blocks comes with the first", () => {
      const pattern: Pattern = {
        ...stream(4, 1),
        grid: [132 * 8, 8, 1],
        buffers: [132 * 8 * 1024],
        accesses: [{ site: { space: "global", operation: "load", buffer: 0 }, bytes: 4, at: (b, t) => (b[0] * 256 + t[0]) * 4 }],
      };
      expect(estimateTraffic(trafficInput(pattern, h200)).sites[0]).toMatchObject({ dram: 1 / 8, l2: 7 / 8, l2UnderWay: 0 });
    });
  });

  // As `gemm_v01` and `sgemm_naive_f32_kernel` of validation/public/ladders: 4,401 MB of 67 for 62 waves of blocks, and 46 of 36 where they fit.
  describe("a matrix of which a row of blocks reads all", () => {
    const perWave = (bytes: number): number => {
      const turns = bytes / 128 / 1024;
      const pattern: Pattern = {
        ...stream(4, 1),
        grid: [128, 64, 1],
        blocksPerSm: 2,
        buffers: [bytes],
        accesses: [
          {
            site: { space: "global", operation: "load", buffer: 0 },
            bytes: 4,
            times: turns,
            at: (b, t, time) => ((time * 128 + b[0]) * 256 + t[0]) * 4,
          },
        ],
      };
      return estimateTraffic(trafficInput(pattern, h200)).dramReadBytes / bytes;
    };

    test("is read by each wave of blocks where it is more than the L2 keeps", () => {
      const waves = (128 * 64) / (2 * 132);
      expect(perWave(64 << 20) / waves).toBeCloseTo(1, 1);
    });

    test("is read once where the L2 keeps it", () => expect(perWave(16 << 20)).toBeCloseTo(1));
  });

  test("rows that data chooses are read once, though the L1 keeps none of them from word to word", () => {
    const rows = 100_000;
    const places = 2 ** 31;
    const pattern: Pattern = {
      ...stream(4, 1),
      grid: [rows / 100, 1, 1],
      block: [100, 1, 1],
      l1Bytes: 128,
      buffers: [places],
      accesses: [
        {
          site: { space: "global", operation: "load", buffer: 0, irregular: true },
          bytes: 4,
          times: 16,
          at: (b, t, time) => ((Math.imul(b[0] * 100 + t[0], 0x9e3779b1) >>> 0) % (places / 64)) * 64 + time * 4,
        },
      ],
    };
    // Memory brings 64 bytes, all of which are read.
    expect(estimateTraffic(trafficInput(pattern, h200)).dramReadBytes / (rows * 64)).toBeLessThan(2.1);
  });

  test("along a row of a thread's own every other sector is in the L2, as memory brought it with the one before (h200-kinds, mvThread: 33.9 % hits)", () => {
    const rows: Pattern = {
      ...stream(4, 1),
      grid: [32, 1, 1],
      block: [128, 1, 1],
      buffers: [4096 * 4096],
      accesses: [
        {
          site: { space: "global", operation: "load", buffer: 0 },
          bytes: 4,
          times: 16,
          at: (b, t, time) => (b[0] * 128 + t[0]) * 4096 + time * 32,
        },
      ],
    };
    const { dramReadBytes, l2HitPct, sites } = estimateTraffic(trafficInput(rows, h200));
    expect(dramReadBytes).toBe(4096 * 16 * 32);
    expect(l2HitPct).toBeCloseTo(100 / 3);
    expect(sites[0]).toMatchObject({ l2: 0.5, dram: 0.5, bytesPerDramSector: 64, togetherFromMemory: 1 });
  });

  test("what comes along is served with what it comes with, whichever loads ask for the two", () => {
    const fields: Pattern = {
      ...stream(4, 1),
      grid: [32, 1, 1],
      block: [128, 1, 1],
      buffers: [4096 * 64],
      accesses: [0, 16, 32, 48].map((field) => ({
        site: { space: "global", operation: "load", buffer: 0 },
        bytes: 16,
        at: (b, t) => (b[0] * 128 + t[0]) * 64 + field,
      })),
    };
    const input = trafficInput(fields, h200);
    const { dramReadBytes, sites } = estimateTraffic(input);
    expect(dramReadBytes).toBe(4096 * 64);
    expect(sites.reduce((sum, { dram, bytesPerDramSector }, s) => sum + input.sectors[s]! * dram * bytesPerDramSector, 0)).toBeCloseTo(
      dramReadBytes,
    );
    expect(sites[2]).toMatchObject({ dram: 0, along: 1 });
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

  test("rows that are written, read and written again are written twice where the L2 does not hold all between", () => {
    const twice = (rows: number): number => {
      const input = trafficInput(stream(4, rows), h200);
      const lines = 2048;
      const log = new SectorLog(0);
      const pass = (...requests: readonly (readonly [site: number, kind: AccessKind])[]): void => {
        for (let line = 0; line < lines; line++)
          for (const [site, kind] of requests) {
            log.request(0, site, kind);
            for (let sector = 0; sector < 4; sector++) log.sector(4 * line + sector);
          }
      };
      pass([0, store]);
      pass([1, load], [0, store]);
      const [site] = input.sites;
      const sites = [
        { ...site!, operation: "store" as const },
        { ...site!, operation: "load" as const },
      ];
      const sectors = Float64Array.of(2 * lines * 4 * rows, lines * 4 * rows);
      return (
        estimateTraffic({ ...input, sites, logs: [log], sectors, buffers: [{ address: 1 << 20 }] }).dramWriteBytes / (lines * 128 * rows)
      );
    };
    expect(twice(16)).toBeLessThan(0.2);
    expect(twice(4000)).toBeCloseTo(2, 1);
  });

  test("a row read backwards and then forwards is found as far as the L2 holds what lies between, also in turns that were not run", () => {
    // Rows of 2,048 lines, a warp each, of which the first eight of each pass are run.
    const readTwice = (rows: number): number => {
      const input = trafficInput({ ...stream(4, rows), blocksPerSm: 2, buffers: [rows * 2048 * 128] }, h200);
      const log = new SectorLog(0);
      const base = input.buffers[0]!.address / 32;
      for (const [site, line] of [0, 1].flatMap((site) =>
        Array.from({ length: 8 }, (_, k) => [site, site === 0 ? 2047 - k : k] as const),
      )) {
        log.request(0, site, load);
        for (let sector = 0; sector < 4; sector++) log.sector(base + 4 * line + sector);
      }
      log.repeats = [0, 8].map((first) => ({ middle: first + 4, to: first + 7, times: 2048 / 8, share: 0.5 }));
      const [site] = input.sites;
      const sectors = Float64Array.of(2048 * 4 * rows, 2048 * 4 * rows);
      return estimateTraffic({ ...input, sites: [site!, site!], logs: [log], sectors }).dramReadBytes / (rows * 2048 * 128);
    };
    // 16 rows are 4 MB. Of 264 that are resident, 69 MB, the L2 holds the end that was read last.
    expect(readTwice(16)).toBeCloseTo(1, 2);
    expect(readTwice(4000)).toBeGreaterThan(1.2);
    expect(readTwice(4000)).toBeLessThan(1.6);
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

  describe("places that data tells", () => {
    const [{ site }] = stream(4, 1).accesses as [Pattern["accesses"][number]];
    const told: Pattern["accesses"][number]["site"] = { ...site, irregular: true };

    test("are brought once and whole where they are rows side by side", () => {
      const got = estimateTraffic(trafficInput({ ...stream(4, 20_000), accesses: [{ ...stream(4, 1).accesses[0]!, site: told }] }, h200));
      expect(got.dramReadBytes / (20_000 * 1024)).toBeCloseTo(1, 2);
    });

    /** Each lane reads a word anywhere in 1 MB, at so many sites: as much as there is, and more than once over at each of them. */
    const anywhere = (sites: number): number => {
      const places = (1 << 20) / 4;
      const accesses = Array.from({ length: sites }, (_, k) => ({
        site: told,
        bytes: 4,
        at: (b: readonly number[], t: readonly number[]) =>
          (4 * (Math.imul(b[0]! * 256 + t[0]! + 7919 * k, 0x9e3779b1) >>> 0)) % (4 * places),
      }));
      return estimateTraffic(trafficInput({ ...stream(4, 4096), buffers: [1 << 20], accesses }, h200)).dramReadBytes / 2 ** 20;
    };

    test("are brought once however many sites read there", () => {
      expect(anywhere(1)).toBeCloseTo(1, 1);
      expect(anywhere(4)).toBeCloseTo(1, 1);
    });
  });

  describe("what few blocks ask for, where data decides", () => {
    const grid = 64;
    const own: Pattern["accesses"][number] = {
      site: { space: "global", operation: "load", buffer: 0 },
      bytes: 4,
      at: (b, t) => (b[0] * 256 + t[0]) * 4,
    };
    const buffers = [grid * 1024, 1 << 24];
    /** All read a word each of a buffer; then one thread goes along a row of another, where `at` says. */
    const one = (block: number, buffer: number, at: (time: number) => number, times = 512): ReturnType<typeof trafficInput> => {
      const walk: Pattern["accesses"][number] = {
        site: { space: "global", operation: "load", buffer, irregular: true },
        bytes: 4,
        times,
        at: (b, t, time) => (b[0] === block && t[0] === 0 ? at(time) : undefined),
      };
      const input = trafficInput({ ...stream(4, grid), buffers, accesses: [own, walk] }, h200);
      return { ...input, sectors: Float64Array.of(grid * 32, times) };
    };
    const anywhere = (time: number): number => ((Math.imul(time + 1, 0x9e3779b1) >>> 0) % (grid * 256)) << 2;

    test("goes through the L1 as those blocks were seen to ask, though none of those do that stand for an SM's", () => {
      const logged = trafficInput({ ...stream(4, grid), buffers, accesses: [own] }, h200).logs.map(({ block }) => block);
      const resident = planLogs([grid, 1, 1], 8, h200.values.smCount).resident;
      const other = logged.find((block) => !resident.includes(block))!;
      expect(estimateTraffic(one(other, 1, (time) => 4 * time)).sites[1]!.l1).toBeCloseTo(7 / 8);
    });

    test("is in the L2, at random places, where all of the buffer is read in order besides", () => {
      expect(estimateTraffic(one(31, 0, anywhere, 64)).sites[1]!.dram).toBeLessThan(0.05);
      expect(estimateTraffic(one(31, 1, anywhere, 64)).sites[1]!.dram).toBeGreaterThan(0.5);
    });

    test("of what lasts longest its own log tells what the L1 holds; memory brings what nobody else has touched", () => {
      const input = one(31, 1, (time) => 4 * time);
      const [, walk] = estimateTraffic({ ...input, longest: { log: input.logs.find(({ block }) => block === 31)!, besides: 0 } }).longest!;
      // Of a word's eight readers in a sector one goes on, and memory brings every other sector along.
      expect(walk!.l1).toBeCloseTo(7 / 8);
      expect(walk!.dram).toBeCloseTo(1 / 16);
      expect(walk!.along).toBeCloseTo(1 / 16);
      expect(estimateTraffic(input).longest).toBeUndefined();
    });

    test("what others touch as well has been brought when the longest comes to it", () => {
      const shared = (buffer: number): number => {
        const input = trafficInput(
          { ...stream(4, grid), buffers, accesses: [{ ...own, at: (b, t) => ((b[0] >> buffer) * 256 + t[0]) * 4 }] },
          h200,
        );
        return estimateTraffic({ ...input, longest: { log: input.logs[0]!, besides: 0 } }).longest![0]!.dram;
      };
      expect(shared(0)).toBeCloseTo(1);
      expect(shared(1)).toBeLessThan(0.3);
    });
  });

  describe("what lies in the host's memory", () => {
    const ofHost = (pattern: Pattern): ReturnType<typeof estimateTraffic> => {
      const input = trafficInput(pattern, h200);
      return estimateTraffic({ ...input, buffers: input.buffers.map((buffer) => ({ ...buffer, ofHost: true })) });
    };
    const written = (pattern: Pattern): Pattern => {
      const [access] = pattern.accesses;
      return { ...pattern, accesses: [{ ...access!, site: { ...access!.site, operation: "store" } }] };
    };

    test("is read over the link, not from device memory", () => {
      const got = ofHost(stream(4, 100_000));
      expect(got).toMatchObject({ dramReadBytes: 0, dramWriteBytes: 0, hostWriteBytes: 0, sites: [{ dram: 1, host: {} }] });
      expect(got.hostReadBytes).toBeCloseTo(100_000 * 1024, -3);
    });

    test("takes all that is written, and brings nothing for sectors written in part", () => {
      expect(ofHost(written(stream(4, 100)))).toMatchObject({ dramWriteBytes: 0, hostReadBytes: 0, hostWriteBytes: 100 * 1024 });
      const lone = ofHost(written(stream(32, 100)));
      expect(lone).toMatchObject({ dramReadBytes: 0, hostReadBytes: 0, sites: [{ host: { partial: 1 } }] });
    });

    test("is not spoken of where there is none", () =>
      expect(estimateTraffic(trafficInput(stream(4, 100), h200))).not.toHaveProperty("hostReadBytes"));
  });

  test("nothing logged is all from memory", () => {
    const input = { ...trafficInput(stream(4, 100), h200), logs: [] };
    expect(estimateTraffic(input)).toMatchObject({ dramReadBytes: 100 * 1024, sites: [{ l1: 0, dram: 1 }] });
  });
});
