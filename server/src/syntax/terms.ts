/**
 * Long sums and conditions without recursion: `a + b + c` stands to the left, as deep as it has terms, and generated code has
 * thousands of them.
 */
import type { Expression } from "./ast.ts";

type Binary = Expression & { readonly kind: "binary" };

export function withoutParentheses(expression: Expression): Expression {
  let inner = expression;
  while (inner.kind === "parenthesized") inner = inner.inner;
  return inner;
}

/** What stands between the operators that are joined, as it is written. Parentheses around what is joined are looked into. */
export function termsOf(expression: Expression, joins: (op: string) => boolean): Expression[] {
  const terms: Expression[] = [];
  const pending = [expression];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const inner = withoutParentheses(next);
    if (inner.kind === "binary" && joins(inner.op)) pending.push(inner.right, inner.left);
    else terms.push(next);
  }
  return terms;
}

/** A binary expression and those that it has for its left operand, one in the other: the innermost first. */
export function leftChain(expression: Binary, goesOn: (inner: Binary) => boolean = () => true): Binary[] {
  const chain = [expression];
  for (let { left } = expression; left.kind === "binary" && goesOn(left); { left } = left) chain.push(left);
  return chain.reverse();
}
