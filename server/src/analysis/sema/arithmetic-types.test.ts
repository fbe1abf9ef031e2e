import { expect, test } from "vitest";
import { commonName, integerShape, promotedName, wrapInteger } from "./arithmetic-types.ts";
import type { FloatName, IntegerName } from "./types.ts";

const integers = Object.keys(integerShape) as IntegerName[];

test.each<[IntegerName | FloatName, IntegerName | FloatName, IntegerName | FloatName]>([
  ["char", "short", "int"],
  ["bool", "bool", "int"],
  ["uchar", "int", "int"],
  ["int", "uint", "uint"],
  ["uint", "long", "long"],
  ["ulong", "longlong", "ulonglong"],
  ["long", "longlong", "longlong"],
  ["ulong", "long", "ulong"],
  ["ulonglong", "float", "float"],
  ["half", "int", "half"],
  ["float", "double", "double"],
])("%s and %s become %s", (a, b, common) => {
  expect(commonName(a, b)).toBe(common);
  expect(commonName(b, a)).toBe(common);
});

test("a type and itself become what it is promoted to", () => {
  for (const name of integers) expect(commonName(name, name)).toBe(promotedName(name));
});

test("wrapping keeps the low bits, and what is in range", () => {
  for (const name of integers.filter((each) => each !== "bool")) {
    const { bits, signed } = integerShape[name];
    const most = (1n << BigInt(signed ? bits - 1 : bits)) - 1n;
    expect(wrapInteger(most, name)).toBe(most);
    expect(wrapInteger(most + 1n, name)).toBe(signed ? -most - 1n : 0n);
    expect(BigInt.asUintN(bits, wrapInteger(-5n, name))).toBe(BigInt.asUintN(bits, -5n));
  }
  expect(wrapInteger(256n, "bool")).toBe(1n);
});
