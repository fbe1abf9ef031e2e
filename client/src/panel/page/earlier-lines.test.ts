import { expect, test } from "vitest";
import { earlierLines } from "./earlier-lines.ts";

const lines = (text: string) => text.split("|").flatMap((each, index) => (each === "" ? [] : [{ line: index + 1, text: each }]));
const found = (before: string, now: string) =>
  Object.fromEntries([...earlierLines(lines(before), lines(now))].map(([line, was]) => [line, was.text]));

test.each([
  ["the same text", "a|b|c", "a|b|c", { 1: "a", 2: "b", 3: "c" }],
  ["lines above", "a|b", "||a|b", { 3: "a", 4: "b" }],
  ["a line between", "a|b", "a|new|b", { 1: "a", 3: "b" }],
  ["a line written anew", "a|b|c", "a|other|c", { 1: "a", 2: "b", 3: "c" }],
  ["the first one written anew, below a new line", "a|b", "|other|b", { 2: "a", 3: "b" }],
  ["a line that is gone", "a|b|c", "a||c", { 1: "a", 3: "c" }],
  ["lines that read alike keep their order", "x|a|x", "x|a|x|x", { 1: "x", 2: "a", 3: "x" }],
  ["another text altogether, line by line", "a|b", "c|d", { 1: "a", 2: "b" }],
  ["nothing before", "", "a", {}],
])("%s", (_, before, now, expected) => expect(found(before, now)).toEqual(expected));
