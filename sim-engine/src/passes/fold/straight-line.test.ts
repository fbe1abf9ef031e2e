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

const loads = (index: string, more = ""): string =>
  runPasses(
    stored("28", `${index}\n%21: f32 = load.global %20, align 4\n${more}%24: f32 = load.global %23, align 4\n%28: f32 = fadd %21, %24`),
    reduceStraightLine,
  );

test("constants are found wherever in a sum they are", () => {
  const text = loads(
    "%16: i32 = const 8\n%17: i32 = add.exact %4, %3\n%20: ptr = gep %1, %17, scale 4, offset 0",
    "%18: i32 = add.exact %4, %16\n%19: i32 = add.exact %18, %3\n%23: ptr = gep %1, %19, scale 4, offset 0\n",
  );
  expect(text).toMatch(/gep %\d+, %\d+, scale 1, offset 32/);
});

/** Rows of a matrix by an index of 64 bits: the row, one that is eight further, and one above. */
const row = (at: string, sum: string): string =>
  loads(
    "%11: i32 = const 8\n%12: i64 = sext %3\n%13: i64 = sext %4\n%14: i64 = mul %13, %12\n%20: ptr = gep %1, %14, scale 4, offset 0",
    `%15: i32 = add.exact %4, %11\n%16: i64 = sext %15\n%17: i64 = ${at}\n%18: i64 = ${sum}\n%23: ptr = gep %1, %18, scale 4, offset 0\n`,
  );

test("a row some rows on is a multiple of the pitch away, by 64 bits as well", () => {
  expect(row("mul %16, %12", "add %17, %13")).not.toMatch(/gep %20/);
  expect(row("mul %16, %12", "mul %16, %12")).toMatch(/gep %20, %\d+, scale 4/);
});

test("of 64 bits sums alone are left as they are", () => {
  expect(row("add %14, %12", "add %14, %12")).not.toMatch(/gep %20/);
});
