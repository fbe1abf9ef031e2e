import { createRequire } from "node:module";
import { expect, test } from "vitest";

const { Minimatch } = createRequire(import.meta.url)("./minimatch.cjs");

test.each([
  ["**/warplens.json", "/w/warplens.json", true],
  ["**/warplens.json", "/w/deep/er/warplens.json", true],
  ["**/warplens.json", "warplens.json", true],
  ["**/warplens.json", "c:\\w\\warplens.json", true],
  ["**/warplens.json", "/w/warplens_json", false],
  ["**/warplens.json", "/w/my-warplens.json", false],
  ["**/warplens.json", "/w/warplens.json/other", false],
  ["*.cu", "a.cu", true],
  ["*.cu", "b/a.cu", false],
  ["?.cu", "a.cu", true],
  ["a+(b).cu", "a+(b).cu", true],
])("%s and %s: %s", (pattern, path, matches) => {
  const matcher = new Minimatch(pattern);
  expect(matcher.makeRe()).toBeTruthy();
  expect(matcher.match(path)).toBe(matches);
});
