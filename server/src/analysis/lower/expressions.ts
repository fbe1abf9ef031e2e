/** Scalar values of expressions. */
import type { Op } from "@warplens/sim-engine";
import type { Expression, Node } from "../../syntax/ast.ts";
import type { Argument } from "../sema/context.ts";
import { conversionFunction } from "../sema/conversions.ts";
import { lastName } from "../sema/scope.ts";
import { packElement, packNames } from "../sema/template-values.ts";
import {
  boolType,
  decay,
  intType,
  isClass,
  isFloating,
  isInteger,
  isTypeValue,
  referred,
  substituted,
  typeName,
} from "../sema/type-tools.ts";
import type { Type } from "../sema/types.ts";
import { choose, viaBranches } from "./branches.ts";
import { binary, complement, negate, not, type Typed } from "./emit/arithmetic.ts";
import { lowerNew } from "./emit/heap.ts";
import type { Called, Lowering, Place } from "./emit/lowering.ts";
import { load, store } from "./emit/memory.ts";
import { constantOf, convert, scalarOf, truth } from "./emit/scalars.ts";
import { specialVariable } from "./emit/special-variables.ts";
import { constantNamed } from "./statics.ts";
import { nestedTooDeeply, unknownValue } from "./unknown.ts";

/** What an expression is worth, of the type sema gives it. */
export function expressionValue(lowering: Lowering, written: Expression): Op {
  const { context, frame } = lowering;
  const expression = context.clarify(written);
  switch (expression.kind) {
    case "integer":
    case "float":
    case "char":
    case "bool":
      lowering.visit(expression);
      lowering.at(expression);
      return constantOf(lowering, expression.kind === "char" ? BigInt(expression.value) : expression.value, lowering.typeOf(expression));
    case "null":
      lowering.visit(expression);
      return lowering.constant("ptr", 0);
    case "parenthesized":
      return lowering.value(expression.inner);
    case "name":
      return nameValue(lowering, expression);
    case "this":
      lowering.visit(expression);
      return lowering.frame.self?.pointer ?? lowering.fail("`this` outside a member function", expression);
    case "unary":
      return unaryValue(lowering, expression);
    case "postfix":
      return postfixValue(lowering, expression);
    case "binary":
      return binaryValue(lowering, expression);
    case "conditional":
      return conditionalValue(lowering, expression);
    case "assign":
      return load(lowering, lowering.place(expression));
    case "call":
      return calledValue(lowering, lowering.call(expression), expression);
    case "cast":
      return castValue(lowering, expression);
    case "list":
      return listValue(lowering, expression);
    case "sizeof": {
      const value = context.constant(expression, frame.substitution);
      return value === undefined ? lowering.fail("the size of something unknown", expression) : lowering.constant("i64", BigInt(value));
    }
    case "fold":
      return foldValue(lowering, expression);
    case "requires": {
      const holds = context.constant(expression, frame.substitution) ?? lowering.fail("what is required is not known", expression);
      return constantOf(lowering, holds, boolType);
    }
    case "subscript":
    case "member":
    case "string":
      return placeValue(lowering, expression);
    case "new":
      return lowerNew(lowering, expression);
    case "delete":
      return lowering.fail("the value of a deletion is used", expression);
    case "lambda":
      return lowering.constant("ptr", 0);
    case "pack":
      return lowering.fail("a parameter pack is expanded where it cannot be", expression);
    case "unknown":
      return lowering.fail(
        expression.limit ? `the expression's parts ${nestedTooDeeply}` : "the expression could not be parsed",
        expression,
      );
  }
}

/** An lvalue read; arrays and functions become pointers. */
function placeValue(lowering: Lowering, expression: Expression): Op {
  const constant = expression.kind === "member" ? lowering.context.constant(expression, lowering.frame.substitution) : undefined;
  if (constant !== undefined) return constantOf(lowering, constant, lowering.typeOf(expression));
  const special =
    expression.kind === "member" && !expression.arrow ? specialVariable(lowering, expression.base, lastName(expression.name)) : undefined;
  if (special) return special;
  const type = lowering.tryTypeOf(expression);
  if (type?.kind === "function") return lowering.constant("ptr", 0);
  const place = lowering.place(expression);
  return place.type.kind === "array" ? place.pointer : load(lowering, place);
}

function nameValue(lowering: Lowering, expression: Expression & { kind: "name" }): Op {
  lowering.visit(expression);
  const constant = constantNamed(lowering, expression);
  if (constant) {
    lowering.at(expression);
    const type = lowering.tryTypeOf(expression);
    return constantOf(lowering, constant.value, type && scalarOf(type) ? type : typeof constant.value === "boolean" ? boolType : intType);
  }
  const special = specialVariable(lowering, expression, undefined);
  if (special) return special;
  const bound = substituted(lastName(expression.name), lowering.frame.substitution);
  if (bound !== undefined && isTypeValue(bound) && bound.kind === "function") return lowering.constant("ptr", 0);
  return placeValue(lowering, expression);
}

function calledValue(lowering: Lowering, called: Called, node: Node): Op {
  if (called.kind === "value") return called.op;
  if (called.kind === "place") return called.place.type.kind === "array" ? called.place.pointer : load(lowering, called.place);
  return lowering.fail("the value of a function that returns none is used", node);
}

const typed = (lowering: Lowering, expression: Expression): Typed => ({
  op: lowering.value(expression),
  type: decay(lowering.typeOf(expression)),
});

/** The user's operator for an expression, if one is called. */
export function userOperator(
  lowering: Lowering,
  operator: string,
  operands: readonly Expression[],
  node: Node,
  into?: Place,
): Called | undefined {
  const { context, frame } = lowering;
  const args: Argument[] = operands.map((expression) => ({ info: context.info(expression, frame.substitution), expression }));
  if (!args.some((each) => each.info && (isClass(each.info.type) || each.info.type.kind === "enum"))) return undefined;
  const resolved = context.resolveOperator(operator, args, operands[0]?.start ?? -1, frame.substitution);
  if (!resolved) return undefined;
  const [left, ...rest] = operands;
  if (resolved.record && left) return lowering.invoke(resolved, rest, lowering.place(left), node, into);
  return lowering.invoke(resolved, operands, undefined, node, into);
}

const zero: Expression = { kind: "integer", value: 0n, suffix: "", text: "0", start: -1, end: -1 };

function unaryValue(lowering: Lowering, expression: Expression & { kind: "unary" }): Op {
  const { op, operand } = expression;
  const user = userOperator(lowering, op, [operand], expression);
  if (user) return calledValue(lowering, user, expression);
  switch (op) {
    case "-":
      return negate(lowering, typed(lowering, operand), expression).op;
    case "~":
      return complement(lowering, typed(lowering, operand), expression).op;
    case "!":
      return not(lowering, typed(lowering, operand), expression).op;
    case "+":
      return lowering.valueAs(operand, lowering.typeOf(expression));
    case "&": {
      if (lowering.tryTypeOf(operand)?.kind === "function") return lowering.constant("ptr", 0);
      return lowering.place(operand).pointer;
    }
    default:
      return placeValue(lowering, expression);
  }
}

/** Adds one to an object, or takes one; gives the value before and after. */
export function increment(lowering: Lowering, place: Place, op: "++" | "--", node: Node): { readonly before: Op; readonly after: Op } {
  const before = load(lowering, place);
  const after = binary(
    lowering,
    op === "++" ? "+" : "-",
    { op: before, type: place.type },
    { op: lowering.constant("i32", 1), type: intType },
    node,
  );
  const stored = convert(lowering, after.op, after.type, place.type);
  store(lowering, place, stored);
  return { before, after: stored };
}

function postfixValue(lowering: Lowering, expression: Expression & { kind: "postfix" }): Op {
  const user = userOperator(lowering, expression.op, [expression.operand, zero], expression);
  if (user) return calledValue(lowering, user, expression);
  return increment(lowering, lowering.place(expression.operand), expression.op, expression).before;
}

function binaryValue(lowering: Lowering, expression: Expression & { kind: "binary" }): Op {
  const user = userOperator(lowering, expression.op, [expression.left, expression.right], expression);
  if (user) return calledValue(lowering, user, expression);
  if (expression.op === ",") {
    lowering.effect(expression.left);
    return lowering.value(expression.right);
  }
  if (expression.op === "&&" || expression.op === "||") return viaBranches(lowering, expression);
  // A long sum stands to the left, as deep as it has terms.
  const sums = [expression];
  for (let inner = innerSum(lowering, expression); inner; inner = innerSum(lowering, inner)) sums.push(inner);
  const { left, right } = sums.at(-1) ?? expression;
  let value = arithmeticOperand(lowering, left, right);
  for (const sum of sums.reverse()) value = binary(lowering, sum.op, value, arithmeticOperand(lowering, sum.right, sum.left), sum);
  return value.op;
}

/** The left operand, where it is a built-in operator of numbers whose type is known. */
function innerSum(lowering: Lowering, { left }: Expression & { kind: "binary" }): (Expression & { kind: "binary" }) | undefined {
  const { context, frame } = lowering;
  const inner = context.clarify(left);
  if (inner.kind !== "binary" || inner.op === "&&" || inner.op === "||" || inner.op === "," || context.ownSubstitution(left))
    return undefined;
  if (![left, inner.left, inner.right].every((each) => isNumber(context.info(each, frame.substitution)?.type))) return undefined;
  lowering.spend();
  return inner;
}

const isNumber = (type: Type | undefined): boolean =>
  type !== undefined && (isInteger(type) || isFloating(type) || type.kind === "pointer");

/** An operand of a built-in operator; a record gives what its conversion function makes of it. `beside`: the other operand. */
export function arithmeticOperand(lowering: Lowering, expression: Expression, beside?: Expression): Typed {
  const type = lowering.tryTypeOf(expression) ?? unknownType(lowering, beside) ?? lowering.typeOf(expression);
  if (!lowering.tryTypeOf(expression)) return { op: lowering.valueAs(expression, type), type };
  if (type.kind !== "record") return typed(lowering, expression);
  const found = conversionFunction(lowering.context, type.record, undefined);
  if (found) {
    const called = lowering.invoke(found.resolved, [], lowering.place(expression), expression);
    return { op: calledValue(lowering, called, expression), type: found.type };
  }
  return lowering.fail(`${typeName(type)} is used as a number`, expression);
}

/** What is not known is taken to be of the type of what stands beside it. */
function unknownType(lowering: Lowering, beside: Expression | undefined): Type | undefined {
  const type = beside && lowering.tryTypeOf(beside);
  return type && scalarOf(decay(type)) && decay(type).kind !== "pointer" ? decay(type) : undefined;
}

function conditionalValue(lowering: Lowering, expression: Expression & { kind: "conditional" }): Op {
  const type = decay(lowering.typeOf(expression));
  if (type.kind === "void") {
    lowering.effect(expression);
    return lowering.constant("i32", 0);
  }
  const known = lowering.context.constant(expression.condition, lowering.frame.substitution);
  if (known !== undefined) return lowering.valueAs(Number(known) ? expression.then : expression.else, type);
  const slot = lowering.temporary(type, "choice", expression);
  choose(lowering, expression, (chosen) => store(lowering, slot, lowering.valueAs(chosen, type)));
  return load(lowering, slot);
}

function castValue(lowering: Lowering, expression: Expression & { kind: "cast" }): Op {
  const type =
    lowering.context.typeFrom(expression.type, lowering.frame.substitution) ?? lowering.fail("a cast to an unknown type", expression);
  const [operand] = expression.operands;
  if (type.kind === "void") {
    if (operand) lowering.effect(operand);
    return lowering.constant("i32", 0);
  }
  if (type.kind === "reference") return load(lowering, lowering.place(expression));
  if (!operand) return constantOf(lowering, 0n, type);
  return lowering.valueAs(operand, type);
}

function listValue(lowering: Lowering, expression: Expression & { kind: "list" }): Op {
  const type = lowering.typeOf(expression);
  const [first] = expression.elements;
  return first ? lowering.valueAs(first.value, type) : constantOf(lowering, 0n, type);
}

/** A scalar converted to a type, through a record's conversion function where it is one. */
export function valueAs(lowering: Lowering, expression: Expression, to: Type): Op {
  const clear = lowering.context.clarify(expression);
  if (clear.kind === "list" && !clear.type) {
    const [first] = clear.elements;
    return first ? valueAs(lowering, first.value, to) : constantOf(lowering, 0n, to);
  }
  const target = referred(to);
  const from = lowering.tryTypeOf(clear);
  if (!from) return unknownValue(lowering, clear, target);
  if (from.kind === "record") return convertedRecord(lowering, clear, from, target);
  if (from.kind === "lambda" || from.kind === "function") return lowering.constant("ptr", 0);
  const literal = literalAs(lowering, clear, target);
  if (literal) return literal;
  const op = lowering.value(clear);
  lowering.at(clear);
  return convert(lowering, op, decay(from), target);
}

/** A literal takes the type it is converted to at once. */
function literalAs(lowering: Lowering, expression: Expression, to: Type): Op | undefined {
  if (
    (expression.kind !== "integer" && expression.kind !== "float" && expression.kind !== "bool") ||
    !scalarOf(to) ||
    to.kind === "pointer"
  )
    return undefined;
  lowering.visit(expression);
  if (expression.kind === "float" && expression.suffix === "" && to.kind === "floating" && to.name !== "double") {
    lowering.at(expression);
    return constantOf(lowering, expression.value, to);
  }
  if (to.kind === "integer" && to.name === "bool") return undefined;
  lowering.at(expression);
  return constantOf(lowering, expression.kind === "float" && to.kind !== "floating" ? Math.trunc(expression.value) : expression.value, to);
}

function convertedRecord(lowering: Lowering, expression: Expression, from: Type & { kind: "record" }, to: Type): Op {
  const found = conversionFunction(lowering.context, from.record, to);
  if (!found) return lowering.fail(`${typeName(from)} is used as ${typeName(to)}`, expression);
  const called = lowering.invoke(found.resolved, [], lowering.place(expression), expression);
  return convert(lowering, calledValue(lowering, called, expression), found.type, to);
}

function foldValue(lowering: Lowering, expression: Expression & { kind: "fold" }): Op {
  const { frame } = lowering;
  const pattern =
    [expression.left, expression.right].find((each) => each && packNames(each, frame.substitution).length > 0) ??
    lowering.fail("a fold without a pack", expression);
  const other = pattern === expression.left ? expression.right : expression.left;
  const packs = packNames(pattern, frame.substitution);
  const rightFold = pattern === expression.left;
  const operands: Typed[] = [];
  const outer = lowering.frame;
  for (let index = 0; index < (packs[0]?.length ?? 0); index++) {
    lowering.frame = { ...outer, substitution: packElement(packs, index, frame.substitution) };
    if (expression.op === ",") lowering.effect(pattern);
    else operands.push(typed(lowering, pattern));
  }
  lowering.frame = outer;
  if (other) operands.splice(rightFold ? operands.length : 0, 0, typed(lowering, other));
  if (rightFold) operands.reverse();
  const combined = operands.reduce<Typed | undefined>((all, next) => {
    if (!all) return next;
    const [left, right] = rightFold ? [next, all] : [all, next];
    if (expression.op !== "&&" && expression.op !== "||") return binary(lowering, expression.op, left, right, expression);
    return {
      op: lowering.builder.int(expression.op === "&&" ? "and" : "or", truth(lowering, left.op), truth(lowering, right.op)),
      type: boolType,
    };
  }, undefined);
  return combined?.op ?? lowering.constant("i1", expression.op === "&&" ? 1 : 0);
}

/** `left op= right` on an object already found; gives the stored value. */
export function compound(lowering: Lowering, place: Place, op: string, right: Typed, node: Node): Op {
  const old = load(lowering, place);
  const result = binary(lowering, op, { op: old, type: place.type }, right, node);
  const value = convert(lowering, result.op, result.type, place.type);
  store(lowering, place, value);
  return value;
}
