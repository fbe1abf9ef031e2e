import type { Parser } from "./parser.ts";

/** A parser that keeps no trees: what is tried does not change how the user's text is parsed. */
export const withoutTrees = (parser: () => Parser): Parser => ({
  parse: (text, { key: _, ...options } = {}) => parser().parse(text, options),
  keepTree: () => undefined,
  forget: () => undefined,
  forgetAll: () => undefined,
  dispose: () => undefined,
});
