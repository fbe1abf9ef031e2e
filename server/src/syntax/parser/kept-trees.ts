import type { CstNode } from "./cst.ts";
import type { Backend, ParseOptions, Parser } from "./parser.ts";

/** Trees are kept for this many documents, and for no more text than this (a tree takes about 15 bytes a character). */
const MAX_TREES = 24;
const MAX_CHARACTERS = 8_000_000;

interface Kept<Tree> {
  readonly text: string;
  readonly tree: Tree;
}

/** A parser over a backend: keeps the trees of the documents parsed last, edits them, and frees the rest. */
export function keepTrees<Tree>(backend: Backend<Tree>): Parser {
  const kept = new Map<string, Kept<Tree>>();
  let characters = 0;

  const drop = (key: string) => {
    const entry = kept.get(key);
    if (!entry) return;
    kept.delete(key);
    characters -= entry.text.length;
    backend.free(entry.tree);
  };

  const keep = (key: string, entry: Kept<Tree>) => {
    kept.set(key, entry);
    characters += entry.text.length;
    for (const oldest of kept.keys()) {
      if (oldest === key || (kept.size <= MAX_TREES && characters <= MAX_CHARACTERS)) break;
      drop(oldest);
    }
  };

  const parse = (text: string, options: ParseOptions = {}): CstNode | undefined => {
    const { key, cancelled } = options;
    const previous = key === undefined ? undefined : kept.get(key);
    if (previous && previous.text !== text) backend.edit(previous.tree, previous.text, text);
    const tree = backend.parse(text, previous?.tree, cancelled);
    // An edited tree no longer fits its text, so that it goes whether or not the parse was cancelled.
    if (key !== undefined) drop(key);
    if (!tree) return undefined;
    try {
      return backend.copyOut(tree);
    } finally {
      if (key === undefined) backend.free(tree);
      else keep(key, { text, tree });
    }
  };

  return {
    parse,
    forget: drop,
    dispose() {
      for (const key of [...kept.keys()]) drop(key);
      backend.dispose();
    },
  };
}
