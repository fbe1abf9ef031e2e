/** JSON that people write: as a tree that knows places, or what is wrong with it and where. */
import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { lineStarts } from "../syntax/lines.ts";
import { tooDeepAt } from "./json-depth.ts";

/** UTF-16 offsets. */
export interface JsonProblem {
  readonly problem: string;
  readonly offset: number;
  readonly length: number;
}

/** @param lenient comments and commas behind the last of a list are welcome */
export function parseJson(text: string, lenient: boolean): Node | JsonProblem {
  const deep = tooDeepAt(text);
  if (deep) return { problem: "this is nested too deep", ...deep };
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: lenient, disallowComments: !lenient });
  const [error] = errors;
  if (error) return { problem: `this is not JSON: ${said(error)}`, offset: error.offset, length: error.length };
  return tree ?? { problem: "this is empty", offset: 0, length: text.length };
}

/** Keys that stand in an object once more, each with the one before it: of their values only the last would be read. */
export function repeatedKeys(tree: Node): { readonly key: Node; readonly before: Node }[] {
  const found: { readonly key: Node; readonly before: Node }[] = [];
  const left = [tree];
  for (let node = left.pop(); node; node = left.pop()) {
    const keys = new Map<string, Node>();
    for (const child of node.children ?? []) {
      left.push(child);
      const key = child.type === "property" ? child.children?.[0] : undefined;
      if (!key) continue;
      const before = keys.get(String(key.value));
      if (before) found.push({ key, before });
      keys.set(String(key.value), key);
    }
  }
  return found.sort((a, b) => a.key.offset - b.key.offset);
}

/** Line and column, from 1, of offsets in a text. */
export function placesIn(text: string): (offset: number) => { readonly line: number; readonly column: number } {
  const starts = lineStarts(text);
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

/** `InvalidSymbol` in words. */
const said = ({ error }: ParseError): string =>
  printParseErrorCode(error)
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .trim();
