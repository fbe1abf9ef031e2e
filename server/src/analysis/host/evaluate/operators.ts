/** Operators on values of every kind: pointers, strings, numbers. */

import type { Interpreter } from "../memory/interpreter.ts";
import { reachFrom, sizeOf } from "../memory/read-write.ts";
import { arithmetic, isArithmetic } from "../values/arithmetic.ts";
import { convert } from "../values/convert.ts";
import { Allocation, type IntegerValue, type PointerValue, type Value } from "../values/model.ts";
import { bool, int, isFloat, nullPointer, numberOf, unknown, unknownOf } from "../values/values.ts";

/** `++x`, `--x`. */
export function stepped(host: Interpreter, value: Value, op: string): Value {
  const sign = op === "++" ? 1 : -1;
  if (value.kind === "pointer") return movedPointer(host, value, int(sign));
  if (value.kind === "string") return advanced(value.text, "+", int(sign));
  const next = arithmetic("+", value, int(sign));
  return isArithmetic(value) && next.kind === "int"
    ? convert(next, isFloat(value.type) ? undefined : { kind: "integer", name: value.type })
    : next;
}

/** `p + n`. */
function movedPointer(host: Interpreter, base: PointerValue, by: Value, sign = 1): Value {
  const bytes = sizeOf(host, base.to) ?? (base.target instanceof Allocation ? base.target.summary.elementBytes : undefined);
  const count = numberOf(by);
  if (count === 0) return base;
  if (count === undefined || bytes === undefined || base.offset === undefined)
    return { ...base, offset: undefined, reach: reachFrom(base, by, bytes, sign) };
  return { ...base, offset: base.offset + sign * count * bytes };
}

/** `left op right` for all but `&&`, `||` and `,`. */
export function combine(host: Interpreter, op: string, left: Value, right: Value): Value {
  // `text == 0`, as of a pointer.
  if ((op === "==" || op === "!=") && (isText(left, right) || isText(right, left))) return bool(op === "!=");
  if (left.kind === "pointer" || right.kind === "pointer") {
    if (op === "+" && left.kind === "pointer") return movedPointer(host, left, right);
    if (op === "+" && right.kind === "pointer") return movedPointer(host, right, left);
    if (op === "-" && left.kind === "pointer" && right.kind !== "pointer") return movedPointer(host, left, right, -1);
    return pointerRelation(host, op, left, right);
  }
  if (left.kind === "string" && right.kind === "int" && (op === "+" || op === "-")) return advanced(left.text, op, right);
  if (left.kind === "string" && right.kind === "string") {
    if (op === "==" || op === "!=") return bool((left.text === right.text) === (op === "=="));
    if (op === "+") return { kind: "string", text: left.text + right.text };
    // How far apart two places of one text are.
    if (op === "-" && (left.text.endsWith(right.text) || right.text.endsWith(left.text)))
      return int(right.text.length - left.text.length, "long");
    if (op === "<" || op === ">") return bool(op === "<" ? left.text < right.text : left.text > right.text);
  }
  return arithmetic(op, left, right);
}

/** A `std::string` with a character more, or a C string from a later character on. */
function advanced(text: string, op: "+" | "-", by: IntegerValue): Value {
  if (by.type === "char") return { kind: "string", text: text + String.fromCharCode(Number(by.value)) };
  const from = Number(by.value) * (op === "+" ? 1 : -1);
  return from < 0 || from > text.length ? unknown("text before a string's start") : { kind: "string", text: text.slice(from) };
}

const isText = (value: Value, other: Value): boolean => value.kind === "string" && other.kind === "int" && Number(other.value) === 0;

function isNull(value: Value): boolean {
  return value.kind === "pointer" && value.target === undefined;
}

/** Strings and functions stand for pointers that are not null. */
function isObject(value: Value): boolean {
  return value.kind === "string" || value.kind === "function" || value.kind === "lambda";
}

function pointerRelation(host: Interpreter, op: string, left: Value, right: Value): Value {
  const a = left.kind === "int" && !left.value ? nullPointer : left;
  const b = right.kind === "int" && !right.value ? nullPointer : right;
  if (isObject(a) && isNull(b)) return bool(op === "!=");
  if (isObject(b) && isNull(a)) return bool(op === "!=");
  if (a.kind !== "pointer" || b.kind !== "pointer") return unknownOf(a, b);
  const same = a.target === b.target;
  if (!same || a.target === undefined) {
    if (op === "==" || op === "!=") return bool(same === (op === "=="));
    return unknown("pointers into different memory compared");
  }
  if (a.offset === undefined || b.offset === undefined) return unknown("pointers that are not known");
  if (op === "-") {
    const bytes = sizeOf(host, a.to);
    return bytes === undefined ? unknown("the size of a type that is not known") : int((a.offset - b.offset) / bytes, "long");
  }
  return arithmetic(op, int(a.offset, "long"), int(b.offset, "long"));
}
