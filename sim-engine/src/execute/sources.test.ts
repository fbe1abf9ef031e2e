import fc from "fast-check";
import { expect, test } from "vitest";
import { type Content, type ScalarType, scalarBytes } from "../ir/kernel.ts";
import { readScalar } from "./scalars.ts";
import { plainContents } from "./sources.ts";

const contents: readonly Content[] = [
  { kind: "zero" },
  { kind: "constant", value: -3 },
  { kind: "linear", start: 5, stride: 3 },
  { kind: "uniform", lo: -100, hi: 100 },
  { kind: "permutation", n: 1000 },
  { kind: "bytes", value: 0xa5 },
];
const types: readonly ScalarType[] = ["i8", "i16", "i32", "i64", "f32", "f64"];

test("a value of any type is made of the bytes that stand there, whatever the elements are and wherever it begins", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...contents),
      fc.constantFrom(...types),
      fc.constantFrom(...types),
      fc.nat(4000),
      (content, element, type, offset) => {
        const source = plainContents.source(content, element, 7);
        const size = scalarBytes[type];
        // A value of their own type is made without going through bytes: see below.
        fc.pre(type !== element || offset % size !== 0);
        const bytes = new DataView(new ArrayBuffer(8));
        for (let k = 0; k < size; k++) bytes.setInt8(k, Number(source.read(offset + k, "i8")));
        expect(source.read(offset, type)).toEqual(readScalar(bytes, 0, type));
      },
    ),
    { numRuns: 2000 },
  );
});

test("a value of the elements' own type is what storing it and reading it back gives", () => {
  for (const content of contents)
    for (const element of types.filter((type) => type !== "i64" && type !== "f64")) {
      const source = plainContents.source(content, element, 7);
      const page = new DataView(new ArrayBuffer(1024));
      source.fill?.(page, 2048);
      for (let at = 0; at < 1024; at += scalarBytes[element])
        expect([at, source.read(2048 + at, element)]).toEqual([at, readScalar(page, at, element)]);
    }
});

test("a permutation has an element before the buffer's beginning, too, as a kernel may read there; one of nothing is zeros", () => {
  fc.assert(
    fc.property(fc.integer({ min: -2, max: 70_000 }), fc.integer({ min: -200_000, max: 200_000 }), (n, index) => {
      const value = plainContents.source({ kind: "permutation", n }, "i32", 7).read(4 * index, "i32");
      expect(value).toBeGreaterThanOrEqual(0);
      expect(value).toBeLessThan(Math.max(1, n));
    }),
  );
});

test("a record's numbers stand where its members do, at any width, and zero between them", () => {
  const source = plainContents.source(
    {
      kind: "records",
      bytes: 16,
      members: [
        { offset: 0, element: "f32", content: { kind: "values", values: [1.5, -2] } },
        { offset: 4, element: "i16", content: { kind: "linear", start: 7, stride: 3 } },
        { offset: 8, element: "i64", content: { kind: "constant", value: 2 ** 33 + 5 } },
      ],
    },
    "i32",
    1,
  );
  expect([0, 16].map((offset) => source.read(offset, "f32"))).toEqual([1.5, -2]);
  expect([4, 6, 20, 36].map((offset) => source.read(offset, "i16"))).toEqual([7, 0, 10, 13]);
  expect([8, 12, 24].map((offset) => source.read(offset, "i32"))).toEqual([5, 2, 5]);
  // Two members in one word, and a word of two halves of others.
  expect(source.read(0, "i64")).toBe((7n << 32n) | 0x3fc00000n);
  expect(source.read(6, "i32")).toBe(5 << 16);
});
