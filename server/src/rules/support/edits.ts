/** Edits of exactly what the user wrote. */
import type { Expression, Node } from "../../syntax/ast.ts";
import type { Place, Reading } from "../../syntax/reading.ts";
import type { Edit } from "../rule.ts";

/** Replaces the text of a node; undefined where it does not stand in the opened file in one piece. */
export function replace(reading: Reading, node: Node, newText: string): Edit | undefined {
  const place = reading.spelled(node.start, node.end);
  return place?.file === 0 ? { place, newText } : undefined;
}

/** Inserts behind the opening parenthesis of a call. */
export function insertFirstArgument(reading: Reading, call: Expression & { kind: "call" }, newText: string): Edit | undefined {
  const open = reading.textOf(call.callee.end, call.end).indexOf("(");
  const place = open >= 0 ? reading.spelled(call.callee.end + open, call.callee.end + open + 1) : undefined;
  return place?.file === 0 ? { place: { ...place, start: place.end }, newText } : undefined;
}

/** All or nothing. */
export const all = (...edits: readonly (Edit | undefined)[]): readonly Edit[] | undefined =>
  edits.every((edit) => edit !== undefined) ? edits : undefined;

/** What the user wrote at a place. */
export const textAt = ({ sources }: Reading, { file, start, end }: Place): string => (sources[file] ?? "").slice(start, end);

/** A node's text on one line, for messages: as the user wrote it, unless a macro wrote all of it. */
export function excerpt(reading: Reading, node: Node, limit = 60): string {
  const byMacro = reading.expansion(node.start, node.end) !== undefined;
  const written = byMacro ? reading.textOf(node.start, node.end) : textAt(reading, reading.locate(node.start, node.end));
  const text = written.replace(/\s+/g, " ").trim();
  return text.length > limit ? `${text.slice(0, limit - 3)}...` : text;
}
