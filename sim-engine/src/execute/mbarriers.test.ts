import { expect, test } from "vitest";
import { Mbarriers } from "./mbarriers.ts";

const at = 64;

test("phases end when all have arrived and all bytes are there, in whatever order", () => {
  const barriers = new Mbarriers(false);
  barriers.init(at, 2);
  const steps: readonly (readonly [what: string, act: () => unknown, over: number])[] = [
    ["one arrives", () => barriers.arrive(at, 1, 0), 0],
    ["another does, and says what will come", () => barriers.arrive(at, 1, 96), 0],
    ["part of it comes", () => barriers.expect(at, -64), 0],
    ["the rest comes", () => barriers.expect(at, -32), 1],
    ["bytes come early", () => barriers.expect(at, -16), 1],
    ["both arrive", () => barriers.arrive(at, 2, 0), 1],
    ["the bytes are expected", () => barriers.expect(at, 16), 2],
    ["one drops out", () => barriers.arrive(at, 1, 0, true), 2],
    ["the other arrives", () => barriers.arrive(at, 1, 0), 3],
    ["and is enough from now on", () => barriers.arrive(at, 1, 0), 4],
  ];
  for (const [what, act, over] of steps) {
    act();
    // The phase before the present one is over, and the one before that has its parity.
    expect([barriers.isOver(at, over - 1), barriers.isOver(at, over)], what).toEqual([true, false]);
  }
});

test("an arrival tells the phase that it belongs to, and each phase has a number of its own", () => {
  const barriers = new Mbarriers(false);
  barriers.init(at, 1);
  barriers.init(at + 8, 1);
  expect([barriers.arrive(at, 1, 0), barriers.arrive(at, 1, 0)]).toEqual([0, 1]);
  const last = barriers.lastAt(at);
  expect(barriers.phaseAt(at)).not.toBe(last);
  expect(new Set([barriers.phaseAt(at), barriers.phaseAt(at + 8), last]).size).toBe(3);
  expect(barriers.lastAt(at + 8)).toBe(0);
});

test("more arrivals than a phase waits for are told of", () => {
  const barriers = new Mbarriers(false);
  barriers.init(at, 2);
  expect(() => barriers.arrive(at, 3, 0)).toThrow("3 arrivals at an mbarrier whose phase waits for 2 of 2 more");
  barriers.invalidate(at);
  expect(() => barriers.arrive(at, 1, 0)).toThrow("never initialised");
});

test("where other blocks of the cluster may arrive, more is no mistake, and what is missing may be theirs", () => {
  const barriers = new Mbarriers(true);
  barriers.init(at, 2);
  barriers.arrive(at, 2, 64);
  barriers.expect(at, -128);
  expect([barriers.isOver(at, 0), barriers.isOver(at, 1)]).toEqual([true, false]);
  barriers.arrive(at, 1, 0);
  barriers.end(at);
  expect([barriers.isOver(at, 0), barriers.isOver(at, 1)]).toEqual([false, true]);
});
