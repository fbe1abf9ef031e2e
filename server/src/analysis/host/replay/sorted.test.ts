/** Numbers and pairs in order, whatever their types. */
import { expect, test } from "vitest";
import { isSortable, sortInPlace } from "./sorted.ts";

const pairs: readonly (readonly [number, number])[] = [
  [3, -1],
  [-2, 7],
  [3, -5],
  [0, 0],
  [-2, -7],
  [3, 2],
];

test("pairs by their first members, then by their second", () => {
  const [first, second] = [0, 1].map((k) => Int32Array.from(pairs, (pair) => pair[k] ?? 0));
  if (!first || !second) throw new Error("no members");
  expect(
    sortInPlace([
      { type: "int", values: first },
      { type: "int", values: second },
    ]),
  ).toBe(true);
  expect([...first].map((each, k) => [each, second[k]])).toEqual(pairs.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]));
});

test("without signs the largest are last", () => {
  const [first, second] = [Uint32Array.of(2 ** 31 + 5, 7, 7), Float64Array.of(1, 2 ** 32 - 1, 4)];
  sortInPlace([
    { type: "uint", values: first },
    { type: "uint", values: second },
  ]);
  expect([...first, ...second]).toEqual([7, 7, 2 ** 31 + 5, 4, 2 ** 32 - 1, 1]);
  expect(sortInPlace([{ type: "ulong", values: BigInt64Array.of(-1n, 3n) }])).toBe(false);
});

test("records of more, and of wide numbers, are not", () => {
  expect([
    isSortable(["float"]),
    isSortable(["int", "short"]),
    isSortable(["int", "float"]),
    isSortable(["int", "long"]),
    isSortable(["int", "int", "int"]),
  ]).toEqual([true, true, false, false, false]);
});
