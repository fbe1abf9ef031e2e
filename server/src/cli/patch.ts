/** What edits change, as a unified diff: what `diff -u` prints and `patch` reads. */
import { type OffsetEdit, withEdits } from "../lint/fix-edits.ts";
import { lineStarts } from "../syntax/lines.ts";

/** Lines shown before and after what changes. */
const context = 3;

/** @param edits of `text`, which do not overlap */
export function patchOf(name: string, text: string, edits: readonly OffsetEdit[]): string {
  const starts = lineStarts(text);
  const lineOf = (offset: number): number => starts.findLastIndex((start) => start <= offset);
  const end = (line: number): number => starts[line + 1] ?? text.length;
  const hunks: { first: number; last: number; edits: OffsetEdit[] }[] = [];
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    const [first, last] = [lineOf(edit.start), lineOf(Math.max(edit.start, edit.end - 1))];
    const before = hunks.at(-1);
    if (before && first - before.last <= 2 * context) {
      before.last = Math.max(before.last, last);
      before.edits.push(edit);
    } else hunks.push({ first, last, edits: [edit] });
  }
  let shift = 0;
  const shown = hunks.map(({ first, last, edits: own }) => {
    const [from, to] = [Math.max(0, first - context), Math.min(starts.length - 1, last + context)];
    const lines = (start: number, stop: number, mark: string): string[] => (start < stop ? marked(text.slice(start, stop), mark) : []);
    const base = starts[first] ?? 0;
    const changed = withEdits(
      text.slice(base, end(last)),
      own.map((edit) => ({ ...edit, start: edit.start - base, end: edit.end - base })),
    );
    const [head, tail] = [lines(starts[from] ?? 0, base, " "), lines(end(last), end(to), " ")];
    const [old, now] = [lines(base, end(last), "-"), changed === "" ? [] : marked(changed, "+")];
    const [count, others] = [counted([...head, ...old, ...tail]), counted([...head, ...now, ...tail])];
    const header = `@@ -${from + 1},${count} +${from + 1 + shift},${others} @@`;
    shift += others - count;
    return [header, ...head, ...old, ...now, ...tail].join("\n");
  });
  return shown.length === 0 ? "" : `--- ${headOf(`a/${name}`)}\n+++ ${headOf(`b/${name}`)}\n${shown.join("\n")}\n`;
}

/** A name as git writes it: where it would not show, or end the line, in quotes and with escapes; a tab ends one with blanks in it. */
function headOf(name: string): string {
  if (!unclear.test(name)) return name.includes(" ") ? `${name}\t` : name;
  const escaped = [...name].map((character) => (unclear.test(character) ? (escapes[character] ?? octal(character)) : character));
  return `"${escaped.join("")}"`;
}

const unclear = /["\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\u0007": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\v": "\\v",
  "\f": "\\f",
  "\r": "\\r",
};
const octal = (character: string): string => [...Buffer.from(character)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");

/** What is said of a line's end is none itself. */
const counted = (lines: readonly string[]): number => lines.filter((line) => line !== unended).length;

const unended = "\\ No newline at end of file";

function marked(text: string, mark: string): string[] {
  const isEnded = text.endsWith("\n");
  const lines = (isEnded ? text.slice(0, -1) : text).split("\n").map((line) => mark + line);
  return isEnded ? lines : [...lines, unended];
}
