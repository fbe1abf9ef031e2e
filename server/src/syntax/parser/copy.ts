import type { Language, Tree } from "web-tree-sitter";
import { deepestPieces } from "../deepest.ts";
import { addChild, containers, INNER, LEAF, makeNode, outer, roleOfType, SKIPPED, TOKEN } from "./copied-nodes.ts";
import type { CstNode, MutableCstNode } from "./cst.ts";
import type { Enter } from "./parser.ts";
import { type Runtime, TreeWalk } from "./tree-walk.ts";

const ERROR_TYPE = 65535;

/** What a cursor sees of a child of a container before anything of it is copied. */
interface Listed {
  readonly id: number;
  readonly field: number;
  readonly start: number;
  readonly end: number;
  readonly clean: boolean;
}

/** Copies a tree by walking through it, which is far cheaper than parser nodes; every call into WebAssembly is spared that can be. */
export function treeCopier(runtime: Runtime, language: Language): (tree: Tree, enter?: Enter) => CstNode {
  const { types, fields } = language;
  const named = types.map((_, id) => language.nodeTypeIsNamed(id));
  const roles = Uint8Array.from(types, (type, id) => roleOfType(type, named[id] === true));
  const typeOf = (id: number): string => (id === ERROR_TYPE ? "ERROR" : (types[id] ?? "ERROR"));
  const isNamed = (id: number): boolean => id === ERROR_TYPE || named[id] === true;
  const roleOf = (id: number, clean: boolean): number =>
    id === ERROR_TYPE ? INNER : clean ? (roles[id] ?? INNER) : Math.max(roles[id] ?? INNER, LEAF);

  return (tree, enter = () => ({ from: 0, to: 0, shift: 0, known: false })) => {
    const whole = tree.rootNode;
    const { endIndex, hasError } = whole;
    const root = makeNode("translation_unit", true, undefined, whole.startIndex, endIndex);
    const cursor = new TreeWalk(runtime, tree);
    try {
      copyContainer(cursor, root, 0, endIndex, 0, 0, hasError, enter);
      return root;
    } finally {
      cursor.delete();
    }
  };

  /** Copies what stands in a container between two offsets. The cursor is at the container, and comes back there. */
  function copyContainer(
    cursor: TreeWalk,
    parent: MutableCstNode,
    from: number,
    to: number,
    shift: number,
    around: number,
    mayErr: boolean,
    enter: Enter,
  ): void {
    const listed = list(cursor, mayErr);
    if (!listed.length) return;
    // Attributes stand hidden before and behind a declaration: its text reaches from the one before to the one behind it.
    const starts = listed.map(({ id, start }) => (isNamed(id) ? start : undefined));
    let next = to;
    const reach = starts.map(() => to);
    for (let i = listed.length - 1; i >= 0; i--) {
      reach[i] = next;
      next = starts[i] ?? next;
    }
    let before = from;
    cursor.gotoFirstChild();
    for (const [i, each] of listed.entries()) {
      if (i > 0) cursor.gotoNextSibling();
      const { id, field, start, end, clean } = each;
      const role = roleOf(id, clean);
      if (role === SKIPPED) continue;
      const type = typeOf(id);
      if (!isNamed(id)) {
        const token = makeNode(
          type,
          false,
          fields[field] ?? undefined,
          start + shift,
          (role === TOKEN ? start + type.length : end) + shift,
        );
        if (!clean && start === end && cursor.nodeIsMissing) token.missing = true;
        addChild(parent, token);
        continue;
      }
      const isOuter = around < deepestPieces && outer.has(type) && holdsContainer(cursor);
      const piece = enter({ type, start, end, from: before, to: reach[i] ?? to, clean, container: isOuter });
      before = end;
      const node = makeNode(type, true, fields[field] ?? undefined, start + piece.shift, end + piece.shift);
      node.piece = piece;
      if (!clean && start === end && cursor.nodeIsMissing) node.missing = true;
      addChild(parent, node);
      if (piece.known || role !== INNER) continue;
      if (isOuter) copyOuter(cursor, node, piece.shift, around + 1, !clean, enter);
      else copyChildren(cursor, node, piece.shift, clean);
    }
    cursor.gotoParent();
  }

  /** A namespace or `extern "C"`: its own nodes, and the container in it. It ends, for those who ask where it is, with its head. */
  function copyOuter(cursor: TreeWalk, node: MutableCstNode, shift: number, around: number, mayErr: boolean, enter: Enter): void {
    const listed = list(cursor, mayErr);
    if (!listed.length) return;
    cursor.gotoFirstChild();
    for (const [i, { id, field, start, end, clean }] of listed.entries()) {
      if (i > 0) cursor.gotoNextSibling();
      const role = roleOf(id, clean);
      if (role === SKIPPED) continue;
      const type = typeOf(id);
      const inner = makeNode(
        type,
        isNamed(id),
        fields[field] ?? undefined,
        start + shift,
        (role === TOKEN ? start + type.length : end) + shift,
      );
      if (!clean && start === end && cursor.nodeIsMissing) inner.missing = true;
      addChild(node, inner);
      if (containers.has(type)) {
        node.end = inner.end = inner.start;
        copyContainer(cursor, inner, start + 1, end, shift, around, !clean, enter);
      } else if (role === INNER) copyChildren(cursor, inner, shift, clean);
    }
    cursor.gotoParent();
  }

  /** `extern "C"` before a single declaration holds none. The cursor comes back to its node. */
  function holdsContainer(cursor: TreeWalk): boolean {
    if (containers.has(typeOf(cursor.nodeTypeId))) return true;
    if (!cursor.gotoFirstChild()) return false;
    let found = containers.has(typeOf(cursor.nodeTypeId));
    while (!found && cursor.gotoNextSibling()) found = containers.has(typeOf(cursor.nodeTypeId));
    cursor.gotoParent();
    return found;
  }

  /** The children of the cursor's node, which comes back to it. */
  function list(cursor: TreeWalk, mayErr: boolean): Listed[] {
    const found: Listed[] = [];
    if (!cursor.gotoFirstChild()) return found;
    do {
      const clean = !mayErr || !cursor.hasError;
      found.push({ id: cursor.nodeTypeId, field: cursor.currentFieldId, start: cursor.startIndex, end: cursor.endIndex, clean });
    } while (cursor.gotoNextSibling());
    cursor.gotoParent();
    return found;
  }

  /**
   * Copies everything under the cursor's node into `root`. A token that the parser made up has no width, so that where
   * there are errors its type does not tell its end, and nothing is left out.
   */
  function copyChildren(cursor: TreeWalk, root: MutableCstNode, shift: number, clean: boolean): void {
    const open: MutableCstNode[] = [];
    let parent = root;
    let more = cursor.gotoFirstChild();
    let depth = more ? 1 : 0;
    while (more) {
      const id = cursor.nodeTypeId;
      const role = roleOf(id, clean);
      if (role !== SKIPPED) {
        const type = typeOf(id);
        const start = cursor.startIndex;
        const end = role === TOKEN ? start + type.length : cursor.endIndex;
        const node = makeNode(type, isNamed(id), fields[cursor.currentFieldId] ?? undefined, start + shift, end + shift);
        if (!clean && start === end && cursor.nodeIsMissing) node.missing = true;
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
}
