import { expect, test } from "vitest";
import { suggest } from "./suggest.ts";

test.each<[string, readonly string[], string | undefined]>([
  ["copi", ["copy", "fill"], "copy"],
  ["cpoy", ["copy"], "copy"],
  ["transposeP", ["transposePadded"], "transposePadded"],
  ["none", ["transpose"], undefined],
  ["", ["x"], "x"],
])("%s among %j: %s", (word, known, near) => expect(suggest(word, known)).toBe(near));

test("a word too long to be a slip is not compared", () => {
  const long = "x".repeat(1_000_000);
  expect(suggest(`${long}y`, [long])).toBeUndefined();
  expect(suggest("x", [long, "xy"])).toBe("xy");
});
