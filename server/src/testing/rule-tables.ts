/**
 * Tables of cases for rules. In the code of a `found` case a line of carets marks the range found in the line above it;
 * words after the carets must be in the message:
 *
 *     x = x * 0.5;
 *     //      ^^^ double-precision
 */
import { findGpu } from "@warplens/sim-engine";
import { beforeAll, describe, expect, test } from "vitest";
import { analyze } from "../analysis/analyze.ts";
import type { Program } from "../analysis/facts.ts";
import type { AnalysisSettings } from "../analysis/settings.ts";
import { loadGrammarFromDisk } from "../grammar.ts";
import { type Diagnostic, lint, type PositionRange } from "../lint.ts";
import type { Rule } from "../rules/rule.ts";
import { refusedIn, simulateProgram } from "../simulate.ts";

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

const settings: AnalysisSettings = { computeCapability: 90, defines: [], includeDirs: [], launches: [], assume: [], argv: [] };

/** A program of one file. The grammar must be loaded. */
export const analyseCode = (code: string): Program => analyze("/project/case.cu", code, settings, { read: () => undefined });

/** The findings of a program of one file, simulated on the H200 where a rule needs it. */
export function findingsOf(code: string, select: readonly string[], simulate: boolean): Diagnostic[] {
  const program = analyseCode(code);
  const gpu = findGpu("h200");
  const simulation = simulate && gpu ? simulateProgram(program, gpu) : undefined;
  const failed = (_: string, error: unknown): never => {
    throw error;
  };
  return lint(program, simulation?.launches, { select }, failed, refusedIn(simulation?.notSimulated ?? []));
}

interface Mark {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly words: string;
}

/** Parts a marked code into the code alone and its marks. */
function readMarks(marked: string): { readonly code: string; readonly marks: readonly Mark[] } {
  const lines: string[] = [];
  const marks: Mark[] = [];
  for (const text of marked.split("\n")) {
    const match = /^([ \t]*\/\/[ \t]*)(\^+)(.*)$/.exec(text);
    if (!match) {
      lines.push(text);
      continue;
    }
    const [, before = "", carets = "", words = ""] = match;
    marks.push({ line: lines.length - 1, start: before.length, end: before.length + carets.length, words: words.trim() });
  }
  return { code: lines.join("\n"), marks: marks.sort((a, b) => a.line - b.line || a.start - b.start) };
}

/** Registers the tests of a rule's table. */
export function testRule(rule: Rule, { clean, found }: Cases): void {
  const findings = (code: string): Diagnostic[] => findingsOf(code, [rule.id], rule.simulated);
  describe(rule.id, () => {
    beforeAll(loadGrammarFromDisk);
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
      const mended = applied(code, diagnostics, false);
      expect(mended).toBe(unsafe ?? fixed ?? code);
      // What is mended still parses, and is not found again.
      expect(analyseCode(mended).unit.errors).toHaveLength(analyseCode(code).unit.errors.length);
      expect(findings(mended).flatMap(({ fixes }) => fixes)).toEqual([]);
    });
  });
}

const rangeText = ({ start, end }: PositionRange): string =>
  `${start.line}:${start.character}-${end.line === start.line ? "" : `${end.line}:`}${end.character}`;

function applied(code: string, diagnostics: readonly Diagnostic[], safeOnly: boolean): string {
  const lines = code.split("\n");
  const offset = ({ line, character }: PositionRange["start"]): number =>
    lines.slice(0, line).reduce((sum, text) => sum + text.length + 1, 0) + character;
  const edits = diagnostics.flatMap(({ fixes }) => fixes.filter(({ safe }) => safe || !safeOnly).flatMap((fix) => fix.edits));
  return edits
    .map(({ range, newText }) => ({ start: offset(range.start), end: offset(range.end), newText }))
    .sort((a, b) => b.start - a.start)
    .reduce((text, { start, end, newText }) => text.slice(0, start) + newText + text.slice(end), code);
}
