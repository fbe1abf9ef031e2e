import type { Declaration } from "../ast.ts";
import type { CstNode } from "../parser/cst.ts";
import type { Context, Where } from "./context.ts";

/** The declarations between braces, or of a whole file. */
export function list(c: Context, node: CstNode, where: Where): Declaration[] {
  const found: Declaration[] = [];
  for (const each of node.children) if (each.named) found.push(...c.declarations(each, where));
  return found;
}
