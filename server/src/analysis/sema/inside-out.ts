/** Expressions from the inside out, without recursion. */
import type { Expression } from "../../syntax/ast.ts";
import type { Context } from "./context.ts";

/**
 * The expressions that the type of this one rests on, itself left out: each behind those that it rests on itself.
 * @param isKnown what need not be looked into
 */
export function insideOut(context: Context, root: Expression, isKnown: (expression: Expression) => boolean): Expression[] {
  const found: Expression[] = [];
  const pending = [...operandsOf(context.clarify(root))];
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (isKnown(next)) continue;
    found.push(next);
    pending.push(...operandsOf(context.clarify(next)));
  }
  return found.reverse();
}

/** What is read under another substitution is left out. */
function operandsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case "parenthesized":
      return [expression.inner];
    case "unary":
    case "postfix":
      return [expression.operand];
    case "binary":
      return [expression.left, expression.right];
    case "assign":
      return [expression.left];
    case "conditional":
      return [expression.then, expression.else];
    case "cast":
      return expression.operands;
    case "subscript":
      return [expression.base];
    case "member":
      return [expression.base];
    case "call":
      return [...(expression.callee.kind === "name" ? [] : [expression.callee]), ...expression.arguments].filter(
        ({ kind }) => kind !== "pack",
      );
    default:
      return [];
  }
}
