import { Edit, Language, type Tree, Parser as TreeSitter } from "web-tree-sitter";
import type { Node } from "../ast.ts";
import { treeCopier } from "./copy.ts";
import { differencesBetween, pointsIn } from "./edit.ts";
import { keepTrees } from "./kept-trees.ts";
import type { Backend, Parser } from "./parser.ts";

/**
 * The two WebAssembly modules, as bytes (a worker, a browser) or as a path or URL that can be loaded where this runs:
 * `runtime` is web-tree-sitter's own, `grammar` tree-sitter-cuda's.
 */
export interface WasmAssets {
  readonly runtime: Uint8Array | string;
  readonly grammar: Uint8Array | string;
}

let language: Promise<Language> | undefined;

/** A parser in WebAssembly. The runtime and the grammar are loaded once (about 0.7 s), by the first call's assets. */
export async function loadWasmParser(assets: WasmAssets): Promise<Parser> {
  language ??= loadLanguage(assets);
  const loaded = await language.catch((problem: unknown) => {
    language = undefined;
    throw problem;
  });
  return keepTrees(wasmBackend(loaded));
}

async function loadLanguage({ runtime, grammar }: WasmAssets): Promise<Language> {
  await TreeSitter.init(typeof runtime === "string" ? { locateFile: () => runtime } : { wasmBinary: runtime });
  return Language.load(grammar);
}

function wasmBackend(loaded: Language): Backend<Tree> {
  const parser = new TreeSitter().setLanguage(loaded);
  const copyOut = treeCopier(loaded);
  return {
    parse(text, previous, cancelled) {
      const old = previous && edited(previous.tree, previous.text, text);
      const tree = parser.parse(text, old ?? null, cancelled && { progressCallback: cancelled });
      old?.delete();
      if (!tree) parser.reset();
      return tree ?? undefined;
    },
    errors: errorsIn,
    copyOut,
    free: (tree) => tree.delete(),
    dispose: () => parser.delete(),
  };
}

/** A copy of a tree that knows what changed since; the copy is cheap. */
function edited(tree: Tree, before: string, after: string): Tree {
  const copy = tree.copy();
  const [old, now] = [pointsIn(before), pointsIn(after)];
  // Each starts where those before it have left the offsets: they do not move, or there is one alone.
  for (const { start, oldEnd, newEnd } of differencesBetween(before, after)) {
    copy.edit(
      new Edit({
        startIndex: start,
        oldEndIndex: oldEnd,
        newEndIndex: newEnd,
        startPosition: old(start),
        oldEndPosition: old(oldEnd),
        newEndPosition: now(newEnd),
      }),
    );
  }
  return copy;
}

/** Goes down only where the parser knows of an error. */
function errorsIn(tree: Tree): Node[] {
  const whole = tree.rootNode;
  if (!whole.hasError) return [];
  const found: Node[] = [];
  const cursor = whole.walk();
  try {
    for (let more = true; more; ) {
      const here = cursor.currentNode;
      const wrong = here.isError || here.isMissing;
      if (wrong) found.push({ start: here.startIndex, end: here.endIndex });
      if (!wrong && here.hasError && cursor.gotoFirstChild()) continue;
      while (!cursor.gotoNextSibling()) {
        more = cursor.gotoParent();
        if (!more) break;
      }
    }
  } finally {
    cursor.delete();
  }
  return found;
}
