import { expect, test } from "vitest";
import { common, runPasses, stored } from "../testing/run-passes.ts";
import { mergeEqualValues } from "./gvn.ts";

test("equal values are computed once, in dominating blocks too", () => {
  const text = runPasses(stored("22", "%20: i32 = add %4, %3\n%21: i32 = add %3, %4\n%22: i32 = mul %20, %21"), mergeEqualValues);
  expect(text).toMatch(/mul %20, %20/);
});

test("what two phis of a loop hold is one value where nothing else tells them apart", () => {
  const loop = (start: number): string => `b0:${common}
  jump b1
b1:
  %10: i32 = phi [%5, b0], [%14, b3]
  %11: i32 = phi [%${start}, b0], [%15, b3]
  %12: i1 = icmp.slt %10, %3
  branch %12, b2, b3
b2:
  %13: i32 = add %10, %6
  jump b3
b3:
  %14: i32 = phi [%10, b1], [%13, b2]
  %15: i32 = phi [%11, b1], [%13, b2]
  %16: i1 = icmp.slt %14, %3
  branch %16, b1, b4
b4:
  %17: i32 = mul %14, %15
  store.global %2, %17, align 4
  return`;
  expect(runPasses(loop(5), mergeEqualValues)).toMatch(/mul %14, %14/);
  expect(runPasses(loop(6), mergeEqualValues)).toMatch(/mul %14, %15/);
});

test("what goes round a loop in phis and selections is the one value that comes in", () => {
  const loop = (kept: number): string => `b0:${common}
  jump b1
b1:
  %10: i32 = phi [%5, b0], [%14, b3]
  %11: i32 = phi [%6, b0], [%15, b3]
  %12: i1 = icmp.slt %10, %3
  branch %12, b2, b3
b2:
  %13: i32 = select %12, %11, %${kept}
  jump b3
b3:
  %14: i32 = add %10, %6
  %15: i32 = phi [%11, b1], [%13, b2]
  %16: i1 = icmp.slt %14, %15
  branch %16, b1, b4
b4:
  store.global %2, %15, align 4
  return`;
  expect(runPasses(loop(6), mergeEqualValues)).toMatch(/store.global %2, %6/);
  expect(runPasses(loop(5), mergeEqualValues)).toMatch(/store.global %2, %15/);
});

test("a value that an inner loop hands round is seen though the outer loop changes it", () => {
  const text = `b0:${common}
  jump b1
b1:
  %10: i32 = phi [%5, b0], [%20, b5]
  jump b2
b2:
  %11: i32 = phi [%10, b1], [%13, b4]
  %12: i1 = icmp.slt %11, %3
  branch %12, b3, b4
b3:
  jump b4
b4:
  %13: i32 = phi [%11, b2], [%11, b3]
  %14: i1 = icmp.slt %13, %6
  branch %14, b2, b5
b5:
  %20: i32 = select %14, %10, %6
  %21: i1 = icmp.slt %20, %3
  branch %21, b1, b6
b6:
  store.global %2, %13, align 4
  return`;
  expect(runPasses(text, mergeEqualValues)).toMatch(/store.global %2, %10/);
});
