/** What only names can tell: whether `(T)(y)`, `(T)*p`, `T(x)` and `f<N>(x)` are casts, products, calls or comparisons. */

import type { BuiltinTypeName, Expression, FunctionDeclaration, TypeNode, VariableDeclaration } from "../../syntax/ast.ts";
import type { Context } from "./context.ts";
import { namesFunctionTemplate, namesType, namesValue } from "./name-kinds.ts";
import { callOfTemplate, commaJoined, commaList, regrouped } from "./regroup.ts";

/** `short(x)`: keywords that parsers take for a function's name. */
const keywordTypes: Readonly<Record<string, BuiltinTypeName>> = { short: "short", long: "long", unsigned: "unsigned int", signed: "int" };

/** The expression as C++ reads it; itself when it was not ambiguous. */
export function clarify(context: Context, expression: Expression): Expression {
  const operators = regrouped(context, expression);
  if (operators) return operators;
  if (expression.kind === "call" && !expression.launch) return clarifiedCall(context, expression);
  if (expression.kind === "cast" && expression.style === "functional") {
    // A name that is a type elsewhere in the file may be a function here.
    const { type } = expression;
    if (type.kind !== "named" || !namesValue(context, type.name)) return expression;
    const callee: Expression = { kind: "name", name: type.name, start: type.start, end: type.end };
    return { kind: "call", callee, arguments: expression.operands, start: expression.start, end: expression.end };
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
      if (name.kind === "name" && expression.right.kind === "parenthesized" && namesFunctionTemplate(context, name.name))
        return callOfTemplate(name, [argument], commaList(expression.right.inner), expression.end);
    }
  }
  return expression;
}

function clarifiedCall(context: Context, call: Expression & { kind: "call" }): Expression {
  const { callee, start, end } = call;
  if (callee.kind === "parenthesized") {
    const type = asType(context, callee.inner);
    const operand = commaJoined(call.arguments);
    if (type && operand) return { kind: "cast", style: "c", type, operands: [operand], start, end };
  } else if (callee.kind === "name" && callee.name.parts.length === 1 && keywordTypes[callee.name.parts[0]?.text ?? ""]) {
    const name = keywordTypes[callee.name.parts[0]?.text ?? ""] ?? "int";
    const type: TypeNode = { kind: "builtin", name, start: callee.start, end: callee.end };
    return { kind: "cast", style: "functional", type, operands: call.arguments, start, end };
  } else if (callee.kind === "name" && namesType(context, callee.name)) {
    const type: TypeNode = { kind: "named", name: callee.name, start: callee.start, end: callee.end };
    return { kind: "cast", style: "functional", type, operands: call.arguments, start, end };
  }
  // `f(a < b, c > (d))` comes as a call with one argument.
  const given = call.arguments.map((argument) => regrouped(context, argument));
  if (!given.some((each) => each?.kind === "binary" && each.op === ",")) return call;
  return { ...call, arguments: call.arguments.flatMap((argument, index) => (given[index] ? commaList(given[index]) : [argument])) };
}

/** `+[] {}`, a pointer to a function, is called like the lambda that it is made of. */
const isLambda = (expression: Expression): boolean =>
  expression.kind === "lambda" || (expression.kind === "parenthesized" && isLambda(expression.inner));

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

/** `(T) - y * z` is `((T)-y) * z`: the cast binds the first operand alone. */
function castFirst(type: TypeNode, op: string, right: Expression, start: number): Expression {
  if (right.kind === "binary") return { ...right, left: castFirst(type, op, right.left, start), start };
  if (right.kind === "conditional") return { ...right, condition: castFirst(type, op, right.condition, start), start };
  const operand: Expression = { kind: "unary", op, operand: right, start: right.start - 1, end: right.end };
  return { kind: "cast", style: "c", type, operands: [operand], start, end: right.end };
}

const asType = (context: Context, expression: Expression): TypeNode | undefined =>
  expression.kind === "name" && namesType(context, expression.name)
    ? { kind: "named", name: expression.name, start: expression.start, end: expression.end }
    : undefined;

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
