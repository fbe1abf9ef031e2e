/** Initialising objects: records by constructor or member by member, arrays, lambdas. */
import type { Expression, FunctionDeclaration, Node } from "../../syntax/ast.ts";
import { constructorsOf, conversionFunction } from "../sema/conversions.ts";
import { argumentsOf } from "../sema/expressions.ts";
import { pointerTo, recordType, sameUnqualified, typeName } from "../sema/type-tools.ts";
import type { RecordInstance, Type } from "../sema/types.ts";
import { aggregate, hasDefaults } from "./aggregates.ts";
import { choose } from "./branches.ts";
import type { Lowering, Place } from "./emit/lowering.ts";
import { clear, copy, element, leavesOf, part, store } from "./emit/memory.ts";
import { zeroOf } from "./emit/scalars.ts";
import { specialRecord } from "./emit/special-variables.ts";
import { userOperator } from "./expressions.ts";
import { asBase } from "./names.ts";

/** Initialises an object from an expression of its type, or of one that converts to it. */
export function initialise(lowering: Lowering, place: Place, written: Expression): void {
  const { context, frame } = lowering;
  const { type } = place;
  const expression = withoutPacks(lowering, context.clarify(written));
  if (type.kind === "array") {
    initialiseArray(lowering, place, expression);
    return;
  }
  if (type.kind === "lambda") {
    initialiseLambda(lowering, place, expression);
    return;
  }
  if (type.kind !== "record") {
    store(lowering, place, lowering.valueAs(expression, type));
    return;
  }
  switch (expression.kind) {
    case "parenthesized":
      initialise(lowering, place, expression.inner);
      return;
    case "list": {
      const own = expression.type && context.typeFrom(expression.type, frame.substitution);
      if (own && !sameUnqualified(own, type)) break;
      initialiseList(lowering, place, type, expression);
      return;
    }
    case "cast": {
      const to = context.typeFrom(expression.type, frame.substitution);
      if (!to || to.kind === "reference" || !sameUnqualified(to, type)) break;
      lowering.construct(place, expression.operands, expression);
      return;
    }
    case "call": {
      const called = lowering.call(expression, place);
      if (called.kind === "place" && called.place.pointer !== place.pointer) {
        copyRecord(lowering, place, called.place);
        return;
      }
      if (called.kind === "value") lowering.fail("a number initialises a record", expression);
      return;
    }
    case "conditional":
      // Also where it is one of two objects: copied from either, neither needs an address.
      choose(lowering, expression, (chosen) => initialise(lowering, place, chosen));
      return;
    case "binary":
    case "unary": {
      const operands = expression.kind === "binary" ? [expression.left, expression.right] : [expression.operand];
      if (expression.kind === "unary" && (expression.op === "*" || expression.op === "++" || expression.op === "--")) break;
      if (expression.kind === "binary" && expression.op === ",") {
        lowering.effect(expression.left);
        initialise(lowering, place, expression.right);
        return;
      }
      const called = userOperator(lowering, expression.op, operands, expression, place);
      if (!called) break;
      if (called.kind === "place" && called.place.pointer !== place.pointer) {
        copyRecord(lowering, place, called.place);
        return;
      }
      if (called.kind === "place") return;
      break;
    }
    case "name": {
      const special = specialRecord(lowering, expression);
      if (special) {
        copyRecord(lowering, place, special);
        return;
      }
      break;
    }
    default:
      break;
  }
  const from = lowering.typeOf(expression);
  if (from.kind === "record" && (sameUnqualified(from, type) || sameName(from, type))) {
    copyRecord(lowering, place, lowering.place(expression));
    return;
  }
  lowering.construct(place, [expression], expression);
}

/** `{f(values)...}` with an element for each of a pack's. */
function withoutPacks({ context, frame }: Lowering, expression: Expression): Expression {
  if (expression.kind !== "list" || !expression.elements.some(({ value }) => value.kind === "pack")) return expression;
  const values = context.expandPacks(
    expression.elements.map(({ value }) => value),
    frame.substitution,
  );
  return { ...expression, elements: values.map((value) => ({ value })) };
}

/** `uint3` and `dim3` give each other's components. */
const sameName = (a: Type & { kind: "record" }, b: Type & { kind: "record" }): boolean =>
  a.record.declaration.start < 0 &&
  b.record.declaration.start < 0 &&
  /^(dim3|uint3)$/.test(a.record.name) &&
  /^(dim3|uint3)$/.test(b.record.name);

/** Copies a record, or the base of one that a derived one is given for. */
function copyRecord(lowering: Lowering, place: Place, from: Place): void {
  const source =
    place.type.kind === "record" && from.type.kind === "record" && from.type.record !== place.type.record
      ? asBase(lowering, from, place.type.record)
      : from;
  copy(lowering, place, source);
}

function initialiseArray(lowering: Lowering, place: Place, expression: Expression): void {
  const type = place.type as Type & { kind: "array" };
  if (expression.kind === "list") {
    const elements = expression.elements.map((each) => each.value);
    const cursor = { at: 0 };
    fillArray(lowering, place, type, elements, cursor);
    return;
  }
  if (expression.kind === "string") {
    for (let index = 0; index < (type.size ?? 0); index++) {
      store(lowering, element(lowering, place, index, type.of), lowering.constant("i8", expression.value.charCodeAt(index) || 0));
    }
    return;
  }
  copy(lowering, place, lowering.place(expression));
}

/** Elements in order; braces may be left out around inner arrays. What is not given becomes zero. */
function fillArray(
  lowering: Lowering,
  place: Place,
  type: Type & { kind: "array" },
  values: readonly Expression[],
  cursor: { at: number },
): void {
  for (let index = 0; index < (type.size ?? 0); index++) {
    const inner = element(lowering, place, index, type.of);
    const value = values[cursor.at];
    if (!value) {
      clear(lowering, inner);
      continue;
    }
    if (type.of.kind === "array" && value.kind !== "list" && value.kind !== "string") fillArray(lowering, inner, type.of, values, cursor);
    else {
      cursor.at++;
      lowering.initialise(inner, value);
    }
  }
}

/** A lambda's object holds what it captures: values, or the addresses of what it captures by reference. */
function initialiseLambda(lowering: Lowering, place: Place, expression: Expression): void {
  const type = place.type as Type & { kind: "lambda" };
  if (expression.kind !== "lambda") {
    copy(lowering, place, lowering.place(expression));
    return;
  }
  const layout =
    lowering.context.captures(type.lambda, type.substitution) ?? lowering.fail("what a lambda captures is not known", expression);
  for (const field of layout.fields) {
    if (field.of === "this") {
      const self = lowering.frame.self ?? lowering.fail("`this` outside a member function", expression);
      store(lowering, part(lowering, place, field.offset, field.type), self.pointer);
      continue;
    }
    const init = "init" in field.of && "byReference" in field.of ? field.of.init : undefined;
    const name: Expression = init ?? {
      kind: "name",
      name: { parts: [{ text: field.name }], global: false, start: expression.start, end: expression.start },
      start: expression.start,
      end: expression.end,
    };
    if (field.byReference) store(lowering, part(lowering, place, field.offset, pointerTo(field.type)), lowering.place(name).pointer);
    else lowering.initialise(part(lowering, place, field.offset, field.type), name);
  }
}

function initialiseList(lowering: Lowering, place: Place, type: Type & { kind: "record" }, list: Expression & { kind: "list" }): void {
  if (list.elements.some((each) => each.designator !== undefined)) {
    aggregate(lowering, place, type.record, list.elements, list);
    return;
  }
  lowering.construct(
    place,
    list.elements.map((each) => each.value),
    list,
  );
}

/** `T(args)`, `T{args}`, `T x(args)`: a constructor, or members in order. */
export function construct(lowering: Lowering, place: Place, args: readonly Expression[], node: Node): void {
  const { context, frame } = lowering;
  const { type } = place;
  if (type.kind !== "record") {
    if (type.kind === "array" || type.kind === "lambda") {
      const [first] = args;
      if (first)
        lowering.initialise(
          place,
          args.length === 1 ? first : { kind: "list", elements: args.map((value) => ({ value })), start: node.start, end: node.end },
        );
      else if (type.kind === "array") clear(lowering, place);
      return;
    }
    const [first] = args;
    lowering.at(node);
    store(lowering, place, first ? lowering.valueAs(first, type) : zeroScalar(lowering, type, node));
    return;
  }
  const constructors = constructorsOf(context, type.record);
  const own = constructors.entities.filter((each) => each.kind === "function" && !each.declaration.defaulted && !each.declaration.deleted);
  const [only] = args;
  const copied = args.length === 1 && only ? context.info(only, frame.substitution)?.type : undefined;
  if (
    copied &&
    only &&
    sameUnqualified(copied, type) &&
    !own.some((each) => each.kind === "function" && isCopyConstructor(lowering, each.declaration, type.record))
  ) {
    lowering.initialise(place, only);
    return;
  }
  if (own.length > 0) {
    const resolved = context.overload(
      { entities: own, record: type.record },
      undefined,
      argumentsOf(context, args, frame.substitution),
      frame.substitution,
    );
    if (resolved) {
      lowering.invoke(resolved, args, place, node);
      return;
    }
    if (args.length > 0 && !copied) lowering.fail(`no constructor of ${type.record.name} takes these arguments`, node);
  }
  if (copied && only) {
    const called = copied.kind === "record" ? convertRecord(lowering, only, copied, type, node) : undefined;
    if (called) {
      copy(lowering, place, called);
      return;
    }
    if (copied.kind === "record" && context.conversionRank({ type: copied, lvalue: true }, type) === 3) {
      copy(lowering, place, asBase(lowering, lowering.place(only), type.record));
      return;
    }
    if (copied.kind === "record" && sameName(copied, type)) {
      copy(lowering, place, lowering.place(only));
      return;
    }
  }
  if (args.length === 0) {
    if (own.length === 0 && !hasDefaults(lowering, type.record)) clear(lowering, place);
    else lowering.defaultInitialise(place, node);
    return;
  }
  aggregate(
    lowering,
    place,
    type.record,
    args.map((value) => ({ value })),
    node,
  );
}

function zeroScalar(lowering: Lowering, type: Type, node: Node): ReturnType<Lowering["value"]> {
  const [leaf] = leavesOf(lowering, type) ?? [];
  return leaf ? zeroOf(lowering, leaf.scalar) : lowering.fail(`${typeName(type)} has no value`, node);
}

function isCopyConstructor(lowering: Lowering, declaration: FunctionDeclaration, record: RecordInstance): boolean {
  const [parameter, ...rest] = declaration.parameters;
  if (!parameter || rest.some((each) => !each.default) || !declaration.body) return false;
  const type = lowering.context.typeFrom(parameter.type, record.substitution);
  return type?.kind === "reference" && sameUnqualified(type.to, recordType(record));
}

function convertRecord(
  lowering: Lowering,
  expression: Expression,
  from: Type & { kind: "record" },
  to: Type,
  node: Node,
): Place | undefined {
  const found = conversionFunction(lowering.context, from.record, to);
  if (!found || !sameUnqualified(found.type, to)) return undefined;
  const called = lowering.invoke(found.resolved, [], lowering.place(expression), node);
  return called.kind === "place" ? called.place : lowering.fail(`${typeName(from)} is used as ${typeName(to)}`, node);
}
