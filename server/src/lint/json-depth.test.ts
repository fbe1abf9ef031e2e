import { parseTree } from "jsonc-parser";
import { expect, test } from "vitest";
import { tooDeepAt } from "./json-depth.ts";

const nested = (levels: number): string => `${"[".repeat(levels)}1${"]".repeat(levels)}`;

test.each<[string, string, number | undefined]>([
  ["nothing", "", undefined],
  ["as deep as may be", nested(100), undefined],
  ["a level more", nested(101), 100],
  ["objects", '{"a":'.repeat(101), 500],
  ["many beside each other", `[${"[],".repeat(10_000)}{}]`, undefined],
  ["brackets in texts and comments", `["${"[".repeat(500)}" /* ${"{".repeat(500)} */, // ${"[".repeat(500)}\n1]`, undefined],
  ["what is no JSON", `${"]".repeat(500)}"${"[".repeat(500)}\n'${"x".repeat(500)}`, undefined],
  ["a hundred thousand", "[".repeat(100_000), 100],
])("%s", (_, text, offset) => expect(tooDeepAt(text)?.offset).toBe(offset));

test("what is not too deep is parsed", () => expect(parseTree(nested(100))).toBeDefined());
