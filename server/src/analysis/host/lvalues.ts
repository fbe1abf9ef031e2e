/** The place an expression designates; undefined when it is none or not known. */
import type { Expression } from "../../syntax/ast.ts";
import type { Interpreter } from "./interpreter.ts";
import { Allocation, Cell, type Place } from "./memory.ts";
import { lastText, namePlace } from "./names.ts";
import { elementOf, read } from "./places.ts";
import { integerOf, openRecord, pointer, type RecordValue, truth, type Value } from "./values.ts";

export function placeOf(host: Interpreter, e: Expression): Place | undefined {
  switch (e.kind) {
    case "name":
      return namePlace(host, e.name);
    case "parenthesized":
      return placeOf(host, e.inner);
    case "unary":
      if (e.op === "*") return dereferenced(host, host.evaluate(e.operand));
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
    case "conditional": {
      const known = truth(host.evaluate(e.condition));
      return known === undefined ? undefined : placeOf(host, known ? e.then : e.else);
    }
    case "cast": {
      const [operand] = e.operands;
      return e.type.kind === "reference" && operand !== undefined ? placeOf(host, operand) : undefined;
    }
    case "call":
      return elementCall(host, e);
    default:
      return undefined;
  }
}

export function dereferenced(host: Interpreter, value: Value): Place | undefined {
  if (value.kind === "pointer") return elementOf(host, value, 0);
  if (value.kind === "container" && value.type.name === "unique_ptr") return elementOf(host, pointer(value.storage, value.type.element), 0);
  return undefined;
}

function subscript(host: Interpreter, e: Expression & { readonly kind: "subscript" }): Place | undefined {
  const base = host.evaluate(e.base);
  const [first] = e.indices;
  if (first === undefined) return undefined;
  const index = host.evaluate(first);
  if (base.kind === "container") return elementOf(host, pointer(base.storage, base.type.element), integerOf(index));
  if (base.kind === "pointer") return elementOf(host, base, integerOf(index));
  return base.kind === "record" && base.open ? openMember(base, `[${integerOf(index) ?? "?"}]`) : undefined;
}

function openMember(object: RecordValue, name: string): Cell {
  const found = object.members.get(name);
  if (found !== undefined) return found;
  const made = new Cell(openRecord(name), undefined, name);
  object.members.set(name, made);
  return made;
}

function member(host: Interpreter, e: Expression & { readonly kind: "member" }): Place | undefined {
  const name = lastText(e.name);
  const base = placeOf(host, e.base);
  let object: Value = base === undefined ? host.evaluate(e.base) : read(host, base);
  if (e.arrow) {
    const target = dereferenced(host, object);
    if (target === undefined) return undefined;
    object = read(host, target);
  }
  if (object.kind !== "record") return undefined;
  return object.members.get(name) ?? (object.open ? openMember(object, name) : undefined);
}

/** `v.at(i)`, `v.front()`, `v.back()`. */
function elementCall(host: Interpreter, e: Expression & { readonly kind: "call" }): Place | undefined {
  if (e.callee.kind !== "member") return undefined;
  const method = lastText(e.callee.name);
  if (method !== "at" && method !== "front" && method !== "back") return undefined;
  const object = host.evaluate(e.callee.base);
  if (object.kind !== "container") return undefined;
  const base = pointer(object.storage, object.type.element);
  const [argument] = e.arguments;
  if (method === "front") return elementOf(host, base, 0);
  if (method === "at") return argument === undefined ? undefined : elementOf(host, base, integerOf(host.evaluate(argument)));
  const size = integerOf(object.size);
  return elementOf(host, base, size === undefined ? undefined : size - 1);
}

/** The memory and byte offset a pointer leads to, in elements of known size. */
export function targetOf(value: Value): { readonly allocation: Allocation; readonly offset: number | undefined } | Cell | undefined {
  if (value.kind === "container") return { allocation: value.storage, offset: 0 };
  if (value.kind !== "pointer" || value.target === undefined) return undefined;
  if (value.target instanceof Allocation) return { allocation: value.target, offset: value.offset };
  const inner = value.target.value;
  // A pointer to an array variable, or to a record, is a cell; the array's memory is behind it.
  if (value.target.type?.kind === "array" && inner.kind === "pointer" && inner.target instanceof Allocation) return { allocation: inner.target, offset: inner.offset };
  return value.target;
}

