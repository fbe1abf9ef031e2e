/** Edits of exactly what the user wrote. */
import type { Expression, Node } from "../../syntax/ast.ts";
import { withoutComments } from "../../syntax/comments.ts";
import type { Place, Reading } from "../../syntax/reading.ts";
import type { Edit, Fix } from "../rule.ts";

/** Replaces the text of a node; undefined where it does not stand in the opened file in one piece. */
export function replace(reading: Reading, node: Node, newText: string): Edit | undefined {
  return isOwnText(reading, node) ? { span: { start: node.start, end: node.end }, newText } : undefined;
}

/**
 * Replaces all that is written of a node, in which macros may be used: undefined where it does not begin and end in the text of the
 * opened file.
 */
export function replaceWritten(reading: Reading, { start, end }: Node, newText: string): Edit | undefined {
  return isOwnText(reading, { start, end }) || writtenBetween(reading, { start, end })?.file === 0
    ? { span: { start, end }, newText }
    : undefined;
}

/** The place of what begins and ends in the user's text, whatever macros are used in it. */
export function writtenBetween(reading: Reading, { start, end }: Node): Place | undefined {
  const [first, last] = [reading.spelled(start, start + 1), reading.spelled(end - 1, end)];
  if (!first || !last || first.file !== last.file || first.macro !== undefined || last.macro !== undefined) return undefined;
  return { file: first.file, start: first.start, end: last.end };
}

/** Where what an edit replaces is written. */
export const writtenAt = (reading: Reading, span: Edit["span"]): (Place & { readonly macro?: string }) | undefined =>
  "file" in span ? span : (reading.spelled(span.start, span.end) ?? writtenBetween(reading, span));

/** Lines for the preprocessor, `#if` and the like, of which code that was read has one branch alone. */
const directivesOf = (text: string): readonly string[] => text.match(/^[ \t]*#.*$/gm) ?? [];

/**
 * A fix's edits where they are written, each once: what a macro's body spells is met at every use of the macro. Their lines end as those
 * of the file do. Undefined where one of them is nowhere, or goes over lines for the preprocessor, whose other branches nobody read.
 */
export function writtenEdits(reading: Reading, { edits }: Fix): readonly { readonly at: Place; readonly newText: string }[] | undefined {
  const written = edits.flatMap(({ span, newText }) => {
    const at = writtenAt(reading, span);
    return at ? [{ at, newText: newText.replaceAll(/\r?\n/g, lineEndOf(reading.sources[at.file] ?? "")) }] : [];
  });
  if (written.length !== edits.length) return undefined;
  const isCut = written.some(({ at, newText }) => {
    const kept = directivesOf(newText);
    return directivesOf((reading.sources[at.file] ?? "").slice(at.start, at.end)).some((line) => !kept.includes(line));
  });
  if (isCut) return undefined;
  const isSame = (a: (typeof written)[number], b: (typeof written)[number]): boolean =>
    a.at.file === b.at.file && a.at.start === b.at.start && a.at.end === b.at.end && a.newText === b.newText;
  return written.filter((each, k) => each.at.start === each.at.end || written.findIndex((other) => isSame(other, each)) === k);
}

/** How the lines of a text end: as its first does. */
const lineEndOf = (source: string): string => /\r?\n/.exec(source)?.[0] ?? "\n";

/** Puts words before a node, on its line. */
export function insertBefore(reading: Reading, { start }: Node, words: string): Edit | undefined {
  const span = { start, end: start + 1 };
  return isOwnText(reading, span) && reading.spelled(span.start, span.end)?.macro === undefined
    ? { span, newText: `${words}${reading.textOf(span.start, span.end)}` }
    : undefined;
}

const isOwnText = (reading: Reading, { start, end }: Node): boolean => reading.spelled(start, end)?.file === 0;

/** Inserts behind the opening parenthesis of a call. */
export function insertFirstArgument(reading: Reading, call: Expression & { kind: "call" }, newText: string): Edit | undefined {
  const open = reading.textOf(call.callee.end, call.end).indexOf("(");
  const start = call.callee.end + open;
  const parenthesis = { start, end: start + 1 };
  return open >= 0 && isOwnText(reading, parenthesis) ? { span: parenthesis, newText: `(${newText}` } : undefined;
}

/** All or nothing. */
export const all = (...edits: readonly (Edit | undefined)[]): readonly Edit[] | undefined =>
  edits.every((edit) => edit !== undefined) ? edits : undefined;

/** What the user wrote at a place. */
export const textAt = ({ sources }: Reading, { file, start, end }: Place): string => (sources[file] ?? "").slice(start, end);

/** The same on one line, without comments, for messages. */
export const excerptAt = (reading: Reading, place: Place, limit = 60): string => shortened(textAt(reading, place), limit);

/** A node's text on one line, for messages: as the user wrote it, unless a macro wrote all of it. Without comments. */
export function excerpt(reading: Reading, node: Node, limit = 60): string {
  const written = reading.expansion(node.start, node.end)
    ? reading.textOf(node.start, node.end)
    : textAt(reading, reading.locate(node.start, node.end));
  return shortened(written, limit);
}

/** A node's text for code that says the same: by a macro's name where the macro is all of it, as its definition may change. */
export function codeOf(reading: Reading, node: Node): string {
  const use = reading.expansion(node.start, node.end);
  const isWhole = use !== undefined && use.start === node.start && use.end === node.end && use.place.file === 0;
  return isWhole ? shortened(textAt(reading, use.place), Number.POSITIVE_INFINITY) : excerpt(reading, node, Number.POSITIVE_INFINITY);
}

function shortened(written: string, limit: number): string {
  const text = withoutComments(written).replace(/\s+/g, " ").trim();
  return text.length > limit ? `${text.slice(0, limit - 3)}...` : text;
}

/** Whether a pragma stands directly above a place, comments aside. */
export function isBehindPragma({ sources }: Reading, { file, start }: Place): boolean {
  const before = withoutComments((sources[file] ?? "").slice(Math.max(0, start - longestAbove), start)).trimEnd();
  return /^\s*#\s*pragma\b|\b_{1,2}pragma\b/i.test(before.slice(before.lastIndexOf("\n") + 1));
}

/** Characters in which a pragma and the comments behind it are looked for. */
const longestAbove = 2000;

/** The blanks that a line begins with, where nothing else stands before a place in it. */
export function indentationAt({ sources }: Reading, { file, start }: Place): string | undefined {
  const text = sources[file] ?? "";
  const before = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  return before.trim() === "" ? before : undefined;
}
