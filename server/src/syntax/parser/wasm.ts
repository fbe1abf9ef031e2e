import { Edit, Language, type Tree, Parser as TreeSitter } from "web-tree-sitter";
import type { Node } from "../ast.ts";
import { treeCopier } from "./copy.ts";
import { differencesBetween, pointsIn } from "./edit.ts";
import { keepTrees } from "./kept-trees.ts";
import type { Backend, Parser } from "./parser.ts";
import type { Runtime } from "./tree-walk.ts";

/**
 * The two WebAssembly modules, as bytes (a worker, a browser) or as a path or URL that can be loaded where this runs:
 * `runtime` is web-tree-sitter's own, `grammar` tree-sitter-cuda's.
 */
export interface WasmAssets {
  readonly runtime: Uint8Array | string;
  readonly grammar: Uint8Array | string;
}

let started: Promise<Runtime> | undefined;
let language: Promise<Language> | undefined;

/** A parser in WebAssembly. The runtime and the grammar are loaded once (about 0.7 s), by the first call's assets. */
export async function loadWasmParser(assets: WasmAssets): Promise<Parser> {
  started ??= start(assets);
  const runtime = await started.catch((problem: unknown) => {
    started = undefined;
    throw problem;
  });
  language ??= Language.load(assets.grammar);
  const loaded = await language.catch((problem: unknown) => {
    language = undefined;
    throw problem;
  });
  return keepTrees(wasmBackend(runtime, loaded));
}

async function start({ runtime }: WasmAssets): Promise<Runtime> {
  const module = typeof runtime === "string" ? { locateFile: () => runtime } : { wasmBinary: runtime };
  await TreeSitter.init(module);
  // Emscripten makes the module of the options, which their types do not say.
  return module as unknown as Runtime;
}

function wasmBackend(runtime: Runtime, language: Language): Backend<Tree> {
  const parser = new TreeSitter().setLanguage(language);
  const copyOut = treeCopier(runtime, language);
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
