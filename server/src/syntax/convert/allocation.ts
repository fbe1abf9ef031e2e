import type { Expression, TypeNode } from "../ast.ts";
import { child } from "../parser/cst.ts";
import { type Context, type ExpressionConverter, operands } from "./context.ts";

export const create: ExpressionConverter = (c, node) => {
  const specifier = child(node, "type");
  const declarator = child(node, "declarator");
  const list = child(node, "arguments");
  const written: TypeNode = specifier ? c.type(specifier) : { start: node.start, end: node.end, kind: "unknown" };
  const lengths: Expression[] = [];
  for (let next = declarator; next; next = next.children.find((each) => each.type === "new_declarator"))
    lengths.push(c.expression(child(next, "length")));
  const [count, ...inner] = lengths;
  const type = inner.reduceRight<TypeNode>(
    (of, size) => ({ start: written.start, end: written.end, kind: "array", of, size }),
    pointersBehind(c, written),
  );
  const values = list?.type === "initializer_list" ? [c.expression(list)] : operands(c, list);
  const placement = operands(c, child(node, "placement"));
  return {
    start: node.start,
    end: node.end,
    kind: "new",
    type,
    arguments: values,
    ...(count && { count }),
    ...(placement.length > 0 && { placement }),
  };
};

/** `new float *[n]`: the stars are hidden from the parser, but not from us. */
function pointersBehind(c: Context, type: TypeNode): TypeNode {
  const stars = /^[\s*]*/.exec(c.text.slice(type.end, type.end + 16))?.[0] ?? "";
  let made = type;
  for (const star of stars.matchAll(/\*/g)) made = { start: type.start, end: type.end + star.index + 1, kind: "pointer", to: made };
  return made;
}

export const remove: ExpressionConverter = (c, node) => ({
  start: node.start,
  end: node.end,
  kind: "delete",
  operand: c.expression(node.children.findLast((each) => each.named)),
  array: node.children.some((each) => each.type === "["),
});
