import { STRING } from "./lexer.ts";
import type { Token } from "./macros.ts";

/** What an `#include` names; undefined when it names nothing. */
export function includeTarget(words: readonly Token[], text: string): { path: string; angled: boolean } | undefined {
  const [first] = words;
  if (!first) return undefined;
  if (first.kind === STRING && first.text.length > 2) return { path: first.text.slice(first.text.indexOf('"') + 1, -1), angled: false };
  if (!first.text.startsWith("<")) return undefined;
  const last = words.findLast((each) => each.text.includes(">"));
  if (!last) return undefined;
  // As it stands in the file, where that is known: `<a//b>` and spaces are part of the name.
  const written =
    first.file >= 0 && last.file === first.file && first.macro === undefined
      ? text.slice(first.start, last.start + last.text.length)
      : words.map((each) => each.text).join("");
  return { path: written.slice(1, written.lastIndexOf(">")).trim(), angled: true };
}
