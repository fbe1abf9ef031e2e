/** What only names can tell: whether `(T)(y)`, `(T)*p`, `T(x)` and `f<N>(x)` are casts, products, calls or comparisons. */

import type { BuiltinTypeName, Expression, FunctionDeclaration, Name, TypeNode, VariableDeclaration } from "../../syntax/ast.ts";
import { precedences } from "../../syntax/operators.ts";
import { leftChain } from "../../syntax/terms.ts";
import type { Context } from "./context.ts";
import { memberBase } from "./expressions.ts";
import { lastName } from "./scope.ts";

/** `short(x)`: keywords that parsers take for a function's name. */
const keywordTypes: Readonly<Record<string, BuiltinTypeName>> = { short: "short", long: "long", unsigned: "unsigned int", signed: "int" };

/** The expression as C++ reads it; itself when it was not ambiguous. */
export function clarify(context: Context, expression: Expression): Expression {
  if (expression.kind === "call" && !expression.launch) {
    const { callee } = expression;
    if (callee.kind === "parenthesized") {
      const type = asType(context, callee.inner);
      const operand = commaJoined(expression.arguments);
      if (type && operand) return { kind: "cast", style: "c", type, operands: [operand], start: expression.start, end: expression.end };
    } else if (callee.kind === "name" && callee.name.parts.length === 1 && keywordTypes[callee.name.parts[0]?.text ?? ""]) {
      const name = keywordTypes[callee.name.parts[0]?.text ?? ""] ?? "int";
      const type: TypeNode = { kind: "builtin", name, start: callee.start, end: callee.end };
      return { kind: "cast", style: "functional", type, operands: expression.arguments, start: expression.start, end: expression.end };
    } else if (callee.kind === "name" && namesType(context, callee.name)) {
      const type: TypeNode = { kind: "named", name: callee.name, start: callee.start, end: callee.end };
      return { kind: "cast", style: "functional", type, operands: expression.arguments, start: expression.start, end: expression.end };
    } else if (callee.kind === "name" || callee.kind === "member") return comparedVariable(context, callee, expression) ?? expression;
  } else if (expression.kind === "cast" && expression.style === "functional") {
    // A name that is a type elsewhere in the file may be a function here.
    const { type } = expression;
    if (type.kind !== "named" || !namesValue(context, type.name)) return expression;
    const callee: Expression = { kind: "name", name: type.name, start: type.start, end: type.end };
    return { kind: "call", callee, arguments: expression.operands, start: expression.start, end: expression.end };
  } else if (expression.kind === "binary" || expression.kind === "cast" || expression.kind === "unary") {
    const operands = flattened(context, expression);
    if (operands) return rebuilt(operands);
  }
  if (expression.kind === "unary" && expression.op === "+" && isLambda(expression.operand)) return expression.operand;
  if (expression.kind === "binary") {
    const named = operatorCall(expression.left, expression);
    if (named) return named;
    if (expression.left.kind === "parenthesized" && /^[-+*&]$/.test(expression.op)) {
      const type = asType(context, expression.left.inner);
      if (type) return castFirst(type, expression.op, expression.right, expression.start);
    }
    if (expression.op === ">" && expression.left.kind === "binary" && expression.left.op === "<") {
      const { left: name, right: argument } = expression.left;
      if (name.kind === "name" && expression.right.kind === "parenthesized" && namesFunctionTemplate(context, name.name)) {
        return templateCall(name, argument, expression.right, expression);
      }
    }
  }
  return expression;
}

/** `+[] {}`, a pointer to a function, is called like the lambda that it is made of. */
const isLambda = (expression: Expression): boolean =>
  expression.kind === "lambda" || (expression.kind === "parenthesized" && isLambda(expression.inner));

/**
 * `x < f<3>()` and `x < a && b > (c)` come as calls of a template `x`, which is a variable: as operands and operators, put together by
 * precedence. A function's name before the last `<` has what was taken for the arguments of the whole.
 */
function comparedVariable(
  context: Context,
  callee: Expression & { kind: "name" | "member" },
  call: Expression & { kind: "call" },
): Expression | undefined {
  const [argument, more] = callee.name.parts.at(-1)?.templateArguments ?? [];
  const compared = argument && !more && !argument.pack ? argument.expression : undefined;
  if (!compared || !isVariable(context, callee)) return undefined;
  const parts = callee.name.parts.map(({ templateArguments: _, ...part }) => part);
  const flat: Flat = { operands: [{ ...callee, name: { ...callee.name, parts }, end: compared.start }], operators: ["<"] };
  const [last, name] = [spread(compared, flat), flat.operands.at(-2)];
  if (flat.operators.length > 1 && flat.operators.at(-1) === "<" && name && isCallable(context, name)) {
    flat.operators.pop();
    flat.operands.splice(-2, 2, callOfTemplate(name, last, call.arguments, call.end));
  } else {
    const inner = commaJoined(call.arguments);
    if (!inner) return undefined;
    flat.operators.push(">");
    flat.operands.push({ kind: "parenthesized", inner, start: inner.start - 1, end: call.end });
  }
  return rebuilt(flat);
}

/** Takes a sum, a comparison and so on apart; the last of its operands. */
function spread(expression: Expression, flat: Flat): Expression {
  if (expression.kind !== "binary" || expression.op === ",") {
    flat.operands.push(expression);
    return expression;
  }
  spread(expression.left, flat);
  flat.operators.push(expression.op);
  return spread(expression.right, flat);
}

function isVariable(context: Context, expression: Expression & { kind: "name" | "member" }): boolean {
  if (expression.kind === "member") {
    const record = memberBase(context, expression, undefined)?.record;
    const [member] = record ? context.member(record, lastName(expression.name)).entities : [];
    return member?.kind === "variable" && !member.declaration.templateParameters;
  }
  const [first] = context.find(expression.name, undefined).entities;
  return first?.kind === "variable"
    ? !first.declaration.templateParameters
    : first?.kind !== "function" && namesValue(context, expression.name);
}

const isCallable = (context: Context, expression: Expression): expression is Expression & { kind: "name" | "member" } =>
  expression.kind === "member" || (expression.kind === "name" && namesFunctionTemplate(context, expression.name));

/** `operator==(x)`, a member called by its name, which comes as a comparison with a name `operator`. */
function operatorCall(left: Expression, whole: Expression & { kind: "binary" }): Expression | undefined {
  if (left.kind === "unary") {
    const operand = operatorCall(left.operand, whole);
    return operand && { ...left, operand };
  }
  if (left.kind !== "name" || left.name.parts.at(-1)?.text !== "operator" || whole.right.kind !== "parenthesized") return undefined;
  const parts = left.name.parts.map((part) => (part.text === "operator" ? { text: `operator${whole.op}` } : part));
  return {
    kind: "call",
    callee: { ...left, name: { ...left.name, parts } },
    arguments: commaList(whole.right.inner),
    start: left.start,
    end: whole.end,
  };
}

/** Operands and the operators between them: one operator less than operands. */
interface Flat {
  readonly operands: Expression[];
  readonly operators: string[];
}

/**
 * `x >= (low) && (x) <= high` comes as a comparison with a cast to a type `low`: taken apart into operands and operators,
 * to be put together by precedence. Undefined when there is no such cast in it.
 */
function flattened(context: Context, expression: Expression): Flat | undefined {
  if (!holdsValueCast(context, expression)) return undefined;
  const flat: Flat = { operands: [], operators: [] };
  return flatten(context, expression, flat) ? flat : undefined;
}

/** Of the operands of a sum, and so on: whether there is such a cast among them. Those of each part of a long sum are asked for. */
const holding = new WeakMap<Expression, boolean>();

function holdsValueCast(context: Context, root: Expression): boolean {
  const pending: Expression[] = [root];
  for (let at = pending.at(-1); at; at = pending.at(-1)) {
    const parts = joined(at);
    const unknown = parts.filter((part) => !holding.has(part));
    if (unknown.length > 0 && !holding.has(at)) {
      pending.push(...unknown);
      continue;
    }
    pending.pop();
    if (!holding.has(at)) holding.set(at, isValueCast(context, at) || parts.some((part) => holding.get(part)));
  }
  return holding.get(root) ?? false;
}

/** What `flatten` looks into. */
function joined(expression: Expression): readonly Expression[] {
  if (expression.kind === "binary" && expression.op !== ",") return [expression.left, expression.right];
  const operand =
    expression.kind === "unary"
      ? expression.operand
      : expression.kind === "cast" && expression.style === "c"
        ? expression.operands[0]
        : undefined;
  return operand?.kind === "cast" || operand?.kind === "unary" ? [operand] : [];
}

function isValueCast(context: Context, expression: Expression): boolean {
  if (expression.kind !== "cast" || expression.style !== "c") return false;
  const [operand] = expression.operands;
  return operand?.kind === "unary" && /^[-+*&]$/.test(operand.op) && asValue(context, expression) !== undefined;
}

function flatten(context: Context, expression: Expression, flat: Flat): boolean {
  if (expression.kind === "binary" && expression.op !== ",") {
    // A long sum stands to the left.
    const sums = leftChain(expression, ({ op }) => op !== ",");
    let found = flatten(context, (sums[0] ?? expression).left, flat);
    for (const { op, right } of sums) {
      flat.operators.push(op);
      found = flatten(context, right, flat) || found;
    }
    return found;
  }
  const [operand] = expression.kind === "cast" ? expression.operands : [];
  if (expression.kind === "cast" && expression.style === "c" && operand) {
    const inner = operand.kind === "unary" && /^[-+*&]$/.test(operand.op) ? asValue(context, expression) : undefined;
    if (inner && operand.kind === "unary") {
      flat.operands.push({ kind: "parenthesized", inner, start: inner.start - 1, end: inner.end + 1 });
      const twice =
        operand.op === "&" && operand.operand.kind === "unary" && operand.operand.op === "&" ? operand.operand.operand : undefined;
      flat.operators.push(twice ? "&&" : operand.op);
      flatten(context, twice ?? operand.operand, flat);
      return true;
    }
    return (
      flattenFirst(context, operand, flat, (first) => ({ ...expression, operands: [first], end: first.end })) || keep(flat, expression)
    );
  }
  if (expression.kind === "unary")
    return (
      flattenFirst(context, expression.operand, flat, (first) => ({ ...expression, operand: first, end: first.end })) ||
      keep(flat, expression)
    );
  return keep(flat, expression);
}

function keep(flat: Flat, expression: Expression): false {
  flat.operands.push(expression);
  return false;
}

/** What stands in front (a sign, a cast) belongs to the first operand alone. */
function flattenFirst(context: Context, operand: Expression, flat: Flat, wrap: (first: Expression) => Expression): boolean {
  if (operand.kind !== "cast" && operand.kind !== "unary") return false;
  const inner: Flat = { operands: [], operators: [] };
  if (!flatten(context, operand, inner)) return false;
  const [first, ...rest] = inner.operands;
  if (!first) return false;
  flat.operands.push(wrap(first));
  for (const operand of rest) flat.operands.push(operand);
  for (const operator of inner.operators) flat.operators.push(operator);
  return true;
}

function rebuilt({ operands, operators }: Flat): Expression {
  let at = 0;
  const climb = (lowest: number): Expression => {
    let left = operands[at] as Expression;
    for (let op = operators[at]; op !== undefined && (precedences[op] ?? 0) >= lowest; op = operators[at]) {
      at++;
      const right = climb((precedences[op] ?? 0) + 1);
      left = { kind: "binary", op, left, right, start: left.start, end: right.end };
    }
    return left;
  };
  return climb(0);
}

/** What was read as the type of a cast, as the value it is: `a`, `a[i]`, `a * b`; undefined when it is a type. */
function asValue(context: Context, { type, value }: Expression & { kind: "cast" }): Expression | undefined {
  let root = type;
  while (root.kind !== "named") {
    if (root.kind === "pointer" || root.kind === "reference") root = root.to;
    else if (root.kind === "array") root = root.of;
    else if (root.kind === "function") root = root.result;
    else return undefined;
  }
  if (!namesValue(context, root.name)) return undefined;
  return value ?? (root === type ? { kind: "name", name: root.name, start: root.start, end: root.end } : undefined);
}

function namesValue(context: Context, name: Name): boolean {
  const [first] = context.find(name, undefined).entities;
  if (!first) return false;
  return (
    ["parameter", "enumerator", "binding", "capture", "built-in constant", "function"].includes(first.kind) ||
    (first.kind === "variable" && !first.declaration.specifiers.typedef) ||
    (first.kind === "template-parameter" && first.parameter.kind === "value")
  );
}

/** `(T) - y * z` is `((T)-y) * z`: the cast binds the first operand alone. */
function castFirst(type: TypeNode, op: string, right: Expression, start: number): Expression {
  if (right.kind === "binary") return { ...right, left: castFirst(type, op, right.left, start), start };
  if (right.kind === "conditional") return { ...right, condition: castFirst(type, op, right.condition, start), start };
  const operand: Expression = { kind: "unary", op, operand: right, start: right.start - 1, end: right.end };
  return { kind: "cast", style: "c", type, operands: [operand], start, end: right.end };
}

const templateCall = (
  name: Expression & { kind: "name" },
  argument: Expression,
  parenthesized: Expression & { kind: "parenthesized" },
  whole: Expression,
): Expression => callOfTemplate(name, argument, commaList(parenthesized.inner), whole.end);

function callOfTemplate(
  name: Expression & { kind: "name" | "member" },
  argument: Expression,
  given: readonly Expression[],
  end: number,
): Expression {
  const parts = name.name.parts.map((part, index) =>
    index === name.name.parts.length - 1
      ? { ...part, templateArguments: [{ kind: "expression" as const, expression: argument, start: argument.start, end: argument.end }] }
      : part,
  );
  const callee: Expression = { ...name, name: { ...name.name, parts } };
  return { kind: "call", callee, arguments: given, start: name.start, end };
}

function commaList(expression: Expression): Expression[] {
  const found: Expression[] = [];
  let at = expression;
  for (; at.kind === "binary" && at.op === ","; at = at.left) found.push(at.right);
  return [...found, at].reverse();
}

function commaJoined(expressions: readonly Expression[]): Expression | undefined {
  return expressions.length === 0
    ? undefined
    : expressions.reduce((left, right) => ({ kind: "binary", op: ",", left, right, start: left.start, end: right.end }));
}

function asType(context: Context, expression: Expression): TypeNode | undefined {
  if (expression.kind === "name" && namesType(context, expression.name)) {
    return { kind: "named", name: expression.name, start: expression.start, end: expression.end };
  }
  // `(T*)(p)`, read as a product that lacks its right side.
  if (
    expression.kind === "unary" &&
    expression.op === "*" &&
    expression.operand.kind === "name" &&
    namesType(context, expression.operand.name)
  )
    return undefined;
  return undefined;
}

/** Whether a name, looked up where it stands, names a type. */
function namesType(context: Context, name: Name): boolean {
  const [first] = context.find(name, undefined).entities;
  switch (first?.kind) {
    case "record":
    case "enum":
    case "alias":
    case "built-in type":
      return true;
    case "template-parameter":
      return first.parameter.kind === "type" || first.parameter.kind === "template";
    case "variable":
      return first.declaration.specifiers.typedef === true;
    default:
      return false;
  }
}

function namesFunctionTemplate(context: Context, name: Name): boolean {
  if (name.parts.at(-1)?.templateArguments) return false;
  return context
    .find(name, undefined)
    .entities.some((each) => each.kind === "function" && each.declaration.templateParameters !== undefined);
}

/** `T name(...)`: whether it declares a function after all, as every name in the parentheses is a type. */
export function declaresFunction(context: Context, declaration: VariableDeclaration): FunctionDeclaration | undefined {
  const { maybeFunction } = declaration;
  if (!maybeFunction) return undefined;
  const typed = (node: TypeNode): boolean => {
    switch (node.kind) {
      case "named":
        return namesType(context, node.name);
      case "pointer":
      case "reference":
        return typed(node.to);
      case "array":
        return typed(node.of);
      case "function":
        return typed(node.result);
      default:
        return node.kind !== "unknown";
    }
  };
  return maybeFunction.parameters.every((each) => typed(each.type)) ? maybeFunction : undefined;
}
