import type TreeSitter from "tree-sitter";
import { deepestPieces } from "../deepest.ts";
import { addChild, containers, INNER, makeNode, outer, roleOfType, SKIPPED, TOKEN } from "./copied-nodes.ts";
import type { CstNode, MutableCstNode } from "./cst.ts";
import type { Enter } from "./parser.ts";

/** What an id of the grammar means: learned when it is first seen, because a string is dear to get. */
interface Kind {
  readonly type: string;
  readonly named: boolean;
  readonly role: number;
  readonly container: boolean;
  readonly outer: boolean;
}
const kinds: Kind[] = [];
const fields: (string | undefined)[] = [undefined];

/** What a cursor sees of a child of a container before anything of it is copied. */
interface Listed {
  readonly kind: Kind;
  readonly field: string | undefined;
  readonly start: number;
  readonly end: number;
}

/** Copies a tree without errors as `copy.ts` does those of WebAssembly, node by node the same; here, too, a call is dear. */
export function copyNative(tree: TreeSitter.Tree, enter: Enter = () => ({ from: 0, to: 0, shift: 0, known: false })): CstNode {
  const { rootNode: whole } = tree;
  const root = makeNode("translation_unit", true, undefined, whole.startIndex, whole.endIndex);
  copyContainer(whole.walk(), root, 0, whole.endIndex, 0, 0, enter);
  return root;
}

/** Copies what stands in a container between two offsets. The cursor is at the container, and comes back there. */
function copyContainer(
  cursor: TreeSitter.TreeCursor,
  parent: MutableCstNode,
  from: number,
  to: number,
  shift: number,
  around: number,
  enter: Enter,
): void {
  const listed = list(cursor);
  if (listed.length === 0) return;
  const reach: number[] = [];
  let next = to;
  for (let i = listed.length - 1; i >= 0; i--) {
    reach[i] = next;
    if (listed[i]?.kind.named) next = listed[i]?.start ?? next;
  }
  let before = from;
  cursor.gotoFirstChild();
  for (const [i, { kind, field, start, end }] of listed.entries()) {
    if (i > 0) cursor.gotoNextSibling();
    if (kind.role === SKIPPED) continue;
    const { type, named } = kind;
    if (!named) {
      addChild(parent, makeNode(type, false, field, start + shift, end + shift));
      continue;
    }
    const isOuter = around < deepestPieces && kind.outer && holdsContainer(cursor);
    const piece = enter({ type, start, end, from: before, to: reach[i] ?? to, clean: true, container: isOuter });
    before = end;
    const node = makeNode(type, true, field, start + piece.shift, end + piece.shift);
    node.piece = piece;
    addChild(parent, node);
    if (piece.known) continue;
    if (isOuter) copyOuter(cursor, node, piece.shift, around + 1, enter);
    else copyChildren(cursor, node, piece.shift);
  }
  cursor.gotoParent();
}

/** A namespace or `extern "C"`: its own nodes, and the container in it. It ends, for those who ask where it is, with its head. */
function copyOuter(cursor: TreeSitter.TreeCursor, node: MutableCstNode, shift: number, around: number, enter: Enter): void {
  const listed = list(cursor);
  if (listed.length === 0) return;
  cursor.gotoFirstChild();
  for (const [i, { kind, field, start, end }] of listed.entries()) {
    if (i > 0) cursor.gotoNextSibling();
    if (kind.role === SKIPPED) continue;
    const inner = makeNode(kind.type, kind.named, field, start + shift, end + shift);
    addChild(node, inner);
    if (kind.container) {
      node.end = inner.end = inner.start;
      copyContainer(cursor, inner, start + 1, end, shift, around, enter);
    } else copyChildren(cursor, inner, shift);
  }
  cursor.gotoParent();
}

/** `extern "C"` before a single declaration holds none. The cursor comes back to its node. */
function holdsContainer(cursor: TreeSitter.TreeCursor): boolean {
  if (kindOf(cursor).container) return true;
  if (!cursor.gotoFirstChild()) return false;
  let found = kindOf(cursor).container;
  while (!found && cursor.gotoNextSibling()) found = kindOf(cursor).container;
  cursor.gotoParent();
  return found;
}

/** The children of the cursor's node, which comes back to it. */
function list(cursor: TreeSitter.TreeCursor): Listed[] {
  const found: Listed[] = [];
  if (!cursor.gotoFirstChild()) return found;
  do found.push({ kind: kindOf(cursor), field: fieldOf(cursor), start: cursor.startIndex, end: cursor.endIndex });
  while (cursor.gotoNextSibling());
  cursor.gotoParent();
  return found;
}

/** Copies everything under the cursor's node, which comes back to it. */
function copyChildren(cursor: TreeSitter.TreeCursor, root: MutableCstNode, shift: number): void {
  const open: MutableCstNode[] = [];
  let parent = root;
  let more = cursor.gotoFirstChild();
  let depth = more ? 1 : 0;
  while (more) {
    const { type, named, role } = kindOf(cursor);
    if (role !== SKIPPED) {
      const start = cursor.startIndex;
      const end = role === TOKEN ? start + type.length : cursor.endIndex;
      const node = makeNode(type, named, fieldOf(cursor), start + shift, end + shift);
      addChild(parent, node);
      if (role === INNER && cursor.gotoFirstChild()) {
        depth++;
        open.push(parent);
        parent = node;
        continue;
      }
    }
    while (!cursor.gotoNextSibling()) {
      more = cursor.gotoParent() && --depth > 0;
      if (!more) break;
      parent = open.pop() ?? root;
    }
  }
}

function kindOf(cursor: TreeSitter.TreeCursor): Kind {
  const id = cursor.nodeTypeId;
  const known = kinds[id];
  if (known) return known;
  const { nodeType: type, nodeIsNamed: named } = cursor;
  const kind = { type, named, role: roleOfType(type, named), container: containers.has(type), outer: outer.has(type) };
  kinds[id] = kind;
  return kind;
}

function fieldOf(cursor: TreeSitter.TreeCursor): string | undefined {
  const id = cursor.currentFieldId;
  if (id === 0) return undefined;
  fields[id] ??= cursor.currentFieldName;
  return fields[id];
}
