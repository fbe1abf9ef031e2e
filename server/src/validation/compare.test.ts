import type { LaunchReport } from "@warplens/sim-engine";
import { describe, expect, test } from "vitest";
import { compareLaunch, compareSpent, type MeasuredLaunch, signatureName, summarise, takeMatch, takeRepeated } from "./compare.ts";

const measured: MeasuredLaunch = {
  file: "a.cu",
  kernel: "void scale<4>(float *, int)",
  grid: [8, 1, 1],
  block: [32, 1, 1],
  dynamic_shared_bytes: 0,
  time_ns: 2000,
  registers_per_thread: 20,
  theoretical_occupancy_pct: 50,
  achieved_occupancy_pct: 40,
  global_load_sectors: 300,
  global_store_sectors: 100,
  dram_read_bytes: 8e6,
  dram_write_bytes: 2e6,
  warp_instructions: 1000,
  lines: {
    3: { global_sectors: 300, global_sectors_ideal: 100 },
    4: { global_sectors: 100, global_sectors_ideal: 100, shared_wavefronts: 64, shared_wavefronts_ideal: 8 },
  },
};

const line = {
  instructions: 0,
  threadInstructions: 0,
  globalRequests: 0,
  globalSectors: 0,
  globalSectorsIdeal: 0,
  sharedWavefronts: 0,
  sharedWavefrontsIdeal: 0,
  divergentBranches: 0,
};

function report(more: Partial<LaunchReport> = {}): LaunchReport {
  return {
    kernel: "scale",
    templateArguments: ["4"],
    grid: [8, 1, 1],
    block: [32, 1, 1],
    dynamicSharedBytes: 0,
    resources: { registersPerThread: { value: 22, basis: "estimated" }, staticSharedBytes: 0, localBytesPerThread: 0 },
    occupancy: { theoreticalPct: 50, blocksPerSm: 32, activeWarpsPerSm: 32, limiters: [], wavesPerSm: 1 },
    traffic: { globalLoadRequests: 8, globalLoadSectors: 300, globalStoreRequests: 8, globalStoreSectors: 100 },
    shared: { loadInstructions: 0, storeInstructions: 0, loadWavefronts: 0, storeWavefronts: 0 },
    instructions: { warp: 900, thread: 28_800 },
    lines: {
      3: { ...line, globalSectors: 300, globalSectorsIdeal: 100 },
      4: { ...line, globalSectors: 100, globalSectorsIdeal: 100, sharedWavefronts: 8, sharedWavefrontsIdeal: 8 },
    },
    otherLines: {},
    accesses: [],
    branches: [],
    loops: [],
    assumptions: [],
    simulated: { blocks: 1, of: 8, ms: 1, warpInstructions: 100, exact: true },
    ...more,
  };
}

test.each([
  ["void scale<4>(float *, int)", "scale<4>"],
  ["copy(int *)", "copy"],
  ["void apply<fn(int)>(int)", "apply<fn"],
  ["void tile<(int)32, (unsigned int)4, (bool)0, (long)-1>(T1 *)", "tile<32, 4, false, -1>"],
  ["void opt::norm<opt::Half, (int)512>(const T1 *)", "norm<opt::Half, 512>"],
  ["<unnamed>::copy(int *)", "copy"],
])("%s is called %s", (kernel, name) => {
  expect(signatureName(kernel)).toBe(name);
});

describe("which simulated launch is the measured one", () => {
  const other = report({ templateArguments: ["2"] });
  const large = report({ grid: [16, 1, 1] });

  test("that of its instance, of its configuration first", () => {
    const same = report();
    expect(takeMatch(measured, new Set([large, other, same]))).toBe(same);
    expect(takeMatch(measured, new Set([large, other]))).toBe(other);
  });

  test("each only once, none of another kernel", () => {
    const reports = new Set([report()]);
    expect(takeMatch(measured, reports)).toBeDefined();
    expect(takeMatch(measured, reports)).toBeUndefined();
    expect(takeMatch(measured, new Set([report({ kernel: "scaleAll" })]))).toBeUndefined();
  });
});

test("a launch that the host makes several times stands for as many measured ones, of its own configuration", () => {
  const twice = report();
  const times = new Map([[twice, 1]]);
  expect(takeRepeated({ ...measured, grid: [2, 1, 1] }, times)).toBeUndefined();
  expect(takeRepeated(measured, times)).toBe(twice);
  expect(takeRepeated(measured, times)).toBeUndefined();
});

describe("one launch", () => {
  const time = {
    ns: 2500,
    range: [1900, 3200] as [number, number],
    cycles: 0,
    boundBy: "",
    dramGBs: 0,
    dramPctOfPeak: 0,
    requestedGBs: 0,
    parts: [],
  };

  test("is compared by figure and by line", () => {
    const { lines, ...figures } = compareLaunch(measured, report());
    expect(figures).toEqual({
      file: "a.cu",
      kernel: "scale<4>",
      configurationRight: true,
      sectors: 0,
      instructions: 0.1,
      registers: 0.1,
      occupancy: 0,
    });
    expect(lines.map(({ line: number, counter, error, verdict }) => [number, counter, error, verdict])).toEqual([
      [3, "global sectors", 0, "hit"],
      [4, "global sectors", 0, "clean"],
      [4, "shared wavefronts", 0.875, "missed"],
    ]);
  });

  test("has a line that only one side has", () => {
    const { lines } = compareLaunch(measured, report({ lines: { 9: { ...line, globalSectors: 64, globalSectorsIdeal: 8 } } }));
    expect(lines.map(({ line: number, error, verdict }) => [number, error, verdict])).toEqual([
      [3, 1, "missed"],
      [4, 1, "clean"],
      [4, 1, "missed"],
      [9, 1, "false alarm"],
    ]);
  });

  test("has time and memory traffic where they are given", () => {
    const traffic = { ...report().traffic, dramReadBytes: 9e6, dramWriteBytes: 2e6 };
    const comparison = compareLaunch(measured, report({ time, traffic }));
    expect(comparison.time).toBe(1.25);
    expect(comparison.timeHeld).toBe(true);
    expect(compareLaunch(measured, report({ time: { ...time, range: [2100, 3000] }, traffic })).timeHeld).toBe(false);
    expect(comparison.dram).toBeCloseTo(0.1);
  });

  test("has no figure for the little memory traffic that other work decides", () => {
    const little = { ...measured, dram_read_bytes: 1000, dram_write_bytes: 0 };
    const traffic = { ...report().traffic, dramReadBytes: 9e6, dramWriteBytes: 2e6 };
    expect(compareLaunch(little, report({ traffic })).dram).toBeUndefined();
  });

  test("with another shared size is another configuration", () => {
    expect(compareLaunch(measured, report({ dynamicSharedBytes: 4 })).configurationRight).toBe(false);
  });

  test("that was not simulated counts against the mean time", () => {
    const comparison = compareLaunch(measured, report({ time }));
    expect(summarise([comparison], 2)).toMatchObject({
      launches: 2,
      simulated: 1,
      timeMean: 0.625,
      timeMedian: 0.25,
      globalLinesExact: 1,
      sharedLinesExact: 0,
      bankConflictRecall: 0,
      bankConflictPrecision: 1,
      uncoalescedRecall: 1,
    });
  });
});

describe("where the time is spent", () => {
  const spent = (waits: Record<number, Record<string, number>>) =>
    report({
      time: { ns: 2000, range: [1000, 3000], cycles: 3500, boundBy: "dram", dramGBs: 1, dramPctOfPeak: 1, requestedGBs: 1, parts: [] },
      lines: Object.fromEntries(
        Object.entries(waits).map(([at, of]) => [
          at,
          { ...line, waits: of, timeShare: Object.values(of).reduce((sum, share) => sum + share, 0) },
        ]),
      ),
    });
  const sampled = (lines: Record<string, Record<string, number>>) => ({
    ...measured,
    samples: Object.values(lines).reduce((sum, of) => sum + Object.values(of).reduce((all, count) => all + count, 0), 0),
    lines,
  });

  test.each([
    ["the same", { 3: { long_scoreboard: 60 }, 4: { wait: 40 } }, { 3: { memory: 0.6 }, 4: { dependence: 0.4 } }, 1, true],
    ["part of it elsewhere", { 3: { long_scoreboard: 90 }, 4: { wait: 10 } }, { 3: { memory: 0.2 }, 4: { memory: 0.8 } }, 0.3, false],
    ["a barrier, found behind it", { 4: { barrier: 50 }, 5: { wait: 50 } }, { 3: { barrier: 0.5 }, 5: { memory: 0.5 } }, 1, true],
    ["a little in headers", { 3: { wait: 95 }, elsewhere: { wait: 5 } }, { 3: { memory: 1 } }, 0.95, true],
  ] as const)("%s", (_, samples, waits, inCommon, hottest) => {
    const compared = compareSpent(sampled(samples as never), spent(waits as never));
    expect(compared?.hottest).toBe(hottest);
    expect(compared?.inCommon).toBeCloseTo(inCommon, 9);
  });

  test.each([
    ["most is in headers", { 3: { wait: 5 }, elsewhere: { wait: 95 } }, spent({ 3: { memory: 1 } })],
    ["nothing is said", { 3: { wait: 5 } }, report()],
  ])("nothing is compared where %s", (_, samples, said) => expect(compareSpent(sampled(samples as never), said)).toBeUndefined());
});
