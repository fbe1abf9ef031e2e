import { expect, test } from "vitest";
import { cellsOf, recordsOf } from "./records.ts";

test.each<[string, string[] | undefined]>([
  ['"a","b"', ["a", "b"]],
  ['"a, b","c ""d"""', ["a, b", 'c "d"']],
  ["a,b", ["a", "b"]],
  [",".repeat(49_999), Array(50_000).fill("")],
  [",".repeat(50_000), undefined],
  ['"a",', ["a", ""]],
  ['"",""', ["", ""]],
  ['"a', undefined],
  ['"a"b,"c"', undefined],
  ['a"b,c', undefined],
])("%.40s", (line, cells) => {
  expect(cellsOf(line)).toEqual(cells);
});

test("records keep their rows; what the profiler and the program print between them is none, and one that is cut off has no cells", () => {
  const text = '\uFEFF"a","b"\r\n==PROF== Connected, to 1\n\nhello\nx "1", y\n"c","d"\n"e","f\n"g\n"h"';
  expect([...recordsOf(text)]).toEqual([
    { row: 1, cells: ["a", "b"] },
    { row: 6, cells: ["c", "d"] },
    { row: 7, cells: [] },
    { row: 8, cells: [] },
  ]);
});
