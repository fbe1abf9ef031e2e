import type { Expression, LambdaCapture, LaunchConfiguration, Specifiers, Statement, TypeNode } from "../ast.ts";
import { type CstNode, child, childOfType } from "../parser/cst.ts";
import { binary, castType } from "./binary.ts";
import { braced } from "./braced.ts";
import { type Context, MAX_DEPTH, operator, span, textOf } from "./context.ts";
import { character, number, stringValue } from "./literals.ts";
import { lastPart, simpleName } from "./names.ts";
import { declare, namedType } from "./types.ts";

type Converter = (c: Context, node: CstNode) => Expression;

/** Converts an expression node; a node that holds a parse error directly is `unknown`. */
export function expression(c: Context, node: CstNode): Expression {
  const convert = converters.get(node.type);
  if (!convert || node.missing || c.depth >= MAX_DEPTH) return unknown(c, node);
  for (const each of node.children) if (each.type === "ERROR" || (each.missing && each.named)) return unknown(c, node);
  c.depth++;
  const converted = convert(c, node);
  c.depth--;
  return converted;
}

export const unknown = (c: Context, node: CstNode): Expression => ({
  start: node.start,
  end: node.end,
  kind: "unknown",
  text: textOf(c, node),
});

const nameExpression: Converter = (c, node) => ({ start: node.start, end: node.end, kind: "name", name: c.name(node) });

const unary: Converter = (c, node) => {
  const op = operator(c, node);
  const operand = c.expression(child(node, "argument"));
  return { start: node.start, end: node.end, kind: "unary", op, operand };
};

const assignment: Converter = (c, node) => {
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

const conditional: Converter = (c, node) => {
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

const update: Converter = (c, node) => {
  const op = operator(c, node) === "--" ? "--" : "++";
  const prefix = node.children[0]?.field === "operator";
  const operand = c.expression(child(node, "argument"));
  return prefix
    ? { start: node.start, end: node.end, kind: "unary", op, operand }
    : { start: node.start, end: node.end, kind: "postfix", op, operand };
};

/** The operands of an argument or initialiser list. */
export function operands(c: Context, list: CstNode | undefined): Expression[] {
  const found: Expression[] = [];
  for (const each of list?.children ?? []) if (each.named && each.type !== "comment") found.push(c.expression(each));
  return found;
}

const castStyles: Readonly<Record<string, "static" | "reinterpret" | "const" | "dynamic">> = {
  static_cast: "static",
  reinterpret_cast: "reinterpret",
  const_cast: "const",
  dynamic_cast: "dynamic",
};

const call: Converter = (c, node) => {
  const callee = child(node, "function");
  const list = child(node, "arguments");
  if (!callee) return unknown(c, node);
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
  if (callee.type === "identifier" && c.scope.has(textOf(c, callee))) {
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

/** `(y)` of `(T)(y)`, which came as a call's arguments; `(T)(a, b)` is a cast of a comma expression. */
function parenthesizedOperands(c: Context, list: CstNode): Expression {
  const inner = operands(c, list).reduce<Expression | undefined>(
    (left, right) => (left ? { start: left.start, end: right.end, kind: "binary", op: ",", left, right } : right),
    undefined,
  );
  return { ...span(list), kind: "parenthesized", inner: inner ?? unknown(c, list) };
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
  if (base.kind !== "cast" || base.style !== "c") return { ...apply(base), start: node.start, end: node.end };
  const [operand] = base.operands;
  if (!operand) return { ...apply(base), start: node.start, end: node.end };
  return { ...base, end: node.end, operands: [{ ...insideCast(node, operand, apply), start: operand.start }] };
}

const subscript: Converter = (c, node) => {
  const indices = operands(c, child(node, "indices"));
  return insideCast(node, c.expression(child(node, "argument")), (base) => ({
    start: node.start,
    end: node.end,
    kind: "subscript",
    base,
    indices,
  }));
};

const member: Converter = (c, node) => {
  const op = operator(c, node);
  const field = child(node, "field");
  if (!field) return unknown(c, node);
  return insideCast(node, c.expression(child(node, "argument")), (base) => {
    if (op === ".*") return { start: node.start, end: node.end, kind: "binary", op, left: base, right: nameExpression(c, field) };
    return { start: node.start, end: node.end, kind: "member", base, arrow: op === "->", name: c.name(field) };
  });
};

const cast: Converter = (c, node) => {
  const type = child(node, "type");
  return {
    start: node.start,
    end: node.end,
    kind: "cast",
    style: "c",
    type: type ? c.typeDescriptor(type) : { start: node.start, end: node.end, kind: "unknown" },
    operands: [c.expression(child(node, "value"))],
  };
};

const list: Converter = (c, node) => {
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

const compoundLiteral: Converter = (c, node) => {
  const type = child(node, "type");
  const value = child(node, "value");
  const made = value ? list(c, value) : unknown(c, node);
  if (!type || made.kind !== "list") return made;
  return { ...made, start: node.start, end: node.end, type: type.type === "type_descriptor" ? c.typeDescriptor(type) : c.type(type) };
};

const sizeOf: Converter = (c, node) => {
  // Given to the parser as sizeof, which takes types as well.
  if (c.text.startsWith("typeid", node.start)) return unknown(c, node);
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

const create: Converter = (c, node) => {
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
  return { start: node.start, end: node.end, kind: "new", type, arguments: values, ...(count && { count }) };
};

/** `new float *[n]`: the stars are hidden from the parser, but not from us. */
function pointersBehind(c: Context, type: TypeNode): TypeNode {
  const stars = /^[\s*]*/.exec(c.text.slice(type.end, type.end + 16))?.[0] ?? "";
  let made = type;
  for (const star of stars.matchAll(/\*/g)) made = { start: type.start, end: type.end + star.index + 1, kind: "pointer", to: made };
  return made;
}

const remove: Converter = (c, node) => ({
  start: node.start,
  end: node.end,
  kind: "delete",
  operand: c.expression(node.children.findLast((each) => each.named)),
  array: node.children.some((each) => each.type === "["),
});

const lambda: Converter = (c, node) => {
  const captures: LambdaCapture[] = [];
  let captureDefault: "=" | "&" | undefined;
  let byReference = false;
  for (const each of child(node, "captures")?.children ?? []) {
    if (each.type === "lambda_default_capture") captureDefault = textOf(c, each) === "&" ? "&" : "=";
    else if (each.type === "&") byReference = true;
    else if (each.named) {
      captures.push(capture(c, each, byReference));
      byReference = false;
    }
  }
  const declarator = child(node, "declarator");
  const body = child(node, "body");
  const declared = declare(c, { start: node.start, end: node.start, kind: "auto" }, declarator).function;
  const returned = declarator?.children.find((each) => each.type === "trailing_return_type");
  const marks: { device?: boolean; host?: boolean } = {};
  for (const { kind } of c.annotations.attributes(node.start, declarator?.start ?? body?.start ?? node.start))
    if (kind === "device" || kind === "host") marks[kind] = true;
  const specifiers: Specifiers = marks;
  return {
    start: node.start,
    end: node.end,
    kind: "lambda",
    captures,
    parameters: declared?.parameters ?? [],
    specifiers,
    body: body ? c.block(body) : { start: node.start, end: node.end, kind: "empty" },
    ...(captureDefault && { captureDefault }),
    ...(returned && declared && { result: declared.result }),
  };
};

function capture(c: Context, node: CstNode, outerReference: boolean): LambdaCapture {
  if (node.type !== "lambda_capture_initializer")
    return { start: node.start, end: node.end, name: textOf(c, node), byReference: outerReference };
  const left = child(node, "left");
  const byReference = outerReference || node.children.some((each) => each.type === "&");
  return { start: node.start, end: node.end, name: left ? textOf(c, left) : "", byReference, init: c.expression(child(node, "right")) };
}

/** GNU's `({ ...; value; })`, as a lambda that is called at once. */
function statementExpression(c: Context, node: CstNode): Expression {
  const block = c.block(node);
  const last = block.body.at(-1);
  const body: Statement =
    last?.kind === "expression"
      ? { ...block, body: [...block.body.slice(0, -1), { start: last.start, end: last.end, kind: "return", value: last.expression }] }
      : block;
  const at = { start: node.start, end: node.end };
  return {
    ...at,
    kind: "call",
    callee: { ...at, kind: "lambda", captures: [], captureDefault: "&", parameters: [], specifiers: {}, body },
    arguments: [],
  };
}

const parenthesized: Converter = (c, node) => {
  const inner = node.children.find((each) => each.named && each.type !== "comment");
  if (inner?.type === "compound_statement") return statementExpression(c, inner);
  return { start: node.start, end: node.end, kind: "parenthesized", inner: c.expression(inner) };
};

const fold: Converter = (c, node) => {
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

const comma: Converter = (c, node) => ({
  start: node.start,
  end: node.end,
  kind: "binary",
  op: ",",
  left: c.expression(child(node, "left")),
  right: c.expression(child(node, "right")),
});

const pack: Converter = (c, node) => ({ start: node.start, end: node.end, kind: "pack", pattern: c.expression(child(node, "pattern")) });

const converters: ReadonlyMap<string, Converter> = new Map<string, Converter>([
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
  ].map((type): [string, Converter] => [type, nameExpression]),
  ["number_literal", number],
  ["char_literal", character],
  ["string_literal", (c, node) => ({ start: node.start, end: node.end, kind: "string", value: stringValue(c, node) })],
  ["raw_string_literal", (c, node) => ({ start: node.start, end: node.end, kind: "string", value: stringValue(c, node) })],
  ["concatenated_string", (c, node) => ({ start: node.start, end: node.end, kind: "string", value: stringValue(c, node) })],
  ["user_defined_literal", (c, node) => (node.children[0]?.type === "number_literal" ? number(c, node) : unknown(c, node))],
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
  ["fold_expression", fold],
  ["parameter_pack_expansion", pack],
  ["extension_expression", (c, node) => c.expression(node.children.find((each) => each.named))],
  ["primitive_type", (c, node) => ({ start: node.start, end: node.end, kind: "name", name: simpleName(node, textOf(c, node)) })],
]);

/** The text of a callee's last name, for messages and tests. */
export const calleeName = (call: Expression & { kind: "call" }): string => (call.callee.kind === "name" ? lastPart(call.callee.name) : "");
