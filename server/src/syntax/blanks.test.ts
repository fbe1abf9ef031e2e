import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { alignment, withoutExtraBlanks } from "./blanks.ts";

describe("texts without extra blanks", () => {
  it.each([
    ["runs of blanks", "int  x ;", "int x ;"],
    ["blanks around", "  f(); \n", "f();"],
    ["lines apart", "a;\n\n\n  b;", "a;\n b;"],
    ["what a comment was", "a;        \n        \n b;", "a;\nb;"],
  ])("%s are the same", (_, a, b) => expect(withoutExtraBlanks(a)).toBe(withoutExtraBlanks(b)));

  it.each([
    ["a blank more between operators", "a + +b", "a ++b"],
    ["words run together", "int x", "intx"],
    ["a line parted", "a; b;", "a;\nb;"],
    ["blanks in a string", 's = "a  b";', 's = "a b";'],
    ["blanks in a raw string", 'R"x(a  b)x"', 'R"x(a b)x"'],
    ["a blank as a character", "c = ' ';", "c = '  ';"],
  ])("%s makes a difference", (_, a, b) => expect(withoutExtraBlanks(a)).not.toBe(withoutExtraBlanks(b)));

  it("lead from one to the other", () => {
    const words = fc.array(fc.constantFrom("int", "x", "=", "1;", "f(", ")", "{", "}"), { minLength: 1, maxLength: 12 });
    const gaps = fc.array(fc.constantFrom(" ", "  ", "\t ", "   "), { minLength: 12, maxLength: 12 });
    fc.assert(
      fc.property(words, gaps, gaps, (parts, some, others) => {
        const spread = (blanks: readonly string[]): string => parts.map((part, index) => part + blanks[index]).join("");
        const [before, after] = [spread(some), spread(others)];
        expect(withoutExtraBlanks(before)).toBe(withoutExtraBlanks(after));
        const offsets = alignment(before, after);
        for (let at = 0; at < before.length; at++) if (before[at]?.trim()) expect(after[offsets[at] ?? -1]).toBe(before[at]);
        expect(offsets[before.length]).toBe(after.length);
      }),
      { seed: 3 },
    );
  });
});
