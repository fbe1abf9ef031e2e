import { expect, test } from "vitest";
import { mergeEqualValues } from "../fold/gvn.ts";
import { common, runPasses } from "../testing/run-passes.ts";
import { offsetFragments } from "./fragment-offsets.ts";

/** Two fragments 64 bytes apart, each loaded at its address and the lane's place. */
const fragments = (space: string): string =>
  runPasses(
    `${common}
  %10: i32 = special laneid
  %11: i32 = const 0
  %12: ptr = gep %1, %11, scale 1, offset 64
  %13: ptr = gep %1, %10, scale 4, lane
  %14: f32 = load.${space} %13, align 4
  %15: ptr = gep %12, %10, scale 4, lane
  %16: f32 = load.${space} %15, align 4
  store.global %2, %14, align 4
  store.global %2, %16, align 4`,
    offsetFragments,
    mergeEqualValues,
  );

test("fragments at generic addresses have the lane's place added once, and their distance in the load", () => {
  const text = fragments("generic");
  expect(text.match(/, lane/g)?.length).toBe(1);
  expect(text).toMatch(/= gep %\d+, %\d+, scale 1, offset 64/);
});

test("those in shared memory keep an address each", () => expect(fragments("shared").match(/, lane/g)?.length).toBe(2));
