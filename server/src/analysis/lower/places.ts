/** The objects that lvalue expressions designate. */
import type { Expression } from "../../syntax/ast.ts";
import { findField } from "../sema/layout.ts";
import { lastName } from "../sema/scope.ts";
import { decay, isClass, pointerTo, referred } from "../sema/type-tools.ts";
import { choose } from "./branches.ts";
import { advance } from "./emit/arithmetic.ts";
import type { Called, Lowering, Place } from "./emit/lowering.ts";
import { alignmentAt, copy, load, spaceOf, store } from "./emit/memory.ts";
import { specialRecord, specialVariable } from "./emit/special-variables.ts";
import { arithmeticOperand, compound, increment, userOperator } from "./expressions.ts";
import { asBase, memberPlace, placeOfName, selfPlace } from "./names.ts";
import { globalVariable, sharedVariable } from "./statics.ts";

/** The object of an expression; a value gets a temporary. */
export function placeOf(lowering: Lowering, written: Expression): Place {
  const { context } = lowering;
  const expression = context.clarify(written);
  switch (expression.kind) {
    case "parenthesized":
      return lowering.place(expression.inner);
    case "name":
      return specialRecord(lowering, expression) ?? namePlace(lowering, expression);
    case "this":
      return temporaryOf(lowering, expression);
    case "unary":
      return unaryPlace(lowering, expression);
    case "subscript":
      return subscriptPlace(lowering, expression);
    case "member":
      return memberOf(lowering, expression);
    case "assign":
      return assignPlace(lowering, expression);
    case "conditional":
      return conditionalPlace(lowering, expression);
    case "call":
      return calledPlace(lowering, lowering.call(expression), expression);
    case "binary":
      if (expression.op === ",") {
        const user = userOperator(lowering, ",", [expression.left, expression.right], expression);
        if (user) return calledPlace(lowering, user, expression);
        lowering.effect(expression.left);
        return lowering.place(expression.right);
      }
      return operatorPlace(lowering, expression, [expression.left, expression.right]) ?? temporaryOf(lowering, expression);
    case "postfix":
      return operatorPlace(lowering, expression, [expression.operand, zero]) ?? temporaryOf(lowering, expression);
    case "cast": {
      const type = context.typeFrom(expression.type, lowering.frame.substitution);
      const [operand] = expression.operands;
      if (type?.kind === "reference" && operand) {
        const place = lowering.place(operand);
        return place.type.kind === "record" && type.to.kind === "record"
          ? asBase(lowering, place, type.to.record)
          : { ...place, type: type.to, node: expression };
      }
      return temporaryOf(lowering, expression);
    }
    case "string":
      return stringPlace(lowering, expression);
    default:
      return temporaryOf(lowering, expression);
  }
}

const zero: Expression = { kind: "integer", value: 0n, suffix: "", text: "0", start: -1, end: -1 };

function namePlace(lowering: Lowering, expression: Expression & { kind: "name" }): Place {
  const info = lowering.context.info(expression, lowering.frame.substitution);
  if (!info || info.lvalue) return placeOfName(lowering, expression);
  // A value has no place; one that nobody knows has no temporary either.
  const [entity] = lowering.context.find(expression.name, lowering.frame.substitution).entities;
  if (entity?.kind === "template-parameter" && lowering.context.constant(expression, lowering.frame.substitution) === undefined)
    return lowering.fail(`the template argument ${lastName(expression.name)} is not known`, expression);
  return temporaryOf(lowering, expression);
}

function operatorPlace(
  lowering: Lowering,
  expression: Expression & { kind: "binary" | "postfix" },
  operands: readonly Expression[],
): Place | undefined {
  const user = userOperator(lowering, expression.op, operands, expression);
  return user && calledPlace(lowering, user, expression);
}

function calledPlace(lowering: Lowering, called: Called, expression: Expression): Place {
  if (called.kind === "place") return { ...called.place, node: expression };
  if (called.kind === "void") return lowering.fail("the value of a function that returns none is used", expression);
  const place = lowering.temporary(decay(lowering.typeOf(expression)), "result", expression);
  store(lowering, place, called.op);
  return place;
}

/** A value kept in memory, so that it has an address. */
function temporaryOf(lowering: Lowering, expression: Expression): Place {
  const type = lowering.typeOf(expression);
  const place = lowering.temporary(type.kind === "array" ? type : decay(type), "temporary", expression);
  lowering.initialise(place, expression);
  return place;
}

function unaryPlace(lowering: Lowering, expression: Expression & { kind: "unary" }): Place {
  const { op, operand } = expression;
  const user = userOperator(lowering, op, [operand], expression);
  if (user) return calledPlace(lowering, user, expression);
  if (op === "++" || op === "--") {
    const place = lowering.place(operand);
    increment(lowering, place, op, expression);
    return place;
  }
  if (op !== "*") return temporaryOf(lowering, expression);
  if (operand.kind === "this") return selfPlace(lowering, expression);
  const type = lowering.typeOf(expression);
  const pointer = lowering.value(operand);
  return { pointer, type, space: spaceOf(pointer), node: expression };
}

function subscriptPlace(lowering: Lowering, expression: Expression & { kind: "subscript" }): Place {
  const baseType = lowering.typeOf(expression.base);
  if (isClass(baseType)) {
    const user = userOperator(lowering, "[]", [expression.base, ...expression.indices], expression);
    return user ? calledPlace(lowering, user, expression) : lowering.fail("[] on something that has none", expression);
  }
  const [index] = expression.indices;
  if (!index) return lowering.fail("a subscript without an index", expression);
  const indexType = lowering.typeOf(index);
  // `2[p]` is `p[2]`.
  const swapped = decay(indexType).kind === "pointer";
  const [base, at] = swapped ? [index, expression.base] : [expression.base, index];
  const pointerType = decay(lowering.typeOf(base));
  if (pointerType.kind !== "pointer") return lowering.fail("[] on something that is neither array nor pointer", expression);
  const array = lowering.typeOf(base).kind === "array" ? lowering.place(base) : undefined;
  const pointer = array?.pointer ?? lowering.value(base);
  const typed = arithmeticOperand(lowering, at);
  const known = lowering.context.constant(at, lowering.frame.substitution);
  const element = advance(lowering, pointer, pointerType.to, typed, false, expression);
  const size = lowering.context.sizeOf(pointerType.to) ?? 1;
  const aligned = array?.align !== undefined ? alignmentAt(known === undefined ? size : Number(known) * size, array.align) : undefined;
  const own = lowering.context.alignOf(pointerType.to) ?? 1;
  return {
    pointer: element,
    type: pointerType.to,
    space: array?.space ?? spaceOf(pointer),
    node: expression,
    ...(aligned !== undefined && aligned > own ? { align: aligned } : {}),
  };
}

function memberOf(lowering: Lowering, expression: Expression & { kind: "member" }): Place {
  const { context, frame } = lowering;
  const name = lastName(expression.name);
  if (!expression.arrow) {
    const special = specialVariable(lowering, expression.base, name);
    if (special) {
      const place = lowering.temporary(lowering.typeOf(expression), name, expression);
      store(lowering, place, special);
      return place;
    }
  }
  const object = objectOf(lowering, expression);
  if (object.type.kind !== "record") return lowering.fail(`.${name} on something that is no record`, expression);
  if (findField(context, object.type.record, name)) return memberPlace(lowering, object, name, expression);
  const found = context.member(object.type.record, name);
  const [entity] = found.entities;
  if (entity?.kind === "variable") {
    const { specifiers } = entity.declaration;
    if (specifiers.shared) return sharedVariable(lowering, entity.declaration, found.record?.substitution, expression);
    return globalVariable(lowering, entity.declaration, found.record?.substitution, expression);
  }
  const constant = context.constant(expression, frame.substitution);
  if (constant !== undefined) return temporaryOf(lowering, expression);
  return lowering.fail(`there is no member ${name}`, expression);
}

/** The object in front of `.` or behind `->`. */
export function objectOf(lowering: Lowering, expression: Expression & { kind: "member" }): Place {
  if (!expression.arrow) return lowering.place(expression.base);
  if (expression.base.kind === "this") return selfPlace(lowering, expression.base);
  const type = lowering.typeOf(expression.base);
  if (isClass(type)) {
    const called = userOperator(lowering, "->", [expression.base], expression.base);
    if (!called) return lowering.fail("-> on something that has none", expression);
    if (called.kind === "value") {
      const resolved = lowering.context.resolveOperator(
        "->",
        [{ info: { type, lvalue: true } }],
        expression.start,
        lowering.frame.substitution,
      );
      const pointer = resolved && referred(lowering.context.resultType(resolved.function, resolved.substitution) ?? pointerTo(type));
      return pointer?.kind === "pointer"
        ? { pointer: called.op, type: pointer.to, space: spaceOf(called.op), node: expression.base }
        : lowering.fail("-> on something that has none", expression);
    }
    return called.kind === "place" ? called.place : lowering.fail("-> on something that has none", expression);
  }
  const pointerType = decay(type);
  if (pointerType.kind !== "pointer") return lowering.fail("-> on something that is no pointer", expression);
  const pointer = lowering.value(expression.base);
  return { pointer, type: pointerType.to, space: spaceOf(pointer), node: expression.base };
}

function assignPlace(lowering: Lowering, expression: Expression & { kind: "assign" }): Place {
  const { op, left, right } = expression;
  const user = userOperator(lowering, `${op}=`, [left, right], expression);
  if (user) return user.kind === "place" ? user.place : lowering.place(left);
  const type = lowering.typeOf(left);
  if (op === "") {
    if (isClass(type) || type.kind === "array") return assignRecord(lowering, left, right);
    const value = lowering.valueAs(right, type);
    const place = lowering.place(left);
    store(lowering, place, value);
    return place;
  }
  if (isClass(type)) {
    // `a += b` with `operator+` but no `operator+=` is no C++; but float4 and its like may convert.
    return lowering.fail(`${op}= on a record that has none`, expression);
  }
  const value = arithmeticOperand(lowering, right);
  const place = lowering.place(left);
  compound(lowering, place, op, value, expression);
  return place;
}

function assignRecord(lowering: Lowering, left: Expression, right: Expression): Place {
  const type = lowering.typeOf(left);
  if (lowering.isLvalue(right)) {
    const place = lowering.place(left);
    assignFrom(lowering, place, right);
    return place;
  }
  // Made aside first: the value may be made from what is assigned to.
  const made = lowering.temporary(decay(type), "value", right);
  lowering.initialise(made, right);
  const place = lowering.place(left);
  copy(lowering, place, made);
  return place;
}

/** Copies an object that an expression names: of one of two from either, so that neither needs an address. */
function assignFrom(lowering: Lowering, place: Place, written: Expression): void {
  const expression = lowering.context.clarify(written);
  if (expression.kind === "parenthesized") {
    assignFrom(lowering, place, expression.inner);
    return;
  }
  if (expression.kind === "conditional" && lowering.context.constant(expression.condition, lowering.frame.substitution) === undefined) {
    choose(lowering, expression, (chosen) => assignFrom(lowering, place, chosen));
    return;
  }
  const { type } = place;
  const from = lowering.place(expression);
  const isBase = type.kind === "record" && from.type.kind === "record" && from.type.record !== type.record;
  copy(lowering, place, isBase ? asBase(lowering, from, type.record) : from);
}

function conditionalPlace(lowering: Lowering, expression: Expression & { kind: "conditional" }): Place {
  const known = lowering.context.constant(expression.condition, lowering.frame.substitution);
  if (known !== undefined) return lowering.place(Number(known) ? expression.then : expression.else);
  if (!lowering.isLvalue(expression)) return temporaryOf(lowering, expression);
  const type = lowering.typeOf(expression);
  const slot = lowering.temporary(pointerTo(type), "choice", expression);
  choose(lowering, expression, (chosen) => store(lowering, slot, lowering.place(chosen).pointer));
  return { pointer: load(lowering, slot), type, space: "generic", node: expression };
}

/** Texts are only ever printed: their bytes matter to nobody, their address must be one. */
function stringPlace(lowering: Lowering, expression: Expression & { kind: "string" }): Place {
  return lowering.temporary(lowering.typeOf(expression), "", expression);
}
