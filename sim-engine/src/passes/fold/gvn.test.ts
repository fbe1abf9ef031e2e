import { expect, test } from "vitest";
import { runPasses, stored } from "../testing/run-passes.ts";
import { mergeEqualValues } from "./gvn.ts";

test("equal values are computed once, in dominating blocks too", () => {
  const text = runPasses(stored("22", "%20: i32 = add %4, %3\n%21: i32 = add %3, %4\n%22: i32 = mul %20, %21"), mergeEqualValues);
  expect(text).toMatch(/mul %20, %20/);
});
