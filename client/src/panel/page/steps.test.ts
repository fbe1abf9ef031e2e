import { expect, test } from "vitest";
import { type StepKind, stepped, typed } from "./steps.ts";

test.each<[StepKind, readonly number[]]>([
  ["threads", [1, 2, 4, 8, 16, 32, 64, 96, 128]],
  ["doubling", [1, 2, 4, 8]],
  ["one", [-1, 0, 1]],
  ["registers", [8, 16, 24]],
  ["bytes", [0, 1024, 2048]],
])("%s: up and down the same way", (kind, values) => {
  expect(values.slice(0, -1).map((value) => stepped(kind, value, 1))).toEqual(values.slice(1));
  expect(values.slice(1).map((value) => stepped(kind, value, -1))).toEqual(values.slice(0, -1));
});

test.each<[StepKind, number, 1 | -1, number]>([
  ["threads", 250, 1, 256],
  ["threads", 250, -1, 224],
  ["threads", 1, -1, 1],
  ["doubling", 0, 1, 1],
  ["registers", 8, -1, 8],
  ["bytes", 100, -1, 0],
  ["real", 1, -1, 0.5],
  ["real", 0, 1, 1],
])("%s %d by %d is %d", (kind, value, direction, next) => expect(stepped(kind, value, direction)).toBe(next));

test.each<[string, number | undefined]>([
  ["256", 256],
  [" 1,048,576 ", 1048576],
  ["1<<20", 1048576],
  ["2^10", 1024],
  ["4 * 1024", 4096],
  ["-1.5e3", -1500],
  ["", undefined],
  ["n", undefined],
  ["1<<2<<3", undefined],
  ["9^9999", undefined],
])("%j is %s", (text, value) => expect(typed(text)).toBe(value));
