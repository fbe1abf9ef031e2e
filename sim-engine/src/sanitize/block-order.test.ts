import { expect, test } from "vitest";
import type { Dim3 } from "../ir/kernel.ts";
import { BlockOrder } from "./block-order.ts";
import { BlockClocks } from "./clocks.ts";

const first: Dim3 = [0, 0, 0];
const second: Dim3 = [1, 0, 0];
const third: Dim3 = [2, 0, 0];
const [flag, other] = [4096, 8192];

/** Warp 0 of the first block writes, does `between`, and sets the flag; the second block finds it. */
function handedOn(between: (clocks: BlockClocks) => void, ofBlock = false, at = flag): boolean {
  const clocks = new BlockClocks();
  const order = new BlockOrder(clocks);
  const { time } = clocks.now(0, false);
  between(clocks);
  order.release(flag, first, 0, ofBlock);
  clocks.clear();
  order.begin();
  order.acquire(at, second, 0, 0, ofBlock);
  return order.isBefore(first, 0, time);
}

test.each([
  ["with a fence for all", (clocks: BlockClocks) => clocks.fence(0, "device"), true],
  ["with none", () => {}, false],
  ["with one for the block", (clocks: BlockClocks) => clocks.fence(0, "block"), false],
] as const)("what is written before a flag is set, %s", (_, between, expected) => expect(handedOn(between)).toBe(expected));

test("not by an atomic of the block, nor by another flag", () => {
  const fence = (clocks: BlockClocks): void => clocks.fence(0, "device");
  expect(handedOn(fence, true)).toBe(false);
  expect(handedOn(fence, false, other)).toBe(false);
});

test("what another warp did is told by the barrier between", () => {
  const clocks = new BlockClocks();
  const order = new BlockOrder(clocks);
  const { time } = clocks.now(3, false);
  clocks.blockSync();
  clocks.fence(0, "device");
  order.release(flag, first, 0, false);
  const after = clocks.now(3, false).time;
  clocks.clear();
  order.begin();
  order.acquire(flag, second, 0, 0, false);
  expect([order.isBefore(first, 3, time), order.isBefore(first, 3, after)]).toEqual([true, false]);
});

test("and handed on from block to block", () => {
  const clocks = new BlockClocks();
  const order = new BlockOrder(clocks);
  const { time } = clocks.now(0, false);
  clocks.fence(0, "device");
  order.release(flag, first, 0, false);
  clocks.clear();
  order.begin();
  order.acquire(flag, second, 1, 0, false);
  order.release(other, second, 1, false);
  clocks.clear();
  order.begin();
  order.acquire(other, third, 0, 0, false);
  expect(order.isBefore(first, 0, time)).toBe(true);
});

test("within a block a fence for the block will do", () => {
  const clocks = new BlockClocks();
  const order = new BlockOrder(clocks);
  const { time, interval } = clocks.now(0, false);
  clocks.fence(0, "block");
  order.release(flag, first, 0, true);
  expect(clocks.isBefore(0, 0, time, interval, 1, 0)).toBe(false);
  order.acquire(flag, first, 1, 0, true);
  expect(clocks.isBefore(0, 0, time, interval, 1, 0)).toBe(true);
});
