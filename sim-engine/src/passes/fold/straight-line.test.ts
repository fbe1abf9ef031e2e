import { expect, test } from "vitest";
import { runPasses, stored } from "../testing/run-passes.ts";
import { reduceStraightLine } from "./straight-line.ts";

test("a neighbouring row is an addition away", () => {
  const text = runPasses(
    stored(
      "28",
      "%20: ptr = gep %1, %4, scale 4, offset 0\n%21: f32 = load.global %20, align 4\n%22: i32 = add.exact %4, %3\n%23: ptr = gep %1, %22, scale 4, offset 0\n%24: f32 = load.global %23, align 4\n%28: f32 = fadd %21, %24",
    ),
    reduceStraightLine,
  );
  expect(text).toMatch(/gep %20, %3, scale 4/);
});
