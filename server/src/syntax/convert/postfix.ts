import type { Expression, LaunchConfiguration } from "../ast.ts";
import { type CstNode, child, childOfType } from "../parser/cst.ts";
import { castType } from "./binary.ts";
import { braced } from "./braced.ts";
import { type Context, type ExpressionConverter, nameExpression, operands, operator, span, textOf, unknownExpression } from "./context.ts";
import { namedType } from "./types.ts";

const castStyles: Readonly<Record<string, "static" | "reinterpret" | "const" | "dynamic">> = {
  static_cast: "static",
  reinterpret_cast: "reinterpret",
  const_cast: "const",
  dynamic_cast: "dynamic",
};

export const call: ExpressionConverter = (c, node) => {
  const callee = child(node, "function");
  const list = child(node, "arguments");
  if (!callee) return unknownExpression(c, node);
  const configuration = childOfType(node, "kernel_call_syntax");
  if (configuration) {
    return {
      start: node.start,
      end: node.end,
      kind: "call",
      callee: c.expression(callee),
      arguments: operands(c, list),
      launch: launch(c, configuration),
    };
  }
  if (callee.type === "primitive_type" || callee.type === "sized_type_specifier") {
    return { start: node.start, end: node.end, kind: "cast", style: "functional", type: c.type(callee), operands: operands(c, list) };
  }
  if ((callee.type === "identifier" && c.scope.has(textOf(c, callee))) || isTypename(c, callee)) {
    return {
      start: node.start,
      end: node.end,
      kind: "cast",
      style: "functional",
      type: namedType(c.name(callee)),
      operands: operands(c, list),
    };
  }
  if (callee.type === "template_function") {
    const style = castStyles[textOf(c, child(callee, "name") ?? callee)];
    const [argument] = style ? c.templateArguments(child(callee, "arguments") ?? callee) : [];
    if (style && argument?.kind === "type")
      return { start: node.start, end: node.end, kind: "cast", style, type: argument.type, operands: operands(c, list) };
  }
  const type = castType(c, callee);
  if (type && list) return { start: node.start, end: node.end, kind: "cast", style: "c", type, operands: [parenthesizedOperands(c, list)] };
  const values = operands(c, list);
  return insideCast(node, c.expression(callee), (base) => ({
    start: node.start,
    end: node.end,
    kind: "call",
    callee: base,
    arguments: values,
  }));
};

/** `typename T::type(3)`: the word was hidden from the parser. */
const isTypename = (c: Context, callee: CstNode): boolean =>
  callee.type === "qualified_identifier" && /\btypename\s+$/.test(c.text.slice(Math.max(0, callee.start - 40), callee.start));

/** `(y)` of `(T)(y)`, which came as a call's arguments; `(T)(a, b)` is a cast of a comma expression. */
function parenthesizedOperands(c: Context, list: CstNode): Expression {
  const inner = operands(c, list).reduce<Expression | undefined>(
    (left, right) => (left ? { start: left.start, end: right.end, kind: "binary", op: ",", left, right } : right),
    undefined,
  );
  return { ...span(list), kind: "parenthesized", inner: inner ?? unknownExpression(c, list) };
}

function launch(c: Context, node: CstNode): LaunchConfiguration {
  const [grid, block, shared, stream] = node.children.filter((each) => each.named).map((each) => braced(c, each));
  return {
    start: node.start,
    end: node.end,
    ...(grid && { grid }),
    ...(block && { block }),
    ...(shared && { shared }),
    ...(stream && { stream }),
  };
}

/**
 * `(T)(y)[i]` came as `((T)(y))[i]`, as if `(T)(y)` were a call; a cast binds looser than what follows its operand, and
 * no cast can stand in front of a postfix operator without parentheses.
 */
function insideCast(node: CstNode, base: Expression, apply: (base: Expression) => Expression): Expression {
  const operand = base.kind === "cast" && base.style === "c" ? base.operands[0] : undefined;
  if (base.kind !== "cast" || !operand) return apply(base);
  return { ...base, end: node.end, operands: [{ ...insideCast(node, operand, apply), start: operand.start }] };
}

export const subscript: ExpressionConverter = (c, node) => {
  const indices = operands(c, child(node, "indices"));
  return insideCast(node, c.expression(child(node, "argument")), (base) => ({
    start: node.start,
    end: node.end,
    kind: "subscript",
    base,
    indices,
  }));
};

export const member: ExpressionConverter = (c, node) => {
  const op = operator(c, node);
  const field = child(node, "field");
  if (!field) return unknownExpression(c, node);
  return insideCast(node, c.expression(child(node, "argument")), (base) => {
    if (op === ".*") return { start: node.start, end: node.end, kind: "binary", op, left: base, right: nameExpression(c, field) };
    return { start: node.start, end: node.end, kind: "member", base, arrow: op === "->", name: c.name(field) };
  });
};
