import type { Expression, TypeNode, VariableDeclaration } from "../ast.ts";
import { type CstNode, child } from "../parser/cst.ts";
import { type Context, span, textOf } from "./context.ts";

/**
 * `int (*rows)[3] = p;` is read as an expression, `int(*rows)` subscripted: declared here when the callee is a type.
 */
export function pointerToArray(c: Context, node: CstNode): VariableDeclaration | undefined {
  const whole = node.children.find((each) => each.named);
  const assigned = whole?.type === "assignment_expression" && textOf(c, child(whole, "operator") ?? node) === "=" ? whole : undefined;
  let target = assigned ? child(assigned, "left") : whole;
  const sizes: Expression[] = [];
  while (target?.type === "subscript_expression") {
    sizes.unshift(...(child(target, "indices")?.children.filter((each) => each.named) ?? []).map((each) => c.expression(each)));
    target = child(target, "argument");
  }
  if (target?.type !== "call_expression" || !sizes.length) return undefined;
  const callee = child(target, "function");
  const argument = child(target, "arguments")?.children.filter((each) => each.named);
  const pointer = argument?.length === 1 ? argument[0] : undefined;
  if (!callee || pointer?.type !== "pointer_expression") return undefined;
  if (callee.type !== "primitive_type" && !(callee.type === "identifier" && c.scope.has(textOf(c, callee)))) return undefined;
  const named = child(pointer, "argument");
  if (named?.type !== "identifier") return undefined;
  const base = c.type(callee);
  const end = target.end;
  const array = sizes.reduceRight<TypeNode>((of, size) => ({ start: base.start, end, kind: "array", of, size }), base);
  const op = textOf(c, child(pointer, "operator") ?? pointer);
  const type: TypeNode =
    op === "*"
      ? { start: base.start, end, kind: "pointer", to: array }
      : { start: base.start, end, kind: "reference", to: array, rvalue: false };
  const value = assigned && child(assigned, "right");
  return {
    ...span(node),
    kind: "variable",
    name: c.name(named),
    type,
    specifiers: {},
    ...(value && { init: { style: "copy", values: [c.expression(value)] } }),
  };
}
