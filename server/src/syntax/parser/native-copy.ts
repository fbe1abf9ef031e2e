import type TreeSitter from "tree-sitter";
import { type CstNode, type MutableCstNode, noChildren } from "./cst.ts";
import type { Copies } from "./parser.ts";

/** Tokens that say nothing their parent does not: left out. */
const punctuation = new Set(["(", ")", "{", "}", ";", ","]);
/** What holds the declarations that are copied, and kept, one by one. */
const containers = new Set(["translation_unit", "declaration_list"]);
/** What holds a container: copied anew, so that what is in it can be kept. */
const outer = new Set(["namespace_definition", "linkage_specification", "declaration_list"]);
const SHORTEST_KEPT = 32;

/** What an id of the grammar means: learned when it is first seen, because a string is dear to get. */
interface Kind {
  readonly type: string;
  readonly named: boolean;
  readonly skipped: boolean;
  readonly container: boolean;
  readonly kept: boolean;
}
const kinds: Kind[] = [];
const fields: (string | undefined)[] = [undefined];

/** A node whose children are copied; `listed`: they are declarations. */
interface Open {
  readonly node: MutableCstNode;
  readonly listed: boolean;
}

/** Copies a tree without errors as `copy.ts` does those of WebAssembly, node by node the same. */
export function copyNative(tree: TreeSitter.Tree, text: string, known?: Copies): { readonly root: CstNode; readonly copies: Copies } {
  const { rootNode: whole } = tree;
  const cursor = whole.walk();
  const copies: Copies = new Map();
  const root = make("translation_unit", true, undefined, whole.startIndex, whole.endIndex);
  let parent: Open = { node: root, listed: true };
  const open: Open[] = [];
  let more = cursor.gotoFirstChild();
  while (more) {
    const kind = kindOf(cursor);
    if (!kind.skipped) {
      const start = cursor.startIndex;
      const end = cursor.endIndex;
      const field = fieldOf(cursor);
      // A declaration written as before parses as before.
      const keeps = parent.listed && kind.kept && end - start >= SHORTEST_KEPT;
      const written = keeps ? text.slice(start, end) : undefined;
      const reused = written === undefined ? undefined : reuse(known, written, kind.type, field, start);
      const node = reused ?? make(kind.type, kind.named, field, start, end);
      if (written !== undefined) copies.set(written, node);
      if (parent.node.children === noChildren) parent.node.children = [node];
      else parent.node.children.push(node);
      if (!reused && cursor.gotoFirstChild()) {
        open.push(parent);
        parent = { node, listed: kind.container };
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
  return { root, copies };
}

/** Takes a copy of the same text out of those known, and moves it to its place. */
function reuse(known: Copies | undefined, written: string, type: string, field: string | undefined, start: number) {
  const before = known?.get(written);
  if (before?.type !== type || before.field !== field) return undefined;
  known?.delete(written);
  move(before, start - before.start);
  return before;
}

function kindOf(cursor: TreeSitter.TreeCursor): Kind {
  const id = cursor.nodeTypeId;
  const known = kinds[id];
  if (known) return known;
  const { nodeType: type, nodeIsNamed: named } = cursor;
  const skipped = !named && punctuation.has(type);
  const kind = { type, named, skipped, container: containers.has(type), kept: named && !outer.has(type) };
  kinds[id] = kind;
  return kind;
}

function fieldOf(cursor: TreeSitter.TreeCursor): string | undefined {
  const id = cursor.currentFieldId;
  if (id === 0) return undefined;
  fields[id] ??= cursor.currentFieldName;
  return fields[id];
}

const make = (type: string, named: boolean, field: string | undefined, start: number, end: number): MutableCstNode => ({
  type,
  named,
  field,
  start,
  end,
  missing: false,
  children: noChildren,
});

/** Moves a copy in place: whoever had it has converted it. */
function move(node: MutableCstNode, by: number): void {
  if (by === 0) return;
  const pending: MutableCstNode[] = [node];
  for (let next = pending.pop(); next; next = pending.pop()) {
    next.start += by;
    next.end += by;
    for (const each of next.children) pending.push(each);
  }
}
