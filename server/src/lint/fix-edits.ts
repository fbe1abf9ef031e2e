/** What fixes make of a text. */
import type { DiagnosticFix, PositionRange } from "../lint.ts";
import { lineStarts } from "../syntax/lines.ts";

/** Offsets are UTF-16, as positions are. */
export interface OffsetEdit {
  readonly start: number;
  readonly end: number;
  readonly newText: string;
}

/** A fix's edits as offsets into the text that they are for. @param starts `lineStarts` of the text */
export function offsetEdits(
  text: string,
  { edits }: Pick<DiagnosticFix, "edits">,
  starts: readonly number[] = lineStarts(text),
): OffsetEdit[] {
  const offset = ({ line, character }: PositionRange["start"]): number => Math.min((starts[line] ?? text.length) + character, text.length);
  return edits.map(({ range, newText }) => ({ start: offset(range.start), end: offset(range.end), newText }));
}

/** Edits that cannot both be made. */
export const overlap = (some: readonly OffsetEdit[], others: readonly OffsetEdit[]): boolean =>
  some.some((edit) =>
    others.some((other) => (edit.start < other.end && other.start < edit.end) || (other.start === edit.start && other.end === edit.end)),
  );

/** The text with edits that do not overlap. */
export function withEdits(text: string, edits: readonly OffsetEdit[]): string {
  let result = text;
  for (const { start, end, newText } of [...edits].sort((a, b) => b.start - a.start || b.end - a.end))
    result = result.slice(0, start) + newText + result.slice(end);
  return result;
}
