import { expect, test } from "vitest";
import { runPasses, stored } from "../testing/run-passes.ts";
import { fold } from "./fold.ts";

test.each([
  ["x + 0", "%20: i32 = add %4, %5", /store\.global %2, %4/],
  ["x - 8 is x + -8", "%20: i32 = sub %4, %7", /= add %4, %\d+/],
  ["x * 8 is a shift", "%20: i32 = mul %4, %7", /= shl %4, %\d+/],
  [
    "two shifts that meet are a rotation",
    "%18: i32 = const 24\n%17: i32 = shl %4, %7\n%16: i32 = lshr %4, %18\n%20: i32 = or %17, %16",
    /= math\.funnel\.l\S* %4, %4, %7/,
  ],
  [
    "shifts that leave bits out are not",
    "%18: i32 = const 23\n%17: i32 = shl %4, %7\n%16: i32 = lshr %4, %18\n%20: i32 = or %17, %16",
    /= or %\d+, %\d+/,
  ],
  [
    "the low half that replaces a word's, seen from the high half",
    "%15: i32 = const -65536\n%16: i32 = const 65535\n%17: i32 = const 16\n%18: i32 = and %4, %15\n%19: i32 = and %3, %16\n%14: i32 = or %18, %19\n%20: i32 = lshr %14, %17",
    /= lshr %4, %17/,
  ],
  [
    "halves that replace both of a word's",
    "%15: i32 = const -65536\n%16: i32 = const 65535\n%18: i32 = and %4, %15\n%19: i32 = and %3, %16\n%14: i32 = or %18, %19\n%20: i32 = and %14, %16",
    /%20: i32 = and %3, %16|store\.global %2, %19/,
  ],
  ["x / 8 unsigned is a shift", "%20: i32 = udiv %4, %7", /= lshr %4, %\d+/],
  ["x % 8 unsigned is a mask", "%20: i32 = urem %4, %7", /= and %4, %\d+/],
  ["what is added above a mask is masked away", "%19: i32 = const 256\n%18: i32 = add %4, %19\n%20: i32 = urem %18, %7", /= and %4, %\d+/],
  ["what is added within it is not", "%19: i32 = const 260\n%18: i32 = add %4, %19\n%20: i32 = urem %18, %7", /= and %18, %\d+/],
  ["x / 8 signed stays: x may be negative", "%20: i32 = sdiv %4, %7", /= sdiv %4, %7/],
  ["(x & 255) / 8 signed is a shift", "%19: i32 = const 255\n%18: i32 = and %4, %19\n%20: i32 = sdiv %18, %7", /= lshr %18, %\d+/],
  ["x / y * y is x - x % y", "%19: i32 = sdiv %4, %3\n%20: i32 = mul.exact %19, %3", /= srem %4, %3[\s\S]*= sub %4, %\d+/],
  ["(x + 1) + 8 is x + 9", "%19: i32 = add %4, %6\n%20: i32 = add %19, %7", /const 9[\s\S]*= add %4, %\d+/],
  [
    "two exact steps are one exact step, whichever way they go",
    "%18: i32 = const -1\n%19: i32 = add.exact %4, %18\n%20: i32 = add.exact %19, %7",
    /const 7[\s\S]*= add\.exact %4, %\d+/,
  ],
  [
    "and none that a number of the type cannot say",
    "%18: i32 = const 2147483647\n%19: i32 = add.exact %4, %18\n%20: i32 = add.exact %19, %7",
    /= add %4, %\d+/,
  ],
  [
    "x - 1 < n is x <= n",
    "%18: i32 = const -1\n%17: i32 = add.exact %4, %18\n%19: i1 = icmp.slt %17, %3\n%20: i32 = select %19, %7, %3",
    /icmp\.sle %4, %3/,
  ],
  ["n >= x + 1 is x < n", "%17: i32 = add.exact %4, %6\n%19: i1 = icmp.sge %3, %17\n%20: i32 = select %19, %7, %3", /icmp\.sgt %3, %4/],
  [
    "x - 1 < n stays where it may wrap",
    "%18: i32 = const -1\n%17: i32 = add %4, %18\n%19: i1 = icmp.slt %17, %3\n%20: i32 = select %19, %7, %3",
    /icmp\.slt %17, %3/,
  ],
  ["8 > x is x < 8", "%19: i1 = icmp.sgt %7, %4\n%20: i32 = select %19, %4, %3", /icmp\.slt %4, %7/],
  [
    "x > n - 1 ? n - 1 : x is a minimum, though x is compared with n",
    "%18: i32 = const -1\n%17: i32 = add.exact %3, %18\n%19: i1 = icmp.sgt %4, %17\n%20: i32 = select %19, %17, %4",
    /= smin %17, %4/,
  ],
  [
    "x + 1 < 8 ? 8 : x + 1 is a maximum, though x is compared",
    "%17: i32 = add.exact %4, %6\n%19: i1 = icmp.slt %17, %7\n%20: i32 = select %19, %7, %17",
    /= smax /,
  ],
  ["x < 8 ? x : 9 is none", "%18: i32 = const 9\n%19: i1 = icmp.slt %4, %7\n%20: i32 = select %19, %4, %18", /= select /],
  ["x < n ? x : n is a minimum", "%19: i1 = icmp.slt %4, %3\n%20: i32 = select %19, %4, %3", /= smin %4, %3/],
  [
    "bytes that are compared as integers, and chosen as bytes",
    "%19: i8 = trunc %4\n%18: i8 = trunc %3\n%17: i32 = zext %19\n%16: i32 = zext %18\n%15: i1 = icmp.slt %17, %16\n%14: i8 = select %15, %18, %19\n%20: i32 = zext %14",
    /: i8 = umax %18, %19/,
  ],
  [
    "the smaller of two bytes, made a byte and widened again",
    "%19: i8 = trunc %4\n%18: i8 = trunc %3\n%17: i32 = zext %19\n%16: i32 = zext %18\n%15: i32 = smin %17, %16\n%14: i8 = trunc %15\n%21: i32 = zext %14\n%20: i32 = add %21, %7",
    /= add %15, %7/,
  ],
  [
    "not what may be more than a byte",
    "%19: i8 = trunc %4\n%17: i32 = zext %19\n%15: i32 = smax %17, %3\n%14: i8 = trunc %15\n%21: i32 = zext %14\n%20: i32 = add %21, %7",
    /zext %14[\s\S]*= add %21, %7/,
  ],
  ["constants", "%19: i32 = const -7\n%20: i32 = srem %19, %7", /store\.global %2, %19/],
])("folds %s", (_, ops, expected) => {
  expect(runPasses(stored("20", ops), fold)).toMatch(expected);
});

test.each([
  ["x / 4 is x * 0.25", "%19: f32 = const 4\n%20: f32 = sitofp %4\n%21: f32 = fdiv %20, %19", /const 0\.25[\s\S]*fmul/],
  ["x / 3 stays a division", "%19: f32 = const 3\n%20: f32 = sitofp %4\n%21: f32 = fdiv %20, %19", /fdiv %20, %19/],
  ["x + 0 stays: x may be -0", "%19: f32 = const 0\n%20: f32 = sitofp %4\n%21: f32 = fadd %20, %19", /fadd %20, %19/],
  ["x - 2 is x + -2", "%20: f32 = sitofp %4\n%21: f32 = fsub %20, %8", /const -2[\s\S]*fadd %20/],
])("folds %s", (_, ops, expected) => {
  expect(runPasses(stored("21", ops), fold)).toMatch(expected);
});

test("addresses: exact constants become offsets, what may wrap does not", () => {
  const load = (add: string): string =>
    runPasses(
      stored("22", `%20: i32 = ${add} %3, %7\n%21: ptr = gep %1, %20, scale 4, offset 0\n%22: f32 = load.global %21, align 4`),
      fold,
    );
  expect(load("add.exact")).toMatch(/gep %1, %3, scale 4[\s\S]*scale 1, offset 32/);
  expect(load("add")).toMatch(/add %3, %7[\s\S]*gep %1, %20, scale 4/);
});
