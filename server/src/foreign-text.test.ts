import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { code, label, literal, prose, row, visible, visibleName } from "./foreign-text.ts";
import { hostile, isVisible, read, tableRows } from "./testing/hostile.ts";

const named = hostile.map((text) => [JSON.stringify(text.slice(0, 60)), text] as const);
/** Texts of what means something to somebody, and others. */
const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(fc.constantFrom(..."`\\|[]()!<>*_&#$~@:/.-+= 1aw\n\t\u202E\u001B", "https://", "www.", "command:", "](", "$("), {
      maxLength: 40,
    })
    .map((parts) => parts.join("")),
  fc.tuple(fc.constantFrom(...hostile.filter(({ length }) => length < 500)), fc.string()).map((parts) => parts.join("")),
);
const blanks = (text: string): string => text.replace(/\s+/g, " ").trim();
const of = (...kinds: readonly string[]) => new Set(kinds);

describe("visible", () => {
  test.each([
    ["a\r\nb\nc\td", "a b c d"],
    ["\u202Etxt", "\\u{202e}txt"],
    ["\u001B[31m", "\\u{1b}[31m"],
    ["\uD800x", "\\u{d800}x"],
    ["größer 漢字 😀", "größer 漢字 😀"],
    ["😀".repeat(200), `${"😀".repeat(50)}…${"😀".repeat(49)}`],
  ])("%j as %j", (text, shown) => {
    expect(visible(text, text.startsWith("😀") ? 200 : undefined)).toBe(shown);
  });
  test.each(named)("%s", (_, text) => {
    expect(isVisible(visible(text))).toBe(true);
    expect(visible(text).length).toBeLessThanOrEqual(2000);
    expect(visible(visible(text))).toBe(visible(text));
  });
  test("any", () => fc.assert(fc.property(anyText, (text) => isVisible(visible(text)))));
  test("a name is short", () => expect(visibleName("x".repeat(100_000))).toHaveLength(200));
});

describe("in Markdown", () => {
  const isCode = (text: string) => {
    const { kinds, text: shown } = read(`the ${code(text)}.`);
    expect([...kinds].every((kind) => of("paragraph", "text", "codespan", "escape").has(kind))).toBe(true);
    expect(blanks(shown)).toBe(blanks(`the ${visibleName(text)}.`));
  };
  test.each(named)("code %s", (_, text) => isCode(text));
  test("code of any text", () => fc.assert(fc.property(anyText, isCode), { numRuns: 500 }));

  const isLiteral = (text: string) => {
    for (const before of ["", "the "]) {
      const { kinds, text: shown } = read(`${before}${literal(text)}`);
      const wanted = of("paragraph", "text", "escape", "space");
      if (/^\s{4}/.test(visible(text))) wanted.add("code");
      expect([...kinds].filter((kind) => !wanted.has(kind))).toEqual([]);
      if (!kinds.has("code")) expect(blanks(shown)).toBe(blanks(`${before}${visible(text)}`));
    }
  };
  test.each(named)("literal %s", (_, text) => isLiteral(text));
  test("any literal text", () => fc.assert(fc.property(anyText, isLiteral), { numRuns: 500 }));

  const isProse = (text: string) => {
    const { kinds } = read(`Because ${prose(text)}`);
    expect([...kinds].filter((kind) => !of("paragraph", "text", "escape", "codespan", "space").has(kind))).toEqual([]);
  };
  test.each(named)("prose %s", (_, text) => {
    isProse(text);
    isProse(`contents of \`${text}\` as they were`);
  });
  test("any prose", () => fc.assert(fc.property(anyText, isProse), { numRuns: 500 }));
  test("prose keeps the marks of code", () => expect(prose("`n` is *not* `a < b`: why")).toBe("`n` is \\*not\\* `a < b`: why"));

  const isOneCell = (text: string) => {
    for (const made of [code(text), literal(text), prose(text)]) {
      // More columns than cells: what breaks out of its cell is seen in the next.
      const table = ["| a | b | c | d |", "| --- | --- | --- | --- |", row("x", made), row("y", "z")].join("\n");
      expect([...read(table).kinds].filter((kind) => !of("table", "text", "escape", "codespan").has(kind))).toEqual([]);
      expect(tableRows(table)?.map(([first, _, ...others]) => [first, ...others])).toEqual([
        ["x", "", ""],
        ["y", "", ""],
      ]);
      expect(table.split("\n")).toHaveLength(4);
    }
  };
  test.each(named)("a cell with %s", (_, text) => isOneCell(text));
  test("a cell with any text", () => fc.assert(fc.property(anyText, isOneCell), { numRuns: 500 }));
});

test.each(named)("a label with %s has no icon and no link", (_, text) => {
  expect(label(text)).not.toMatch(/\$\(|\]\(/);
  expect(isVisible(label(text))).toBe(true);
});
