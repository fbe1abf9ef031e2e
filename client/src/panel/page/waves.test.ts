import type { LaunchReport } from "@warplens/server/protocol";
import { expect, test } from "vitest";
import { blocksOf, blocksOn, wavesOf } from "./waves.ts";

const launch = (grid: LaunchReport["grid"], blocksPerSm: number) => ({ grid, occupancy: { blocksPerSm } }) as unknown as LaunchReport;

test.each([
  [[1024, 1, 1], 8, 132, { atOnce: 1056, count: 1, last: 1024 }],
  [[1056, 1, 1], 8, 132, { atOnce: 1056, count: 1, last: 1056 }],
  [[1057, 1, 1], 8, 132, { atOnce: 1056, count: 2, last: 1 }],
  [[100, 10, 3], 4, 132, { atOnce: 528, count: 6, last: 360 }],
] as const)("%j blocks, %i on each of %i SMs", (grid, perSm, multiprocessors, expected) =>
  expect(wavesOf(launch(grid, perSm), multiprocessors)).toMatchObject(expected),
);

test("of what does not fit, and of an unknown number of SMs there are none", () => {
  expect(wavesOf(launch([1, 1, 1], 0), 132)).toBeUndefined();
  expect(wavesOf(launch([1, 1, 1], 1), undefined)).toBeUndefined();
});

test("every block of a wave is on some SM, and none holds more than it can", () => {
  const waves = wavesOf(launch([3000, 1, 1], 5), 46);
  if (!waves) throw new Error("there are waves");
  for (let wave = 0; wave < waves.count; wave++) {
    const held = Array.from({ length: 46 }, (_, sm) => blocksOn(waves, wave, sm));
    expect(held.reduce((sum, each) => sum + each)).toBe(blocksOf(waves, wave));
    expect(Math.max(...held)).toBeLessThanOrEqual(5);
    expect(Math.max(...held) - Math.min(...held)).toBeLessThanOrEqual(1);
  }
});
