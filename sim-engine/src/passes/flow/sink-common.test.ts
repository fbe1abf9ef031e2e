import { expect, test } from "vitest";
import { diamond, runPasses } from "../testing/run-passes.ts";
import { convertBranches } from "./if-convert.ts";
import { simplifyCfg } from "./simplify-cfg.ts";
import { sinkCommon } from "./sink-common.ts";

test.each([
  [
    "one load, of one place or the other",
    "%20: ptr = gep %1, %4, scale 4, offset 0\n  %21: f32 = load.global %20, align 4",
    "%23: ptr = gep %1, %3, scale 4, offset 0\n  %22: f32 = load.global %23, align 4",
    /gep %1, %\d+, scale 4/,
    1,
  ],
  [
    "a load and what is done with it",
    "%20: ptr = gep %1, %4, scale 4, offset 0\n  %24: f32 = load.global %20, align 4\n  %21: f32 = fadd %24, %8",
    "%23: ptr = gep %1, %3, scale 4, offset 0\n  %25: f32 = load.global %23, align 4\n  %22: f32 = fadd %25, %8",
    /fadd/,
    1,
  ],
  [
    "not a load that is followed by a store",
    "%21: f32 = load.global %1, align 4\n  store.global %2, %8, align 4",
    "%20: ptr = gep %1, %3, scale 4, offset 0\n  %22: f32 = load.global %20, align 4",
    /branch/,
    2,
  ],
])("ways that end alike meet earlier: %s", (_, then, otherwise, expected, loads) => {
  const text = runPasses(diamond(then, otherwise).replace("%30: i32", "%30: f32"), sinkCommon, convertBranches, simplifyCfg);
  expect(text).toMatch(expected);
  expect(text.match(/load\.global/g)).toHaveLength(loads);
});
