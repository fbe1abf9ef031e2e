import { Edit, Language, type Tree, type TreeCursor, Parser as TreeSitter } from "web-tree-sitter";
import type { Node } from "../ast.ts";
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
      const old = previous && edited(previous.tree, previous.text, text);
      // Handing over pieces keeps long texts from being copied whole at each call.
      const read = (index: number) => text.slice(index, index + 4096);
      const tree = parser.parse(read, old ?? null, cancelled && { progressCallback: cancelled });
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
  const edit = differenceBetween(before, after);
  if (!edit) return copy;
  copy.edit(
    new Edit({
      startIndex: edit.start,
      oldEndIndex: edit.oldEnd,
      newEndIndex: edit.newEnd,
      startPosition: pointAt(before, edit.start),
      oldEndPosition: pointAt(before, edit.oldEnd),
      newEndPosition: pointAt(after, edit.newEnd),
    }),
  );
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

const ERROR_TYPE = 65535;

/** Named nodes that are one token: no children to ask for. */
const leaves = new Set([
  "identifier",
  "type_identifier",
  "field_identifier",
  "namespace_identifier",
  "statement_identifier",
  "primitive_type",
  "number_literal",
  "auto",
  "this",
  "true",
  "false",
  "string_content",
  "escape_sequence",
  "comment",
]);
/** Tokens that say nothing their parent does not: left out. */
const punctuation = new Set(["(", ")", "{", "}", ";", ","]);

const SKIPPED = 0;
const TOKEN = 1;
const LEAF = 2;
const INNER = 3;

/** Copies a tree by a cursor, which is far cheaper than parser nodes; every call into WebAssembly is spared that can be. */
function treeCopier(language: Language): (tree: Tree) => CstNode {
  const { types, fields } = language;
  const named = types.map((_, id) => language.nodeTypeIsNamed(id));
  const roles = Uint8Array.from(types, (type, id) => {
    if (named[id]) return leaves.has(type) ? LEAF : INNER;
    // A token's type is its text, but for launch brackets, which may hold spaces.
    return punctuation.has(type) ? SKIPPED : /^[\w!-/:-@[-`{-~]+$/.test(type) && !/^(<<<|>>>|#.*)$/.test(type) ? TOKEN : INNER;
  });
  return (tree) => {
    const whole = tree.rootNode;
    // A token the parser made up has no width, so that its type does not tell its end.
    const clean = !whole.hasError;
    const cursor = whole.walk();
    try {
      return copyFrom(cursor, clean);
    } finally {
      cursor.delete();
    }
  };

  function copyFrom(cursor: TreeCursor, clean: boolean): CstNode {
    const root = node("translation_unit", true, undefined, cursor.startIndex, cursor.endIndex, false);
    const open: MutableCstNode[] = [];
    let parent = root;
    let more = cursor.gotoFirstChild();
    while (more) {
      const id = cursor.nodeTypeId;
      const role = id === ERROR_TYPE ? INNER : clean ? (roles[id] ?? INNER) : Math.max(roles[id] ?? INNER, LEAF);
      if (role !== SKIPPED) {
        const type = id === ERROR_TYPE ? "ERROR" : (types[id] ?? "ERROR");
        const start = cursor.startIndex;
        const end = role === TOKEN ? start + type.length : cursor.endIndex;
        const isNamed = id === ERROR_TYPE || named[id] === true;
        const made = node(
          type,
          isNamed,
          fields[cursor.currentFieldId] ?? undefined,
          start,
          end,
          !clean && start === end && cursor.nodeIsMissing,
        );
        if (parent.children === noChildren) parent.children = [made];
        else parent.children.push(made);
        if (role === INNER && cursor.gotoFirstChild()) {
          open.push(parent);
          parent = made;
          continue;
        }
      }
      while (!cursor.gotoNextSibling()) {
        const above = open.pop();
        more = above !== undefined && cursor.gotoParent();
        if (!above || !more) break;
        parent = above;
      }
    }
    return root;
  }
}

const node = (type: string, named: boolean, field: string | undefined, start: number, end: number, missing: boolean): MutableCstNode => ({
  type,
  named,
  field,
  start,
  end,
  missing,
  children: noChildren,
});
