/** The text of a node with other text in the place of some that it holds. */
import { textAt, writtenBetween } from "../../rules/support/edits.ts";
import type { Node } from "../../syntax/ast.ts";
import type { Reading } from "../../syntax/reading.ts";

/** @param parts in source order, none within another. Undefined where something is written by a macro, or in another file. */
export function textWith(
  reading: Reading,
  node: Node,
  parts: readonly { readonly node: Node; readonly text: string }[],
): string | undefined {
  const whole = writtenBetween(reading, node);
  if (!whole) return undefined;
  let text = "";
  let at = whole.start;
  for (const part of parts) {
    const place = writtenBetween(reading, part.node);
    if (!place || place.file !== whole.file) return undefined;
    text += textAt(reading, { ...whole, start: at, end: place.start }) + part.text;
    at = place.end;
  }
  return text + textAt(reading, { ...whole, start: at, end: whole.end });
}
