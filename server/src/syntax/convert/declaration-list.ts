import type { Declaration } from "../ast.ts";
import type { CstNode } from "../parser/cst.ts";
import type { Context, Where } from "./context.ts";

/** The declarations between braces, or of a whole file. */
export const list = (c: Context, node: CstNode, where: Where): Declaration[] =>
  node.children.flatMap((each) => (each.named ? (each.piece ? c.piece(each) : c.declarations(each, where)) : []));
