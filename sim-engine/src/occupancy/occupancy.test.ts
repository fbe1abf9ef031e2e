import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { capabilities, findCapability, findGpu, type GpuValues } from "../gpus/model.ts";
import { adviseOccupancy, maxPotentialBlockSize } from "./advice.ts";
import { carveoutFor } from "./carveout.ts";
import { maxActiveClusters } from "./clusters.ts";
import { type OccupancyInput, occupancy, occupancyProblem } from "./occupancy.ts";

const volta = findCapability("7.0")!.values;
const hopper = findGpu("h200")!.values;
const plain = { staticShared: 0, dynamicShared: 0 };

describe("occupancy", () => {
  // Best Practices Guide 10.1.1.
  test.each([
    [128, 12, 75],
    [320, 4, 62.5],
  ])("37 registers on compute capability 7.0, blocks of %i: %i blocks, %f %%", (blockSize, blocks, pct) => {
    const got = occupancy(volta, { ...plain, registers: 37, blockSize });
    expect([got.blocksPerSm, got.occupancyPct, got.limiters]).toEqual([blocks, pct, ["registers"]]);
  });

  test("32 registers give full occupancy on compute capability 7.0", () =>
    expect(occupancy(volta, { ...plain, registers: 32, blockSize: 1024 }).occupancyPct).toBe(100));

  // Volta Tuning Guide 1.4.3.2: one block may use all 96 KB, if it opts in.
  test.each([
    [true, 1],
    [false, 0],
  ])("96 KB of dynamic shared memory, opted in %s: %i blocks", (optIn, blocks) =>
    expect(occupancy(volta, { registers: 32, staticShared: 0, dynamicShared: 96 * 1024, blockSize: 128, optIn }).blocksPerSm).toBe(blocks),
  );

  test.each([
    [{ ...plain, registers: 32, blockSize: 0 }, /blockSize/],
    [{ ...plain, registers: -1, blockSize: 32 }, /registers/],
    [{ ...plain, registers: 1.5, blockSize: 32 }, /registers/],
    [{ ...plain, registers: 32, blockSize: 32, carveout: 101 }, /carveout/],
    [{ registers: 32, staticShared: Number.NaN, dynamicShared: 0, blockSize: 32 }, /staticShared/],
    [{ ...plain, staticShared: 99999999999999, registers: 32, blockSize: 32 }, /^staticShared .* the GPU allows 98,304$/],
    [{ ...plain, registers: 32, blockSize: 99999999999 }, /^blockSize .* the GPU allows 1,024$/],
    [{ ...plain, registers: 4000000000, blockSize: 32 }, /^registers .* the GPU allows 255$/],
  ])("refuses %j", (input, message) => {
    expect(occupancyProblem(input, volta)).toMatch(message);
    expect(() => occupancy(volta, input)).toThrow(message);
  });
});

const anyInput = fc.record({
  registers: fc.integer({ min: 0, max: 255 }),
  staticShared: fc.integer({ min: 0, max: 49152 }),
  dynamicShared: fc.integer({ min: 0, max: 232448 }),
  blockSize: fc.integer({ min: 1, max: 1024 }),
});
const anyGpu = fc.constantFrom(...capabilities.map((c) => c.values));

describe("advice", () => {
  test("names the next step", () => {
    const advice = adviseOccupancy(volta, { ...plain, registers: 46, blockSize: 256 });
    expect(advice.nextStep).toBe("6 fewer registers a thread: 75 %");
  });

  test("has no next step at full occupancy", () =>
    expect(adviseOccupancy(hopper, { ...plain, registers: 32, blockSize: 256 })).toMatchObject({ gains: [], now: { occupancyPct: 100 } }));

  test("knows that registers and shared memory limit together", () => {
    const advice = adviseOccupancy(volta, { registers: 64, staticShared: 24 * 1024, dynamicShared: 0, blockSize: 256 });
    expect(advice.now.limiters).toEqual(["registers", "shared_mem"]);
    expect(advice.nextStep).toMatch(/fewer registers a thread and .* fewer bytes of shared memory a block/);
  });

  test("every gain gains, every loss loses, and one step less does not", () =>
    fc.assert(
      fc.property(anyGpu, anyInput, (gpu, input) => {
        const { now, gains, losses } = adviseOccupancy(gpu, input);
        const warps = (registers: number): number => occupancy(gpu, { ...input, registers }).activeWarpsPerSm;
        for (const gain of gains) expect(gain.occupancyPct).toBeGreaterThan(now.occupancyPct);
        for (const loss of losses) expect(loss.occupancyPct).toBeLessThan(now.occupancyPct);
        const fewer = gains.find((gain) => gain.resource === "registers");
        if (fewer) {
          expect(warps(fewer.value)).toBeGreaterThan(now.activeWarpsPerSm);
          expect(warps(fewer.value + 1)).toBeLessThanOrEqual(now.activeWarpsPerSm);
        }
      }),
      { numRuns: 60 },
    ));

  test.each([
    ["shared memory", { staticShared: 2 ** 31 - 1 }, { staticShared: 1e6 }],
    ["registers", { registers: 2 ** 31 - 1 }, { registers: 1000 }],
    ["a block", { blockSize: 2 ** 31 - 1 }, { blockSize: 4096 }],
  ])("looks no further than the GPU goes: %s", (_, huge, large) => {
    let reads = 0;
    const counted = new Proxy(hopper, {
      get(values, name) {
        reads++;
        return Reflect.get(values, name);
      },
    });
    const usual = { ...plain, registers: 32, blockSize: 256 };
    const { gains } = adviseOccupancy(counted, { ...usual, ...huge });
    const places = (all: typeof gains) => all.map(({ resource, value, occupancyPct }) => ({ resource, value, occupancyPct }));
    expect(places(gains)).toEqual(places(adviseOccupancy(hopper, { ...usual, ...large }).gains));
    expect(gains).not.toEqual([]);
    expect(reads).toBeLessThan(100_000);
  });

  test("the potential block size has the most threads of all, and is the largest that has", () =>
    fc.assert(
      fc.property(anyGpu, anyInput, (gpu, input) => {
        const best = maxPotentialBlockSize(gpu, input);
        const threads = (blockSize: number): number => occupancy(gpu, { ...input, blockSize }).blocksPerSm * blockSize;
        const sizes = Array.from({ length: 32 }, (_, i) => (i + 1) * 32);
        const most = Math.max(...sizes.map(threads));
        expect(best.blockSize * best.blocksPerSm).toBe(most);
        expect(best.blockSize).toBe(most === 0 ? 0 : Math.max(...sizes.filter((size) => threads(size) === most)));
      }),
      { numRuns: 60 },
    ));
});

describe("carveout", () => {
  const input = (sharedBytes: number, blockSize = 256, carveout = -1) => ({
    registers: 16,
    staticShared: 0,
    dynamicShared: sharedBytes,
    blockSize,
    carveout,
  });
  const division = (gpu: GpuValues, of: OccupancyInput) => carveoutFor(gpu, of, occupancy(gpu, of));

  test("a preference is taken while a block fits", () => {
    expect(division(volta, input(0, 256, 0))).toEqual({ sharedBytes: 0, l1Bytes: 128 * 1024 });
    expect(division(volta, input(20_000, 256, 0)).sharedBytes).toBe(32 * 1024);
    expect(division(volta, input(0, 256, 100)).sharedBytes).toBe(96 * 1024);
  });

  test("Pascal's L1 is its own", () => {
    const pascal = findCapability("6.0")!.values;
    expect(division(pascal, input(0))).toEqual({ sharedBytes: 64 * 1024, l1Bytes: 24 * 1024 });
  });

  // Launches of sim-engine/validation/microbenchmarks/h200-profile.tsv: dynamic shared bytes and the kilobytes given.
  const bytes = [0, 512, 1024, 1152, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 40960, 65536, 98304];
  test.each([
    [32, [32, 64, 64, 100, 100, 132, 164, 228, 228, 228, 228, 228, 228, 196, 196]],
    [64, [32, 64, 64, 100, 100, 132, 164, 228, 228, 228, 228, 228, 228, 196, 196]],
    [256, [32, 32, 32, 64, 64, 64, 100, 132, 132, 132, 164, 228, 228, 196, 196]],
    [512, [16, 16, 16, 32, 32, 32, 64, 64, 100, 132, 132, 132, 164, 196, 196]],
    [1024, [8, 8, 8, 8, 8, 8, 16, 16, 32, 32, 64, 64, 100, 132, 196]],
  ])("blocks of %i threads are given what an H200 gives them", (blockSize, kilobytes) =>
    expect(bytes.map((shared) => division(hopper, input(shared, blockSize)).sharedBytes / 1024)).toEqual(kilobytes),
  );
});

describe("clusters", () => {
  test("of a size that is not allowed: none", () => expect(maxActiveClusters(hopper, 1, 32)).toBe(0));
  test("where no layout was measured, the SMs are spread evenly", () => {
    const h100 = findGpu("h100-sxm")!.values;
    expect([1, 2, 4, 8, 16].map((size) => maxActiveClusters(h100, 1, size))).toEqual([132, 66, 32, 16, 8]);
  });
  test("there are none before Hopper", () => expect(maxActiveClusters(findGpu("a100")!.values, 1, 2)).toBeUndefined());
});
