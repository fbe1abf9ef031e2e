import { describe, expect, test } from "vitest";
import { LikeBlocks } from "./like-blocks.ts";

const places = (run: readonly number[], offset: number, start = 0, bytes = 1024): number[] => [
  ...new LikeBlocks({ start, bytes }, run).placesLike(offset),
];

describe("where blocks like the one that stores to a byte store the same", () => {
  test("those that agree in more of their last bits come first, of these the nearest", () => {
    // Block 33 agrees with 17 and 65 in four bits, with 41 in three, with 35 in one.
    expect(places([65, 17, 35, 41], 33 * 1024 + 8).map((at) => (at - 8) / 1024)).toEqual([17, 65, 41, 35]);
  });

  test("stretches may begin before a block's number says", () => {
    expect(places([5], 21 * 1024 - 4, -4)).toEqual([5 * 1024 - 4]);
    // A byte before that is block 20's.
    expect(places([4], 21 * 1024 - 5, -4)).toEqual([5 * 1024 - 5]);
  });

  test("there are none where none was run", () => expect(places([], 4096)).toEqual([]));
});
