import { expect, test } from "vitest";
import { contentPolicy } from "./policy.ts";

test("the page loads the bundled script and style, and does nothing else", () => {
  const directives = new Map(
    contentPolicy("https://own.invalid", "a1b2")
      .split(";")
      .map((directive) => directive.trim().split(" "))
      .map(([name = "", ...sources]) => [name, sources]),
  );
  // What is not named falls back to the first; these two do not.
  expect(Object.fromEntries(directives)).toEqual({
    "default-src": ["'none'"],
    "base-uri": ["'none'"],
    "form-action": ["'none'"],
    "style-src": ["https://own.invalid"],
    "script-src": ["'nonce-a1b2'"],
  });
});
