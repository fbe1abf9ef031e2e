import { describe, expect, test } from "vitest";
import { findCapability } from "../gpus/model.ts";
import type { LaunchReport } from "../report/launch-report.ts";
import { adviseLaunch } from "./launch-advice.ts";
import { occupancy } from "./occupancy.ts";

const volta = findCapability("7.0")!.values;
const input = { registers: 46, staticShared: 0, dynamicShared: 0, blockSize: 256 };
type Time = NonNullable<LaunchReport["time"]>;

function advise({
  boundBy = "dram-latency",
  busy = 0,
  waves = 10,
  achieved = 0.9,
  use = input,
  interval,
}: Partial<{ boundBy: string; busy: number; waves: number; achieved: number; use: typeof input; interval: readonly [number, number] }>) {
  const { blocksPerSm, activeWarpsPerSm, occupancyPct } = occupancy(volta, use);
  const time: Time = {
    ns: 1000,
    range: [800, 1250],
    cycles: 1500,
    boundBy,
    dramGBs: 0,
    dramPctOfPeak: 0,
    requestedGBs: 0,
    parts: [{ name: boundBy, ns: 1000 * busy }],
  };
  const reached = {
    theoreticalPct: occupancyPct,
    achievedPct: achieved * occupancyPct,
    blocksPerSm,
    activeWarpsPerSm,
    limiters: [],
    wavesPerSm: waves,
  };
  return adviseLaunch(volta, use, { time, occupancy: reached }, interval);
}

describe("advice on a launch", () => {
  test("names the next step while warps wait for memory", () => {
    const advice = advise({});
    expect(advice.nextStep).toBe("6 fewer registers a thread: 75 %");
    expect(advice.withheld).toBeUndefined();
    expect([advice.bestBlockSizes[0], advice.bestOccupancyPct]).toEqual([640, 62.5]);
  });

  test.each([
    ["DRAM is saturated", { boundBy: "dram", busy: 0.86 }, /^DRAM is busy 86 % of the time already$/],
    ["a pipe is saturated", { boundBy: "fma", busy: 0.95 }, /the fma pipe is busy 95 %/],
    ["the grid is resident at once", { waves: 0.7 }, /all blocks of the grid are resident/],
    ["the launch is the time", { boundBy: "launch-overhead" }, /the launch itself/],
    ["blocks start too slowly", { boundBy: "block-launch" }, /do not start fast enough/],
    ["the warps that fit are not there", { achieved: 0.4 }, /only 25 % of the 63 % are reached/],
  ])("is withheld where %s", (_, launch, why) => {
    const advice = advise(launch);
    expect(advice.withheld).toMatch(why);
    expect(advice.nextStep).toBeUndefined();
    expect(advice.gains).not.toEqual([]);
  });

  test("is given while DRAM has room", () => expect(advise({ boundBy: "dram", busy: 0.65 }).nextStep).toBeDefined());

  test("has nothing to withhold at full occupancy", () => {
    const advice = advise({ boundBy: "dram", busy: 0.9, use: { ...input, registers: 32 } });
    expect([advice.nextStep, advice.withheld, advice.gains]).toEqual([undefined, undefined, []]);
  });

  test("is given for a block that does not fit at all", () => {
    const advice = advise({ waves: 0, use: { ...input, registers: 128, blockSize: 1024 } });
    expect(advice.nextStep).toMatch(/64 fewer registers a thread/);
  });

  test("says whether occupancy changes within the registers' interval", () => {
    expect(advise({ interval: [38, 52] }).registerInterval).toEqual({ registers: [38, 52], occupancyPct: [75, 50] });
    expect(advise({ interval: [42, 48] }).registerInterval).toBeUndefined();
    expect(advise({}).registerInterval).toBeUndefined();
  });
});
