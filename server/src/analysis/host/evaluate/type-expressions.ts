/** Expressions that name types: casts, `sizeof`, `new`. */
import type { Expression } from "../../../syntax/ast.ts";
import { withoutParentheses } from "../../../syntax/terms.ts";
import { hostType } from "../memory/host-types.ts";
import type { Interpreter } from "../memory/interpreter.ts";
import { unknownContent, zeroContent } from "../memory/journal.ts";
import { dereferenced } from "../memory/pointees.ts";
import { read, sizeOf, write } from "../memory/read-write.ts";
import { originOf } from "../memory/watch.ts";
import { constructFrom, fromExpression, makeElements } from "../resolve/construct.ts";
import { converted } from "../resolve/overloaded.ts";
import { packLength } from "../resolve/packs.ts";
import { placeOf } from "../resolve/places.ts";
import { Allocation, Cell, type HostType, type Value } from "../values/model.ts";
import { typeOfValue } from "../values/type-of-value.ts";
import { int, numberOf, pointer, unknown, voidValue } from "../values/values.ts";
import { evaluateArguments } from "./arguments.ts";
import { temporary } from "./destroy.ts";

export function evaluateCast(host: Interpreter, e: Expression & { readonly kind: "cast" }): Value {
  const type = hostType(host, e.type);
  if (e.style === "functional" && (type?.kind === "record" || type?.kind === "container" || e.operands.length !== 1)) {
    return type === undefined
      ? unknown("a class of a library")
      : temporary(host, constructFrom(host, type, evaluateArguments(host, e.operands), false));
  }
  const [operand] = e.operands;
  if (operand === undefined) return unknown("an empty cast");
  if (type?.kind === "void") {
    host.evaluate(operand);
    return voidValue;
  }
  const value = host.evaluate(operand);
  if (type === undefined && e.type.kind === "pointer" && value.kind === "pointer") return { ...value, to: undefined };
  return converted(host, value, type);
}

export function evaluateSizeof(host: Interpreter, e: Expression & { readonly kind: "sizeof" }): Value {
  if (e.packName !== undefined) {
    const length = packLength(host, e.packName);
    return length === undefined ? unknown("a parameter pack") : int(length, "ulong");
  }
  const node = e.type;
  let type: HostType | undefined;
  if (node !== undefined) type = hostType(host, node);
  else if (e.operand !== undefined) {
    const place = placeOf(host, e.operand);
    if (
      place instanceof Cell &&
      place.type?.kind === "array" &&
      place.value.kind === "pointer" &&
      place.value.target instanceof Allocation
    ) {
      const { bytes } = place.value.target.summary;
      if (bytes !== undefined) return int(bytes, "ulong");
    }
    // An alias or a template's type, which reads as a value.
    const inner = withoutParentheses(e.operand);
    const named = place === undefined && inner.kind === "name" ? hostType(host, { ...inner, kind: "named" }) : undefined;
    type =
      named ??
      place?.type ??
      typeOfValue(place === undefined ? host.evaluate(e.operand) : read(host, place)) ??
      host.semantics.typeOf(e.operand, host.frame.substitution);
  }
  const bytes = type === undefined ? undefined : e.align && type.kind !== "container" ? host.semantics.alignOf(type) : sizeOf(host, type);
  return bytes === undefined ? unknown("the size of a type that is not known") : int(bytes, "ulong");
}

export function evaluateNew(host: Interpreter, e: Expression & { readonly kind: "new" }): Value {
  const type = hostType(host, e.type);
  const where = e.placement?.length === 1 && e.placement[0] ? host.evaluate(e.placement[0]) : undefined;
  const [only] = e.arguments;
  const list = only?.kind === "list" && only.type === undefined ? only : undefined;
  if (e.count === undefined && list && type?.kind === "record") return madeAt(host, where, fromExpression(host, type, list), type);
  if (e.count === undefined) {
    const args = evaluateArguments(host, e.arguments);
    const value = type === undefined ? unknown("an object of a class of a library") : constructFrom(host, type, args, false);
    return madeAt(host, where, value, type);
  }
  const count = host.evaluate(e.count);
  const elementBytes = sizeOf(host, type);
  const elements = numberOf(count);
  const bytes = elements === undefined || elementBytes === undefined ? undefined : elements * elementBytes;
  const shape = elementBytes === undefined ? {} : { elementBytes };
  const made = new Allocation("", "host", type, {
    bytes,
    why: count,
    // What a list does not give is 0.
    ...(list ? { content: zeroContent } : { content: unknownContent, reason: "memory that nothing was written to" }),
    ...shape,
  });
  if (!list) makeElements(host, made, type, elements);
  if (elementBytes !== undefined)
    for (const [k, { value }] of (list?.elements ?? []).entries())
      made.cells.set(k * elementBytes, new Cell(fromExpression(host, type, value), type, undefined, true));
  // A class may have its own way to get memory.
  if (type?.kind === "integer" || type?.kind === "floating") made.origin = originOf(host, e, true, undefined, e.count);
  return pointer(made, type);
}

/** `new T(...)`, and `new (where) T(...)`: there nothing ends, and nothing is assigned to. */
function madeAt(host: Interpreter, where: Value | undefined, value: Value, type: HostType | undefined): Value {
  const place = where?.kind === "pointer" ? dereferenced(host, where) : undefined;
  if (where?.kind !== "pointer" || place === undefined) return pointer(new Cell(value, type), type);
  if (place instanceof Cell) host.journal.set(place, value);
  else write(host, { ...place, type }, value);
  return { ...where, to: type };
}
