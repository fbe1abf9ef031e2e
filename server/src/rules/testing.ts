/**
 * Tables of cases for rules. In the code of a `found` case a line of carets marks the range found in the line above it;
 * words after the carets must be in the message:
 *
 *     x = x * 0.5;
 *     //      ^^^ double-precision
 */
import { describe, expect, test } from "vitest";
import { type Diagnostic, lint, type Range } from "../lint.ts";
import type { Program } from "../analysis/facts.ts";
import type { Rule, SimulatedLaunch } from "./rule.ts";

export interface Found {
  readonly code: string;
  /** The code with every safe fix applied; without it there must be none. */
  readonly fixed?: string;
  /** The code with every fix applied, where some are unsafe; without it all must be safe. */
  readonly unsafe?: string;
}

export interface Cases {
  readonly clean: Readonly<Record<string, string>>;
  readonly found: Readonly<Record<string, Found>>;
}

/** How the cases of a rule become programs, and what is simulated of them. */
export interface Setting {
  analyse(code: string): Program;
  simulate?(program: Program): readonly SimulatedLaunch[];
}

interface Mark {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly words: string;
}

/** Parts a marked code into the code alone and its marks. */
export function readMarks(marked: string): { readonly code: string; readonly marks: readonly Mark[] } {
  const lines: string[] = [];
  const marks: Mark[] = [];
  for (const text of marked.split("\n")) {
    const match = /^([ \t]*\/\/[ \t]*)(\^+)(.*)$/.exec(text) ?? /^()(\/\/\^+)(.*)$/.exec(text);
    if (!match) {
      lines.push(text);
      continue;
    }
    const [, before = "", carets = "", words = ""] = match;
    marks.push({ line: lines.length - 1, start: before.length, end: before.length + carets.length, words: words.trim() });
  }
  return { code: lines.join("\n"), marks };
}

/** Registers the tests of a rule's table. */
export function testRule(rule: Rule, { clean, found }: Cases, { analyse, simulate }: Setting): void {
  const findings = (code: string): Diagnostic[] => {
    const program = analyse(code);
    return lint(program, simulate?.(program), { select: [rule.id] });
  };
  describe(rule.id, () => {
    test.each(Object.entries(clean))("clean: %s", (_, code) => {
      expect(findings(code).map(({ range, message }) => `${range.start.line + 1}: ${message}`)).toEqual([]);
    });
    test.each(Object.entries(found))("found: %s", (_, { code: marked, fixed, unsafe }) => {
      const { code, marks } = readMarks(marked);
      const diagnostics = findings(code);
      expect(diagnostics.map(({ range }) => rangeText(range))).toEqual(
        marks.map(({ line, start, end }) => rangeText({ start: { line, character: start }, end: { line, character: end } })),
      );
      for (const [index, { words }] of marks.entries()) expect(diagnostics[index]?.message).toContain(words);
      expect(applied(code, diagnostics, true)).toBe(fixed ?? code);
      expect(applied(code, diagnostics, false)).toBe(unsafe ?? fixed ?? code);
    });
  });
}

const rangeText = ({ start, end }: Range): string => `${start.line}:${start.character}-${end.line === start.line ? "" : `${end.line}:`}${end.character}`;

function applied(code: string, diagnostics: readonly Diagnostic[], safeOnly: boolean): string {
  const lines = code.split("\n");
  const offset = ({ line, character }: Range["start"]): number => lines.slice(0, line).reduce((sum, text) => sum + text.length + 1, 0) + character;
  const edits = diagnostics.flatMap(({ fixes }) => fixes.filter(({ safe }) => safe || !safeOnly).flatMap((fix) => fix.edits));
  return edits
    .map(({ range, newText }) => ({ start: offset(range.start), end: offset(range.end), newText }))
    .sort((a, b) => b.start - a.start)
    .reduce((text, { start, end, newText }) => text.slice(0, start) + newText + text.slice(end), code);
}
