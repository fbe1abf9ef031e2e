import { Edit, Language, type Tree, Parser as TreeSitter } from "web-tree-sitter";
import { type CstNode, type MutableCstNode, noChildren } from "./cst.ts";
import { differenceBetween, pointAt } from "./edit.ts";
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
      // Slicing as little as the parser asks for keeps long texts from being copied whole at each call.
      const read = (index: number) => text.slice(index, index + 4096);
      const tree = parser.parse(read, previous ?? null, cancelled && { progressCallback: cancelled });
      if (!tree) parser.reset();
      return tree ?? undefined;
    },
    edit(tree, before, after) {
      const edit = differenceBetween(before, after);
      if (!edit) return;
      tree.edit(
        new Edit({
          startIndex: edit.start,
          oldEndIndex: edit.oldEnd,
          newEndIndex: edit.newEnd,
          startPosition: pointAt(before, edit.start),
          oldEndPosition: pointAt(before, edit.oldEnd),
          newEndPosition: pointAt(after, edit.newEnd),
        }),
      );
    },
    copyOut,
    free: (tree) => tree.delete(),
    dispose: () => parser.delete(),
  };
}

const ERROR_TYPE = 65535;

/** Copies a tree by a cursor, which is far cheaper than parser nodes; every call into WebAssembly is spared that can be. */
function treeCopier(language: Language): (tree: Tree) => CstNode {
  const names = language.types;
  const named = names.map((_, id) => language.nodeTypeIsNamed(id));
  const fields = language.fields;
  return (tree) => {
    const cursor = tree.walk();
    try {
      const here = (): MutableCstNode => {
        const type = cursor.nodeTypeId;
        const start = cursor.startIndex;
        const end = cursor.endIndex;
        return {
          type: type === ERROR_TYPE ? "ERROR" : (names[type] ?? "ERROR"),
          named: type === ERROR_TYPE || (named[type] ?? false),
          field: fields[cursor.currentFieldId] ?? undefined,
          start,
          end,
          missing: start === end && cursor.nodeIsMissing,
          children: noChildren,
        };
      };
      const root = here();
      const open: MutableCstNode[] = [];
      let parent = root;
      let down = cursor.gotoFirstChild();
      while (down) {
        if (parent.children === noChildren) parent.children = [];
        const node = here();
        parent.children.push(node);
        if (cursor.gotoFirstChild()) {
          open.push(parent);
          parent = node;
          continue;
        }
        while (!cursor.gotoNextSibling()) {
          cursor.gotoParent();
          const above = open.pop();
          if (!above) {
            down = false;
            break;
          }
          parent = above;
        }
      }
      return root;
    } finally {
      cursor.delete();
    }
  };
}
