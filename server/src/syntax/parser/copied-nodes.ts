/** What both copiers of the parser's trees do alike: the nodes they make, and what they leave out or enter piece by piece. */
import { type MutableCstNode, noChildren } from "./cst.ts";

/** Tokens that say nothing their parent does not: left out. */
const punctuation = new Set(["(", ")", "{", "}", ";", ","]);
/** What holds the declarations that are entered one by one. */
export const containers = new Set(["translation_unit", "declaration_list"]);
/** What may hold a container: then its own nodes are few, and copied anew. */
export const outer = new Set(["namespace_definition", "linkage_specification", "declaration_list"]);

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
export const SKIPPED = 0;
/** Ends where its type, which is its text, does. */
export const TOKEN = 1;
export const LEAF = 2;
export const INNER = 3;

/** What is to be asked about a node of a type where there are no errors. */
export function roleOfType(type: string, named: boolean): number {
  if (named) return leaves.has(type) ? LEAF : INNER;
  // A token's type is its text, but for launch brackets, which may hold spaces.
  return punctuation.has(type) ? SKIPPED : /^[\w!-/:-@[-`{-~]+$/.test(type) && !/^(<<<|>>>|#.*)$/.test(type) ? TOKEN : INNER;
}

export function addChild(parent: MutableCstNode, node: MutableCstNode): void {
  if (parent.children === noChildren) parent.children = [node];
  else parent.children.push(node);
}

export const makeNode = (type: string, named: boolean, field: string | undefined, start: number, end: number): MutableCstNode => ({
  type,
  named,
  field,
  start,
  end,
  missing: false,
  children: noChildren,
});
