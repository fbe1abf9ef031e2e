import type { Expression } from "../ast.ts";
import { type CstNode, child } from "../parser/cst.ts";
import { create, remove } from "./allocation.ts";
import { binary, castType } from "./binary.ts";
import { type Context, type ExpressionConverter, inside, nameExpression, operator, textOf, unknownExpression } from "./context.ts";
import { lambda, statementExpression } from "./lambdas.ts";
import { character, number, stringValue } from "./literals.ts";
import { simpleName } from "./names.ts";
import { call, member, subscript } from "./postfix.ts";

/** Converts an expression node; a node that holds a parse error directly is `unknown`. */
export function expression(c: Context, node: CstNode): Expression {
  const convert = converters.get(node.type);
  if (!convert || node.missing) return unknownExpression(c, node);
  for (const each of node.children) if (each.type === "ERROR" || (each.missing && each.named)) return unknownExpression(c, node);
  return inside(
    c,
    () => convert(c, node),
    (limit) => unknownExpression(c, node, limit),
  );
}

const unary: ExpressionConverter = (c, node) => {
  const op = operator(c, node);
  const operand = c.expression(child(node, "argument"));
  return { start: node.start, end: node.end, kind: "unary", op, operand };
};

const assignment: ExpressionConverter = (c, node) => {
  const written = operator(c, node);
  return {
    start: node.start,
    end: node.end,
    kind: "assign",
    op: written.slice(0, -1),
    left: c.expression(child(node, "left")),
    right: c.expression(child(node, "right")),
  };
};

const conditional: ExpressionConverter = (c, node) => {
  const condition = c.expression(child(node, "condition"));
  const consequence = child(node, "consequence");
  return {
    start: node.start,
    end: node.end,
    kind: "conditional",
    condition,
    then: consequence ? c.expression(consequence) : condition,
    else: c.expression(child(node, "alternative")),
  };
};

const update: ExpressionConverter = (c, node) => {
  const op = operator(c, node) === "--" ? "--" : "++";
  const prefix = node.children[0]?.field === "operator";
  const operand = c.expression(child(node, "argument"));
  return prefix
    ? { start: node.start, end: node.end, kind: "unary", op, operand }
    : { start: node.start, end: node.end, kind: "postfix", op, operand };
};

const cast: ExpressionConverter = (c, node) => {
  const type = child(node, "type");
  const value = type && maybeValue(c, type, child(node, "value"));
  return {
    start: node.start,
    end: node.end,
    kind: "cast",
    style: "c",
    type: type ? c.typeDescriptor(type) : { start: node.start, end: node.end, kind: "unknown" },
    operands: [c.expression(child(node, "value"))],
    ...(value && { value }),
  };
};

/** `(a * b) - c` may come as a cast of `-c`, where no type is known that is called `a`: the parentheses as an expression. */
function maybeValue(c: Context, type: CstNode, operand: CstNode | undefined): Expression | undefined {
  const specifier = child(type, "type");
  if (specifier?.type !== "type_identifier" || c.scope.has(textOf(c, specifier))) return undefined;
  if (operand?.type !== "unary_expression" && operand?.type !== "pointer_expression") return undefined;
  if (!child(type, "declarator")) return { start: specifier.start, end: specifier.end, kind: "name", name: c.name(specifier) };
  return c.operands(type.start, type.end)[0];
}

const list: ExpressionConverter = (c, node) => {
  const elements: { designator?: string; value: Expression }[] = [];
  for (const each of node.children) {
    if (!each.named || each.type === "comment") continue;
    if (each.type !== "initializer_pair") {
      elements.push({ value: c.expression(each) });
      continue;
    }
    const designators = each.children.filter((part) => part.field === "designator").map((part) => textOf(c, part).replace(/^\./, ""));
    elements.push({ designator: designators.join("."), value: c.expression(child(each, "value")) });
  }
  return { start: node.start, end: node.end, kind: "list", elements };
};

const compoundLiteral: ExpressionConverter = (c, node) => {
  const type = child(node, "type");
  const value = child(node, "value");
  const made = value ? list(c, value) : unknownExpression(c, node);
  if (!type || made.kind !== "list") return made;
  return { ...made, start: node.start, end: node.end, type: type.type === "type_descriptor" ? c.typeDescriptor(type) : c.type(type) };
};

const sizeOf: ExpressionConverter = (c, node) => {
  // Given to the parser as sizeof, which takes types as well.
  if (c.text.startsWith("typeid", node.start)) return unknownExpression(c, node);
  const align = node.type === "alignof_expression";
  const type = child(node, "type");
  if (type) return { start: node.start, end: node.end, kind: "sizeof", align, type: c.typeDescriptor(type) };
  const value = child(node, "value");
  if (value && node.children.some((each) => each.type === "..."))
    return { start: node.start, end: node.end, kind: "sizeof", align, packName: textOf(c, value) };
  const known = value && castType(c, value);
  return known
    ? { start: node.start, end: node.end, kind: "sizeof", align, type: known }
    : { start: node.start, end: node.end, kind: "sizeof", align, operand: c.expression(value) };
};

const parenthesized: ExpressionConverter = (c, node) => {
  const inner = node.children.find((each) => each.named && each.type !== "comment");
  if (inner?.type === "compound_statement") return statementExpression(c, inner);
  // `(a = 5, b)`, which is an error to the grammar.
  if (inner?.children.some(({ type }) => type === "ERROR")) {
    const [first, ...more] = c.operands(inner.start, inner.end);
    if (first && more.length > 0) return { start: node.start, end: node.end, kind: "parenthesized", inner: inSequence(first, more) };
  }
  return { start: node.start, end: node.end, kind: "parenthesized", inner: c.expression(inner) };
};

const fold: ExpressionConverter = (c, node) => {
  const left = child(node, "left");
  const right = child(node, "right");
  // The comma of `(f(args), ...)` is no operator to the grammar.
  const op = operator(c, node) || ",";
  return {
    start: node.start,
    end: node.end,
    kind: "fold",
    op,
    ...(left?.named && { left: c.expression(left) }),
    ...(right?.named && { right: c.expression(right) }),
  };
};

const inSequence = (first: Expression, more: readonly Expression[]): Expression =>
  more.reduce((left, right) => ({ start: left.start, end: right.end, kind: "binary", op: ",", left, right }), first);

const comma: ExpressionConverter = (c, node) => ({
  start: node.start,
  end: node.end,
  kind: "binary",
  op: ",",
  left: c.expression(child(node, "left")),
  right: c.expression(child(node, "right")),
});

/** `C<T> && D<T>` behind `requires`. */
function constraint(op: string): ExpressionConverter {
  return (c, node) => ({
    start: node.start,
    end: node.end,
    kind: "binary",
    op,
    left: c.expression(child(node, "left")),
    right: c.expression(child(node, "right")),
  });
}

function requires(c: Context, node: CstNode): Expression {
  const at = { start: node.start, end: node.end };
  const list = child(node, "parameters");
  const tested = (child(node, "requirements")?.children ?? []).flatMap((each) => {
    if (each.type !== "simple_requirement" && each.type !== "compound_requirement") return [];
    const expression = c.expression(each.children.find((inner) => inner.named));
    return [{ start: each.start, end: each.end, kind: "expression" as const, expression }];
  });
  const body = { ...at, kind: "block" as const, body: tested };
  const parameters = list ? c.parameters(list).parameters : [];
  return { ...at, kind: "requires", tested: { ...at, kind: "lambda", captures: [], parameters, specifiers: {}, body } };
}

const pack: ExpressionConverter = (c, node) => ({
  start: node.start,
  end: node.end,
  kind: "pack",
  pattern: c.expression(child(node, "pattern")),
});

const converters: ReadonlyMap<string, ExpressionConverter> = new Map<string, ExpressionConverter>([
  ...[
    "identifier",
    "field_identifier",
    "type_identifier",
    "namespace_identifier",
    "qualified_identifier",
    "template_function",
    "template_method",
    "template_type",
    "operator_name",
    "dependent_name",
  ].map((type): [string, ExpressionConverter] => [type, nameExpression]),
  ["number_literal", number],
  ["char_literal", character],
  ["string_literal", (c, node) => ({ start: node.start, end: node.end, kind: "string", value: stringValue(c, node) })],
  ["raw_string_literal", (c, node) => ({ start: node.start, end: node.end, kind: "string", value: stringValue(c, node) })],
  ["concatenated_string", (c, node) => ({ start: node.start, end: node.end, kind: "string", value: stringValue(c, node) })],
  [
    "user_defined_literal",
    (c, node) => {
      const [literal] = node.children;
      return literal?.type === "number_literal" ? number(c, node) : c.expression(literal);
    },
  ],
  ["true", (_, node) => ({ start: node.start, end: node.end, kind: "bool", value: true })],
  ["false", (_, node) => ({ start: node.start, end: node.end, kind: "bool", value: false })],
  ["null", (_, node) => ({ start: node.start, end: node.end, kind: "null" })],
  ["this", (_, node) => ({ start: node.start, end: node.end, kind: "this" })],
  ["unary_expression", unary],
  ["pointer_expression", unary],
  ["update_expression", update],
  ["binary_expression", binary],
  ["assignment_expression", assignment],
  ["conditional_expression", conditional],
  ["comma_expression", comma],
  ["call_expression", call],
  ["subscript_expression", subscript],
  ["field_expression", member],
  ["cast_expression", cast],
  ["initializer_list", list],
  ["compound_literal_expression", compoundLiteral],
  ["sizeof_expression", sizeOf],
  ["alignof_expression", sizeOf],
  ["new_expression", create],
  ["delete_expression", remove],
  ["lambda_expression", lambda],
  ["parenthesized_expression", parenthesized],
  ["constraint_conjunction", constraint("&&")],
  ["constraint_disjunction", constraint("||")],
  ["requires_expression", requires],
  ["fold_expression", fold],
  ["parameter_pack_expansion", pack],
  ["extension_expression", (c, node) => c.expression(node.children.find((each) => each.named))],
  ["primitive_type", (c, node) => ({ start: node.start, end: node.end, kind: "name", name: simpleName(node, textOf(c, node)) })],
]);
