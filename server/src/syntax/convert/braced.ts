import type { Expression } from "../ast.ts";
import type { CstNode } from "../parser/cst.ts";
import type { Context } from "./context.ts";

/**
 * A value that may be a list in braces where the grammar knows none: in a launch configuration or a default argument.
 * The parser was given parentheses instead, or a number for an empty list.
 */
export function braced(c: Context, node: CstNode): Expression {
  if (c.text.at(node.start) !== "{" || node.type === "initializer_list") return c.expression(node);
  if (node.type === "number_literal") return { start: node.start, end: c.text.indexOf("}", node.start) + 1, kind: "list", elements: [] };
  const value = c.expression(node);
  if (value.kind !== "parenthesized") return value;
  const elements: { value: Expression }[] = [];
  let rest = value.inner;
  while (rest.kind === "binary" && rest.op === ",") {
    elements.push({ value: rest.left });
    rest = rest.right;
  }
  return { start: value.start, end: value.end, kind: "list", elements: [...elements, { value: rest }] };
}
