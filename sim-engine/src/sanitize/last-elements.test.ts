import { describe, expect, test } from "vitest";
import type { Op } from "../ir/kernel.ts";
import { LastElements } from "./last-elements.ts";

const guard = {} as Op;

/** Blocks of 256 that go on by the whole grid. */
function gridStride(blocks: number, limit: number, step = 256 * blocks): readonly (readonly number[])[] {
  const seen = new LastElements([blocks, 1, 1]);
  for (const x of [blocks - 1, 0])
    for (let index = x * 256; ; index += step) {
      seen.compares(guard, [x, 0, 0], index, limit);
      if (index >= limit) break;
    }
  return seen.blocks;
}

describe("the block that comes to the last element", () => {
  test.each([
    [32, 50_000, [[3, 0, 0]]],
    [32, 8192 * 3 + 5 * 256, [[4, 0, 0]]],
    [32, 8192 * 3 + 5 * 256 + 1, [[5, 0, 0]]],
    // In the first or last one, which are looked at anyway.
    [32, 8192 * 3, []],
    [32, 8192 * 3 + 1, []],
    // Within the first turn.
    [32, 4000, [[15, 0, 0]]],
    [1, 4000, []],
  ])("%d blocks, %d elements", (blocks, limit, expected) => expect(gridStride(blocks, limit)).toEqual(expected));
  test("not where a turn goes on elsewhere", () => expect(gridStride(32, 50_000, 300)).toEqual([]));
  test("or with blocks to spare, along each axis and where they end together", () => {
    const [columns, rows] = [{}, {}] as [Op, Op];
    const seen = new LastElements([20, 8, 1]);
    for (const [x, y] of [
      [19, 7],
      [0, 0],
      [19, 0],
      [0, 7],
    ] as const) {
      seen.compares(columns, [x, y, 0], x * 64, 13 * 64);
      seen.compares(rows, [x, y, 0], y, 5);
    }
    expect(seen.blocks).toEqual([
      [12, 0, 0],
      [0, 4, 0],
      [12, 4, 0],
    ]);
  });
});
