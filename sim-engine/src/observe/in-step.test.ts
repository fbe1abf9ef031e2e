import { describe, expect, test } from "vitest";
import { findGpu } from "../gpus/model.ts";
import { InStep } from "./in-step.ts";

const { values } = findGpu("h200")!;

interface Launch {
  readonly blocks?: number;
  readonly notRun?: number;
  readonly goesOn?: boolean;
}

const add = (bySlice: Float64Array | undefined, slice: number): void => {
  if (bySlice) bySlice[slice % bySlice.length]! += 1;
};

/** The factor where each of `warps` comes to the slices that `at` names, one a turn. */
function factor(at: (warp: number) => readonly number[], { blocks = 1056, notRun = 1, goesOn = true }: Launch = {}) {
  const inStep = new InStep(values);
  for (let block = 0; block < 4; block++) {
    inStep.begin();
    for (let warp = 0; warp < 8; warp++) for (const slice of at(8 * block + warp)) add(inStep.next(warp), slice);
  }
  return inStep.factor(notRun, goesOn, { blocks, row: blocks, atOnce: 1056, threads: 256 });
}

const along = (turns: number, from = 0): number[] => Array.from({ length: turns }, (_, turn) => (from + turn) % turns);

describe("how long slices wait for warps that are in step", () => {
  test("not at all on one slice, or where each turn goes over all of them", () => {
    expect(factor(() => [5, 5, 5, 5])).toBe(1);
    expect(factor(() => [5])).toBe(1);
    const inStep = new InStep(values);
    inStep.begin();
    for (let turn = 0; turn < 8; turn++) {
      const bySlice = inStep.next(0);
      for (let slice = 0; slice < 8; slice++) add(bySlice, slice);
    }
    expect(inStep.factor(1, true, { blocks: 1056, row: 1056, atOnce: 1056, threads: 256 })).toBeCloseTo(1);
  });

  test("the longer the way, the more slices do nothing at first", () => {
    const [short, middle, long] = [factor(() => along(4)), factor(() => along(16)), factor(() => along(64))];
    expect(short).toBeGreaterThan(1.4);
    expect(middle).toBeGreaterThan(short);
    expect(long).toBeGreaterThan(middle);
    // With a window that grows by a turn a turn: the sum of 1/w over the windows, in turns of the fewest.
    expect(long).toBeCloseTo(Math.log(64), 0);
  });

  test("less in launches of many waves, as warps stay apart", () => {
    expect(factor(() => along(16), { blocks: 8 * 1056 })).toBeLessThan(1 + (factor(() => along(16)) - 1) / 7);
  });

  test("hardly where each begins somewhere else", () => {
    expect(factor((warp) => along(16, warp))).toBeCloseTo(1, 1);
  });

  test("turns that were not run are at other places, or at the same", () => {
    expect(factor(() => along(8), { notRun: 4 })).toBeCloseTo(
      factor(() => along(32)),
      1,
    );
    expect(factor(() => along(8), { notRun: 4, goesOn: false })).toBeLessThan(factor(() => along(8)));
  });

  test("of long ways the first turns stand for all, however many of them are run", () => {
    const long = (turns: number): number[] => Array.from({ length: turns }, (_, turn) => turn);
    const all = factor(() => long(1024));
    expect(factor(() => long(512), { notRun: 2 }) / all).toBeCloseTo(1, 5);
    expect(factor(() => long(64), { notRun: 16 }) / all).toBeCloseTo(1, 0);
  });
});
