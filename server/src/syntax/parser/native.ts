import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import type TreeSitter from "tree-sitter";
import { differenceBetween, pointAt } from "./edit.ts";
import { keepTrees } from "./kept-trees.ts";
import { copyNative } from "./native-copy.ts";
import type { Backend, Parser } from "./parser.ts";

/** The text goes to the parser in pieces: it asks for those around an edit only. */
const pieceLength = 8192;

/**
 * A parser over node-tree-sitter, where npm installed it and its library loads; undefined elsewhere. The first file of a process
 * takes it a third to a quarter of the time that WebAssembly takes, which has to be compiled first; later files and edits take both
 * the same (`node bench/parse.mjs --native`).
 *
 * What has errors is left to the other parser: the two runtimes do not recover from all of them alike, and what a user sees must not
 * depend on which one is there. So it is for the command line, where a process reads files and ends; where somebody types, the first
 * edit that breaks a text would cost a whole parse (190 ms rather than 16 in 5,000 lines).
 * @param root the folder whose `node_modules` holds it: what lies further up is somebody else's, of whatever version
 * @param other parses what does not parse without an error
 */
export function loadNativeParser(root: URL, other: Parser): Parser | undefined {
  const modules = new URL("node_modules/", root);
  if (!["tree-sitter/", "tree-sitter-cuda/"].every((name) => existsSync(new URL(name, modules)))) return undefined;
  const require = createRequire(new URL("package.json", root));
  try {
    const Runtime = require("tree-sitter") as typeof TreeSitter;
    const parser = new Runtime();
    parser.setLanguage(require("tree-sitter-cuda") as TreeSitter.Language);
    return withOther(keepTrees(nativeBackend(parser)), other);
  } catch {
    // Built for another system, or not at all.
    return undefined;
  }
}

function withOther(native: Parser, other: Parser): Parser {
  return {
    parse: (text, options) => native.parse(text, options) ?? other.parse(text, options),
    forget(key) {
      native.forget(key);
      other.forget(key);
    },
    dispose() {
      native.dispose();
      other.dispose();
    },
  };
}

/** Gives no tree that has errors. Trees are freed by the garbage collector: nothing else can. */
function nativeBackend(parser: TreeSitter): Backend<TreeSitter.Tree> {
  const parse = (text: string, previous?: TreeSitter.Tree, cancelled?: () => boolean): TreeSitter.Tree | undefined => {
    const input = (index: number) => text.slice(index, index + pieceLength);
    const progress = cancelled && { progressCallback: cancelled };
    // Null when cancelled, which its types do not say.
    const tree = parser.parse(input, previous, progress) as TreeSitter.Tree | null;
    if (!tree) parser.reset();
    return tree === null || tree.rootNode.hasError ? undefined : tree;
  };
  return {
    parse(text, previous, cancelled) {
      // A tree cannot be copied, but parsed again as it is, which costs next to nothing.
      const old = previous && parse(previous.text, previous.tree);
      if (previous && old) edit(old, previous.text, text);
      return parse(text, old, cancelled);
    },
    errors: () => [],
    copyOut: copyNative,
    free() {},
    dispose() {},
  };
}

/** Tells a tree what changed since. */
function edit(tree: TreeSitter.Tree, before: string, after: string): void {
  const difference = differenceBetween(before, after);
  if (!difference) return;
  const { start, oldEnd, newEnd } = difference;
  tree.edit({
    startIndex: start,
    oldEndIndex: oldEnd,
    newEndIndex: newEnd,
    startPosition: pointAt(before, start),
    oldEndPosition: pointAt(before, oldEnd),
    newEndPosition: pointAt(after, newEnd),
  });
}
