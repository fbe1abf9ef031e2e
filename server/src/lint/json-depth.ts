import { createScanner } from "jsonc-parser";

/** Levels of lists and objects in each other: more than any settings have, and fewer than the parser, which is recursive, could not do. */
const deepest = 100;

/** Where a JSON text nests too deep to be parsed. */
export function tooDeepAt(text: string): { readonly offset: number; readonly length: number } | undefined {
  const scanner = createScanner(text, true);
  let depth = 0;
  // The end is a token without length.
  for (scanner.scan(); scanner.getTokenLength() > 0; scanner.scan()) {
    const token = scanner.getTokenLength() === 1 ? text[scanner.getTokenOffset()] : undefined;
    if (token === "{" || token === "[") depth++;
    if (token === "}" || token === "]") depth--;
    if (depth > deepest) return { offset: scanner.getTokenOffset(), length: 1 };
  }
  return undefined;
}
