/** The process' parser: loaded once by whoever knows where the grammar lies, then used by every analysis. */
import type { Parser } from "./parser/parser.ts";

let current: Parser | undefined;

/** Sets the parser that analyses use from now on. */
export function useParser(parser: Parser): void {
  current = parser;
}

/** Has the parser forget a tree; without a parser none is kept. */
export function forgetTree(key: string): void {
  current?.forget(key);
}

/** Throws when no parser was loaded: a mistake of an entry, not of a user. */
export function currentParser(): Parser {
  if (!current) throw new Error("no parser is loaded");
  return current;
}
