/** What both copiers of the parser's trees do alike: the nodes they make, and what they leave out or enter piece by piece. */
import { type MutableCstNode, noChildren } from "./cst.ts";

/** Tokens that say nothing their parent does not: left out. */
export const punctuation = new Set(["(", ")", "{", "}", ";", ","]);
/** What holds the declarations that are entered one by one. */
export const containers = new Set(["translation_unit", "declaration_list"]);
/** What may hold a container: then its own nodes are few, and copied anew. */
export const outer = new Set(["namespace_definition", "linkage_specification", "declaration_list"]);

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
