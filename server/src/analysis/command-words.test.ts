import { expect, test } from "vitest";
import { openQuote, splitWords } from "./command-words.ts";

test.each<[string, string[]]>([
  ["", []],
  ["  nvcc  -O3\ta.cu\n", ["nvcc", "-O3", "a.cu"]],
  [`-DNAME='"a b"' "c d"e 'f'`, ['-DNAME="a b"', "c de", "f"]],
  [String.raw`a\ b "c\"d" 'e\' \\`, ["a b", 'c"d', String.raw`e\ `.trim(), "\\"]],
  [`"" ''`, ["", ""]],
  [`say "an open quote`, ["say", "an open quote"]],
  ["ends with a backslash \\", ["ends", "with", "a", "backslash", "\\"]],
])("%j", (command, words) => expect(splitWords(command)).toEqual(words));

test.each([
  [`a "b c" 'd'`, ""],
  [`it's`, "'"],
  [`'"' "`, '"'],
  [String.raw`\' "\""`, ""],
])("the quote that %j leaves open: %j", (command, quote) => expect(openQuote(command)).toBe(quote));

test.each(['"a', "\\", "'\"", '"\\'])("megabytes of %j are one word or many, and no more work", (piece) => {
  const words = splitWords(piece.repeat(1_000_000));
  expect(words.join("").length).toBeLessThanOrEqual(piece.length * 1_000_000);
});
