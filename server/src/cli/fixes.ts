/** Applying fixes to files. */
import type { Diagnostic, DiagnosticFix, PositionRange } from "../lint.ts";
import { lineStarts } from "../syntax/lines.ts";

export interface Fixed {
  readonly text: string;
  readonly applied: number;
}

/**
 * Applies the first wanted fix of each finding. Of fixes that overlap only the first is applied; the next round finds the
 * other one again.
 */
export function applyFixes(text: string, diagnostics: readonly Diagnostic[], unsafe: boolean): Fixed {
  const starts = lineStarts(text);
  const offset = ({ line, character }: PositionRange["start"]): number => Math.min((starts[line] ?? text.length) + character, text.length);
  const edits: { start: number; end: number; newText: string }[] = [];
  let applied = 0;
  for (const { fixes } of diagnostics) {
    const fix = fixes.find(({ safe }: DiagnosticFix) => safe) ?? (unsafe ? fixes[0] : undefined);
    if (!fix) continue;
    const wanted = fix.edits.map(({ range, newText }) => ({ start: offset(range.start), end: offset(range.end), newText }));
    const taken = wanted.some(
      (edit) =>
        edits.some((other) => edit.start < other.end && other.start < edit.end) ||
        edits.some((other) => other.start === edit.start && other.end === edit.end),
    );
    if (taken) continue;
    edits.push(...wanted);
    applied++;
  }
  let result = text;
  for (const { start, end, newText } of edits.sort((a, b) => b.start - a.start || b.end - a.end))
    result = result.slice(0, start) + newText + result.slice(end);
  return { text: result, applied };
}
