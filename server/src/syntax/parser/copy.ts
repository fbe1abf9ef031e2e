import type { Language, Tree, TreeCursor } from "web-tree-sitter";
import { type CstNode, type MutableCstNode, noChildren } from "./cst.ts";
import type { Copies } from "./parser.ts";

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
/** What holds the declarations that are copied, and kept, one by one. */
const containers = new Set(["translation_unit", "declaration_list"]);

/** What holds a container: copied anew, so that what is in it can be kept. */
const outer = new Set(["namespace_definition", "linkage_specification", "declaration_list"]);
const SHORTEST_KEPT = 32;

const SKIPPED = 0;
const TOKEN = 1;
const LEAF = 2;
const INNER = 3;

/** Copies a tree by a cursor, which is far cheaper than parser nodes; every call into WebAssembly is spared that can be. */
export function treeCopier(language: Language): (tree: Tree, text: string, known?: Copies) => { root: CstNode; copies: Copies } {
  const { types, fields } = language;
  const named = types.map((_, id) => language.nodeTypeIsNamed(id));
  const roles = Uint8Array.from(types, (type, id) => {
    if (named[id]) return leaves.has(type) ? LEAF : INNER;
    // A token's type is its text, but for launch brackets, which may hold spaces.
    return punctuation.has(type) ? SKIPPED : /^[\w!-/:-@[-`{-~]+$/.test(type) && !/^(<<<|>>>|#.*)$/.test(type) ? TOKEN : INNER;
  });

  return (tree, text, known) => {
    const whole = tree.rootNode;
    const copies = new Map<string, MutableCstNode>();
    const cursor = whole.walk();
    try {
      const root = make("translation_unit", true, undefined, whole.startIndex, whole.endIndex);
      copyChildren(cursor, root, text, !whole.hasError, known, copies);
      return { root, copies };
    } finally {
      cursor.delete();
    }
  };

  /**
   * Copies everything under the cursor's node into `root`. A token that the parser made up has no width, so that where
   * there are errors its type does not tell its end, and nothing is left out.
   */
  function copyChildren(
    cursor: TreeCursor,
    root: MutableCstNode,
    text: string,
    allClean: boolean,
    known: Copies | undefined,
    copies: Copies,
  ): void {
    const open: MutableCstNode[] = [];
    let parent = root;
    let clean = allClean;
    let more = cursor.gotoFirstChild();
    while (more) {
      const listed = containers.has(parent.type);
      if (listed) clean = allClean || !cursor.currentNode.hasError;
      const id = cursor.nodeTypeId;
      const role = id === ERROR_TYPE ? INNER : clean ? (roles[id] ?? INNER) : Math.max(roles[id] ?? INNER, LEAF);
      if (role !== SKIPPED) {
        const type = id === ERROR_TYPE ? "ERROR" : (types[id] ?? "ERROR");
        const start = cursor.startIndex;
        const end = role === TOKEN ? start + type.length : cursor.endIndex;
        const node = make(type, id === ERROR_TYPE || named[id] === true, fields[cursor.currentFieldId] ?? undefined, start, end);
        if (!clean && start === end && cursor.nodeIsMissing) node.missing = true;
        // A declaration written as before parses as before.
        const written =
          listed && clean && role === INNER && !outer.has(type) && end - start >= SHORTEST_KEPT ? text.slice(start, end) : undefined;
        const before = written === undefined ? undefined : known?.get(written);
        const reused = before?.type === type && before.field === node.field ? before : undefined;
        if (reused && written !== undefined) {
          known?.delete(written);
          move(reused, start - reused.start);
        }
        const added = reused ?? node;
        if (written !== undefined) copies.set(written, added);
        if (parent.children === noChildren) parent.children = [added];
        else parent.children.push(added);
        if (!reused && role === INNER && cursor.gotoFirstChild()) {
          open.push(parent);
          parent = node;
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
  }
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
