import { expect, test } from "vitest";
import { arithmetic } from "./arithmetic.ts";
import type { Value } from "./model.ts";
import { bool, float, int, range, unknown } from "./values.ts";

const seven = int(7);

test.each<[string, Value, string, Value, Value]>([
  ["integer division truncates", int(-7), "/", int(2), int(-3)],
  ["int wraps", int(2147483647), "+", int(1), int(-2147483648)],
  ["unsigned wraps", int(0, "uint"), "-", int(1, "uint"), int(4294967295, "uint")],
  ["64 bits are exact", int(9007199254740993n, "long"), "*", int(3, "long"), int(27021597764222979n, "long")],
  ["a small type is promoted", int(200, "uchar"), "+", int(100, "uchar"), int(300)],
  ["a comparison is a bool", int(-1), "<", int(1, "uint"), bool(false)],
  ["a float stays one", float(1, "float"), "/", int(3), float(1 / 3, "float")],
  ["an integer is rounded to float first", int(24414825), "-", float(1, "float"), float(24414823, "float")],
  ["a shift has its left side's type", int(1), "<<", int(40, "long"), int(256)],
  ["a shift of 64 bits", int(1, "ulong"), "<<", int(40), int(1n << 40n, "ulong")],
  ["bits of 64-bit numbers", int(1n << 40n, "long"), "|", int(1, "long"), int((1n << 40n) + 1n, "long")],
  ["a range moves", range(0, 9, "int"), "+", seven, range(7, 16, "int")],
  ["a remainder is below its divisor", range(0, 1000, "int"), "%", seven, range(0, 6, "int")],
  ["a range may decide a comparison", range(0, 6, "int"), "<", seven, bool(true)],
])("%s", (_, a, op, b, expected) => expect(arithmetic(op, a, b)).toEqual(expected));

test("what cannot be told says why", () => {
  expect(arithmetic("/", seven, int(0))).toEqual(unknown("a division by zero"));
  expect(arithmetic("+", unknown("read from a file", undefined, ["n"]), seven)).toEqual(unknown("read from a file", undefined, ["n"]));
  expect(arithmetic("<", range(0, 9, "int"), seven).kind).toBe("unknown");
});
