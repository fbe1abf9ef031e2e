/** The place an expression designates; undefined when it is none or not known. */

import type { Expression } from "../../../syntax/ast.ts";
import { lastName } from "../../sema/scope.ts";
import type { Argument, Interpreter } from "../memory/interpreter.ts";
import { dereferenced } from "../memory/pointees.ts";
import { elementAt, elementOf, read } from "../memory/read-write.ts";
import { raiseStandard } from "../memory/thrown.ts";
import { Cell, type Place, type RecordValue, type Value } from "../values/model.ts";
import { typeOfValue } from "../values/type-of-value.ts";
import { int, integerOf, openRecord, pointer, truth } from "../values/values.ts";
import { instanceOf } from "./methods.ts";
import { namePlace, staticMemberOf } from "./names.ts";
import { callOperator, integralConstant, scalarOf } from "./overloaded.ts";

export function placeOf(host: Interpreter, e: Expression): Place | undefined {
  switch (e.kind) {
    case "name":
      return namePlace(host, e.name);
    case "parenthesized":
      return placeOf(host, e.inner);
    case "unary":
      if (e.op === "*") return pointedBy(host, e.operand);
      if (e.op === "++" || e.op === "--") {
        host.evaluate(e);
        return placeOf(host, e.operand);
      }
      return undefined;
    case "subscript":
      return subscript(host, e);
    case "member":
      return member(host, e);
    case "assign":
      host.evaluate(e);
      return placeOf(host, e.left);
    case "binary":
      if (e.op !== ",") return undefined;
      host.evaluate(e.left);
      return placeOf(host, e.right);
    case "conditional": {
      const known = truth(host.evaluate(e.condition));
      return known === undefined ? undefined : placeOf(host, known ? e.then : e.else);
    }
    case "cast": {
      const [operand] = e.operands;
      return e.type.kind === "reference" && operand !== undefined ? placeOf(host, operand) : undefined;
    }
    case "call":
      return elementCall(host, e) ?? returnedBy(host, e);
    default:
      return undefined;
  }
}

/** What a call returns a reference to, else a place of its own that holds the result: the call is not made twice. */
function returnedBy(host: Interpreter, e: Expression & { readonly kind: "call" }): Place {
  host.returned = undefined;
  const value = host.evaluate(e);
  const { returned } = host;
  host.returned = undefined;
  return returned ?? new Cell(value, typeOfValue(value));
}

/** A character of a text, which is no variable of the program's: who asks for its address is given the text from there on. */
export class Character extends Cell {
  readonly text: string;

  constructor(text: string) {
    super(int(text.charCodeAt(0) || 0, "char"));
    this.text = text;
  }
}

function characterAt(text: string, index: number | undefined): Cell | undefined {
  return index === undefined || index < 0 || index > text.length ? undefined : new Character(text.slice(index));
}

/** `*operand` */
function pointedBy(host: Interpreter, operand: Expression): Place | undefined {
  const object = argumentAt(host, operand);
  if (object.value.kind === "string") return characterAt(object.value.text, 0);
  return dereferenced(host, object.value) ?? operatorPlace(host, "*", [object]);
}

function argumentAt(host: Interpreter, e: Expression): Argument {
  const place = placeOf(host, e);
  return place === undefined ? { value: host.evaluate(e), expression: e } : { value: read(host, place), place, expression: e };
}

/** What an operator of a class returns a reference to. */
function operatorPlace(host: Interpreter, op: string, operands: readonly Argument[]): Place | undefined {
  host.returned = undefined;
  const value = callOperator(host, op, operands);
  const { returned } = host;
  host.returned = undefined;
  return value === undefined ? undefined : (returned ?? new Cell(value, typeOfValue(value)));
}

/** What stands behind `object->`. */
export function arrowTarget(host: Interpreter, object: Argument): Place | undefined {
  const direct = dereferenced(host, object.value);
  if (direct !== undefined || object.value.kind !== "record") return direct;
  const pointed = callOperator(host, "->", [object]);
  return pointed === undefined ? undefined : dereferenced(host, pointed);
}

function subscript(host: Interpreter, e: Expression & { readonly kind: "subscript" }): Place | undefined {
  const object = argumentAt(host, e.base);
  const base = object.value;
  const [first] = e.indices;
  if (first === undefined) return undefined;
  const index = host.evaluate(first);
  if (base.kind === "record" && !base.open)
    return operatorPlace(host, "[]", [object, { value: index }]) ?? elementBehind(host, base, index);
  if (base.kind === "container") return elementAt(host, pointer(base.storage, base.type.element), index);
  if (base.kind === "pointer") return elementAt(host, base, index);
  if (base.kind === "string") return characterAt(base.text, integerOf(index));
  return base.kind === "record" && base.open ? openMember(base, `[${integerOf(index) ?? "?"}]`) : undefined;
}

/** `buffer[i]` where the class converts to a pointer. */
function elementBehind(host: Interpreter, object: RecordValue, index: Value): Place | undefined {
  const value = scalarOf(host, object);
  return value.kind === "pointer" ? elementAt(host, value, index) : undefined;
}

function openMember(object: RecordValue, name: string): Cell {
  const found = object.members.get(name);
  if (found !== undefined) return found;
  const made = new Cell(openRecord(name), undefined, name);
  object.members.set(name, made);
  return made;
}

function member(host: Interpreter, e: Expression & { readonly kind: "member" }): Place | undefined {
  const name = lastName(e.name);
  const base = placeOf(host, e.base);
  let object: Value = base === undefined ? host.evaluate(e.base) : read(host, base);
  if (e.arrow) {
    const target = arrowTarget(host, { value: object, ...(base === undefined ? {} : { place: base }) });
    if (target === undefined) return undefined;
    object = read(host, target);
  }
  if (object.kind !== "record") return undefined;
  const found = object.members.get(name) ?? (object.open ? openMember(object, name) : undefined);
  if (found) return found;
  const record = instanceOf(object);
  if (name === "value") {
    const constant = integralConstant(host, object);
    if (constant) return new Cell(constant);
  }
  return record && staticMemberOf(host, record, name);
}

/** `v.at(i)`, `v.front()`, `v.back()`. */
export function elementCall(host: Interpreter, e: Expression & { readonly kind: "call" }): Place | undefined {
  if (e.callee.kind !== "member") return undefined;
  const method = lastName(e.callee.name);
  if (method !== "at" && method !== "front" && method !== "back") return undefined;
  const object = host.evaluate(e.callee.base);
  if (object.kind !== "container") return undefined;
  const base = pointer(object.storage, object.type.element);
  const [argument] = e.arguments;
  if (method === "front") return elementOf(host, base, 0);
  const size = integerOf(object.size);
  if (method === "at") {
    const position = argument && host.evaluate(argument);
    const index = position && integerOf(position);
    if (size !== undefined && index !== undefined && !(index >= 0 && index < size)) raiseStandard(host, "out_of_range");
    return position === undefined || host.exited ? undefined : elementAt(host, base, position);
  }
  return elementOf(host, base, size === undefined ? undefined : size - 1);
}
