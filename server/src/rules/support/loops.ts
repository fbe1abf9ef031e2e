/** The loops that something stands in. */
import type { Node, Statement } from "../../syntax/ast.ts";
import { type SyntaxIndex, sameSpan } from "./syntax-index.ts";

export type Loop = Statement & { readonly kind: "for" | "while" | "do" | "range-for" };

/** Loops around a node within its function, the innermost first. What a loop does once, before its first turn, stands outside it. */
export function loopsAround(syntax: SyntaxIndex, node: Node): Loop[] {
  const loops: Loop[] = [];
  let child = node;
  for (const { role, node: outer } of syntax.ancestors(node)) {
    if (role === "declaration" && outer.kind === "function") break;
    if (role === "expression" && outer.kind === "lambda") break;
    if (role === "statement") {
      const once = (outer.kind === "for" && sameSpan(child, outer.init)) || (outer.kind === "range-for" && sameSpan(child, outer.range));
      // `do { ... } while (0)` of macros is none.
      const runsOnce = outer.kind === "do" && /^(integer|bool)$/.test(outer.condition.kind);
      if ((outer.kind === "for" || outer.kind === "while" || outer.kind === "do" || outer.kind === "range-for") && !once && !runsOnce)
        loops.push(outer);
    }
    child = outer;
  }
  return loops;
}

export const inLoop = (syntax: SyntaxIndex, node: Node): boolean => loopsAround(syntax, node).length > 0;
