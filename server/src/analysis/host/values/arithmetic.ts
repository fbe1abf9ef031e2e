/** C++ arithmetic on values: promotions, exact widths, integer division, and intervals for numbers known only to a range. */
import { compared, ofFloats, ofIntegers } from "../../../syntax/operators.ts";
import { commonName, promotedName } from "../../sema/arithmetic-types.ts";
import type { FloatName, IntegerName } from "../../sema/types.ts";
import type { FloatValue, IntegerValue, RangeValue, Value } from "./model.ts";
import { bitsOf, bool, bounds, float, int, isFloat, isUnsigned, range, unknown, unknownOf } from "./values.ts";

type Arithmetic = IntegerValue | FloatValue | RangeValue;

export function isArithmetic(value: Value): value is Arithmetic {
  return value.kind === "int" || value.kind === "float" || value.kind === "range";
}

/** `a op b` for every binary operator on numbers but `&&`, `||` and `,`. */
export function arithmetic(op: string, a: Value, b: Value): Value {
  if (!isArithmetic(a) || !isArithmetic(b)) return partly(op, a, b) ?? unknownOf(a, b);
  if (op === "<<" || op === ">>") return shift(op, a, b);
  const type = commonName(a.type, b.type);
  if (a.kind === "range" || b.kind === "range") return intervals(op, toInterval(a, type), toInterval(b, type), type);
  if (isFloat(type)) return floats(op, float(Number(a.value), type).value, float(Number(b.value), type).value, type);
  return integers(op, int(a.value as number, type).value, int(b.value as number, type).value, type);
}

/** What is known although an operand is not: `x % 8`, `x & 7` and `x * 0`. */
function partly(op: string, a: Value, b: Value): Value | undefined {
  if (
    op === "%" &&
    b.kind === "int" &&
    a.kind === "unknown" &&
    a.type?.kind === "integer" &&
    isUnsigned(a.type.name) &&
    Number(b.value) > 0 &&
    a.inputs.length === 0
  )
    return range(0, Number(b.value) - 1, commonName(a.type.name, b.type));
  return undefined;
}

function floats(op: string, a: number, b: number, type: FloatName): Value {
  const value = ofFloats(op, a, b);
  if (typeof value === "number") return float(value, type);
  return value === undefined ? unknown(`operator ${op} on floating-point values`) : bool(value);
}

function integers(op: string, a: number | bigint, b: number | bigint, type: IntegerName): Value {
  if (typeof a === "number" && typeof b === "number") {
    const value = small(op, a, b, type);
    if (value !== undefined) return typeof value === "number" ? int(value, type) : bool(value);
  }
  const value = ofIntegers(op, BigInt(a), BigInt(b), bitsOf(type));
  if (value === undefined) return unknown(op === "/" || op === "%" ? "a division by zero" : `operator ${op}`);
  return typeof value === "boolean" ? bool(value) : int(value, type);
}

/** As `ofIntegers`, where doubles are exact; undefined where they are not. */
function small(op: string, a: number, b: number, type: IntegerName): number | boolean | undefined {
  switch (op) {
    case "+":
      return exact(a + b);
    case "-":
      return exact(a - b);
    case "*":
      return exact(a * b);
    case "/":
      return b === 0 ? undefined : Math.trunc(a / b);
    case "%":
      return b === 0 ? undefined : a % b;
    case "&":
    case "|":
    case "^":
      if (bitsOf(type) > 32) return undefined;
      return op === "&" ? a & b : op === "|" ? a | b : a ^ b;
    default:
      return compared(op, a, b);
  }
}

function exact(value: number): number | undefined {
  return Number.isSafeInteger(value) ? value : undefined;
}

function shift(op: string, a: Arithmetic, b: Arithmetic): Value {
  if (isFloat(a.type) || isFloat(b.type)) return unknown("a shift of floating-point values");
  const type = promotedName(a.type);
  if (b.kind !== "int") return unknownOf(b);
  // As the machine does: the count is taken modulo the width.
  const count = BigInt(b.value) & BigInt(bitsOf(type) - 1);
  if (a.kind === "int") return integers(op, BigInt(a.value), count, type);
  const scale = 2 ** Number(count);
  if (a.kind !== "range") return unknownOf(a, b);
  return op === "<<" ? range(a.lo * scale, a.hi * scale, type) : range(Math.floor(a.lo / scale), Math.floor(a.hi / scale), type);
}

type Interval = readonly [lo: number, hi: number];

function toInterval(value: Arithmetic, type: IntegerName | FloatName): Interval {
  const [lo, hi] = value.kind === "range" ? [value.lo, value.hi] : [Number(value.value), Number(value.value)];
  if (isFloat(type)) return [lo, hi];
  const [least, most] = bounds(type);
  return lo < least || hi > most ? [least, most] : [lo, hi];
}

function intervals(op: string, a: Interval, b: Interval, type: IntegerName | FloatName): Value {
  switch (op) {
    case "+":
      return range(a[0] + b[0], a[1] + b[1], type);
    case "-":
      return range(a[0] - b[1], a[1] - b[0], type);
    case "*": {
      const products = [a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1]];
      return range(Math.min(...products), Math.max(...products), type);
    }
    case "/": {
      if (b[0] <= 0 && b[1] >= 0) return unknown("a division by a random value");
      const quotients = [a[0] / b[0], a[0] / b[1], a[1] / b[0], a[1] / b[1]].map((q) => (isFloat(type) ? q : Math.trunc(q)));
      return range(Math.min(...quotients), Math.max(...quotients), type);
    }
    case "%":
      if (isFloat(type) || b[0] <= 0) return unknown("a remainder of random values");
      if (a[0] >= 0 && a[1] < b[0]) return range(a[0], a[1], type);
      return range(a[0] >= 0 ? 0 : 1 - b[1], Math.min(b[1] - 1, Math.max(a[1], 0)), type);
    case "&":
      if (isFloat(type)) break;
      if (b[0] >= 0 || a[0] >= 0)
        return range(0, Math.min(a[0] >= 0 ? a[1] : Number.POSITIVE_INFINITY, b[0] >= 0 ? b[1] : Number.POSITIVE_INFINITY), type);
      return range(...bounds(type), type);
    case "|":
    case "^":
      if (isFloat(type)) break;
      if (a[0] >= 0 && b[0] >= 0) return range(0, 2 ** Math.ceil(Math.log2(Math.max(a[1], b[1]) + 1)) - 1, type);
      return range(...bounds(type), type);
    case "<":
      return decided(a[1] < b[0], a[0] >= b[1]);
    case "<=":
      return decided(a[1] <= b[0], a[0] > b[1]);
    case ">":
      return decided(a[0] > b[1], a[1] <= b[0]);
    case ">=":
      return decided(a[0] >= b[1], a[1] < b[0]);
    case "==":
      return decided(false, a[1] < b[0] || b[1] < a[0]);
    case "!=":
      return decided(a[1] < b[0] || b[1] < a[0], false);
  }
  return unknown(`operator ${op} on random values`);
}

function decided(whenTrue: boolean, whenFalse: boolean): Value {
  return whenTrue ? bool(true) : whenFalse ? bool(false) : unknown("a comparison of random values");
}

/** `-x`, `+x`, `~x`, `!x`. */
export function unary(op: string, value: Value): Value {
  if (op === "!") {
    if (value.kind === "pointer") return bool(value.target === undefined);
    if (value.kind === "int" || value.kind === "float") return bool(!value.value);
    return value.kind === "range" && (value.lo > 0 || value.hi < 0) ? bool(false) : unknownOf(value);
  }
  if (!isArithmetic(value)) return unknownOf(value);
  if (op === "-") {
    if (value.kind === "float") return float(-value.value, value.type);
    return arithmetic("-", isFloat(value.type) ? float(0, value.type) : int(0, promotedName(value.type)), value);
  }
  if (op === "+") return value.kind === "int" ? int(value.value, promotedName(value.type)) : value;
  if (op === "~")
    return value.kind === "int" ? int(~BigInt(value.value), promotedName(value.type)) : range(...bounds(promotedName("int")), "int");
  return unknown(`operator ${op}`);
}
