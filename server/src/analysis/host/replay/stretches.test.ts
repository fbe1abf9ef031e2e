/** What is known of arrays all at once. */
import { expect, test } from "vitest";
import { coverAll, type Held, stretchesOf } from "./stretches.ts";

const held = (content: Held["content"], more: Partial<Held> = {}): Held => ({
  content,
  type: "int",
  elementBytes: 4,
  length: 6,
  invents: false,
  ...more,
});
const seen = (of: Held) =>
  stretchesOf(of).flatMap(({ from, to, numbers, first }) =>
    Array.from({ length: to - from }, (_, k): readonly [number, number] => [
      from + k,
      typeof numbers === "number" ? numbers : typeof numbers === "function" ? numbers(first + k) : (numbers[first + k] ?? Number.NaN),
    ]),
  );

test.each<readonly [string, Held, readonly number[]]>([
  ["the same all over", held({ kind: "constant", value: -1 }), [-1, -1, -1, -1, -1, -1]],
  ["steps", held({ kind: "linear", start: 5, stride: -2 }), [5, 3, 1, -1, -3, -5]],
  ["rounds", held({ kind: "cyclic", start: 2, stride: 1, modulus: 4 }), [2, 3, 0, 1, 2, 3]],
  ["a table", held({ kind: "values", values: [4, 8, 15, 16, 23, 42, 99] }), [4, 8, 15, 16, 23, 42]],
  [
    "parts",
    held({
      kind: "parts",
      parts: [
        { from: 0, to: 8, origin: 0, content: { kind: "zero" } },
        { from: 8, to: 24, origin: 4, content: { kind: "values", values: [1, 2, 3, 4, 5] } },
      ],
    }),
    [0, 0, 2, 3, 4, 5],
  ],
  ["numbers beside a content", held({ kind: "uniform", lo: 0, hi: 9 }, { numbers: [1, 2, 3, 4, 5, 6] }), [1, 2, 3, 4, 5, 6]],
])("%s", (_, of, values) => {
  expect(seen(of)).toEqual(values.map((value, k) => [k, value]));
  expect(coverAll(stretchesOf(of), of.length)).toBe(true);
});

test.each<readonly [string, Held]>([
  ["numbers that are of another type", held({ kind: "values", values: [1, 2, 3, 4, 5, 2 ** 33] })],
  ["steps that leave the type", held({ kind: "linear", start: 2 ** 31 - 3, stride: 1 })],
  ["a table that ends before", held({ kind: "values", values: [1, 2, 3] })],
  ["what stands for the program's", held({ kind: "values", values: [1, 2, 3, 4, 5, 6], drawn: true })],
  ["bounds", held({ kind: "uniform", lo: 0, hi: 9 })],
])("nothing of %s", (_, of) => {
  expect([stretchesOf(of), coverAll(stretchesOf(of), of.length)]).toEqual([[], false]);
});

test("of parts what is known between others that are not", () => {
  const content: Held["content"] = {
    kind: "parts",
    parts: [
      { from: 0, to: 8, origin: 0, content: { kind: "unknown" } },
      { from: 8, to: 16, origin: 8, content: { kind: "constant", value: 7 } },
    ],
  };
  expect(seen(held(content))).toEqual([
    [2, 7],
    [3, 7],
  ]);
});
