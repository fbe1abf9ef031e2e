import { expect, test } from "vitest";
import { BlockClocks, type Moment } from "./clocks.ts";

/** What a thread does now, and whether that comes before what another does later. */
const does = (clocks: BlockClocks, warp: number, lane = 0, copies = false): Moment => ({ warp, lane, ...clocks.now(warp, copies) });
const isBefore = (clocks: BlockClocks, { warp, lane, time, interval }: Moment, by: number, byLane = 0): boolean =>
  clocks.isBefore(warp, lane, time, interval, by, byLane);

test("a barrier of some warps orders these alone", () => {
  const clocks = new BlockClocks();
  const done = does(clocks, 0);
  clocks.meet([0, 1]);
  expect([1, 2].map((warp) => isBefore(clocks, done, warp))).toEqual([true, false]);
  // Who has met one of them since knows what that one knows.
  clocks.meet([1, 2]);
  expect(isBefore(clocks, done, 2)).toBe(true);
  expect(isBefore(clocks, does(clocks, 0), 2)).toBe(false);
  clocks.blockSync();
  expect(isBefore(clocks, done, 7)).toBe(true);
});

test("who waits for a phase knows of what came before the arrivals in it, and of nothing since", () => {
  const clocks = new BlockClocks();
  const before = does(clocks, 3);
  clocks.arrive(1, 3);
  const since = does(clocks, 3);
  expect(isBefore(clocks, before, 4)).toBe(false);
  clocks.wait(1, 4);
  expect([before, since].map((each) => isBefore(clocks, each, 4))).toEqual([true, false]);
  expect(isBefore(clocks, before, 5)).toBe(false);
});

test("a copy is under way, for its own thread too, until its group is waited for", () => {
  const clocks = new BlockClocks();
  const first = does(clocks, 0, 4, true);
  clocks.commit(0);
  const second = does(clocks, 0, 4, true);
  clocks.commit(0);
  expect([first, second].map((each) => clocks.isUnderWay(each))).toEqual([true, true]);
  expect(isBefore(clocks, first, 0, 4)).toBe(false);
  clocks.waitForCopies(0, 1);
  expect([first, second].map((each) => isBefore(clocks, each, 0, 4))).toEqual([true, false]);
  // For others from the barrier behind the wait on.
  expect(isBefore(clocks, first, 1)).toBe(false);
  clocks.blockSync();
  expect([first, second].map((each) => isBefore(clocks, each, 1))).toEqual([true, false]);
});

test("lanes of a warp know of each other from where they meet", () => {
  const clocks = new BlockClocks();
  const done = does(clocks, 2, 1);
  expect([1, 0].map((lane) => isBefore(clocks, done, 2, lane))).toEqual([true, false]);
  clocks.warpSync(2);
  expect(isBefore(clocks, done, 2, 0)).toBe(true);
});

test("what a lane finds out of its own warp is its own alone", () => {
  const clocks = new BlockClocks();
  const done = does(clocks, 0, 3);
  clocks.fence(0, "block");
  clocks.learn(0, 5, clocks.fenced(0, "block").slice());
  expect([5, 6].map((lane) => isBefore(clocks, done, 0, lane))).toEqual([true, false]);
  expect(isBefore(clocks, does(clocks, 0, 3), 0, 5)).toBe(false);
});

test("who went on without what he waited for may come behind anything until the next barrier of the block", () => {
  const clocks = new BlockClocks();
  const before = does(clocks, 1).time;
  clocks.goAstray(1);
  const since = does(clocks, 1).time;
  expect([clocks.isAstray(1, before), clocks.isAstray(1, since), clocks.isAstray(0, since)]).toEqual([false, true, false]);
  clocks.blockSync();
  expect(clocks.isAstray(1, does(clocks, 1).time)).toBe(false);
  expect(clocks.isBlockAstray).toBe(true);
});

test("what a phase waits for is over for who has waited for it, whatever barriers stand between", () => {
  const clocks = new BlockClocks();
  const small = does(clocks, 0, 4, true);
  clocks.copiesArrive(0, 1);
  const large: Moment = { ...does(clocks, 1), time: clocks.beginBulk(1, 2) };
  const overFor = (by: number): boolean[] => [small, large].map((each) => isBefore(clocks, each, by));
  clocks.blockSync();
  expect(overFor(0)).toEqual([false, false]);
  clocks.wait(1, 3);
  clocks.wait(2, 2);
  expect([2, 3, 0].map(overFor)).toEqual([
    [false, true],
    [true, false],
    [false, false],
  ]);
  expect([small, large].map((each) => clocks.isUnderWay(each))).toEqual([false, false]);
  clocks.blockSync();
  expect(overFor(0)).toEqual([true, true]);
});

test("where who waits for whom is not understood, all comes before all", () => {
  const clocks = new BlockClocks();
  const done = does(clocks, 0);
  clocks.lose();
  expect(isBefore(clocks, done, 1)).toBe(true);
  clocks.clear();
  expect(isBefore(clocks, done, 1)).toBe(false);
});
