/** C++ arithmetic on bare numbers of known types: what `values/arithmetic.ts` does on values, for code that is run many times. */
import { isFloatName, promotedName } from "../../sema/arithmetic-types.ts";
import type { FloatName, IntegerName } from "../../sema/types.ts";
import { bitsOf, isUnsigned, roundings } from "../values/values.ts";
import { exactArithmetic, fromWide, isWide } from "./wide.ts";

export type NumberName = IntegerName | FloatName;
/**
 * Undefined where it is not known, or no double holds it. Of unsigned integers of 64 bits those just below 2^64 are told by how far they
 * are below it, as negative numbers: so they come out of sums and products.
 */
export type Known = number | undefined;

export type Conversion = (value: number) => Known;
export type Operation = (left: number, right: number) => Known;

/** What a number of one type becomes as one of another. */
export function conversion(from: NumberName, to: NumberName): Conversion {
  const convert = conversionOfNumbers(from, to);
  if (from === to || !isWide(from)) return convert;
  return (value: number | bigint) => (typeof value === "bigint" ? fromWide(value, from, to) : convert(value));
}

function conversionOfNumbers(from: NumberName, to: NumberName): Conversion {
  if (from === to) return same;
  if (isFloatName(to)) {
    const round = roundings[to];
    return isWideUnsigned(from) ? (value) => round(value < 0 ? value + 2 ** 64 : value) : round;
  }
  if (to === "bool") return (value) => (value === 0 ? 0 : 1);
  if (!isFloatName(from)) return wrapping(to);
  // Beyond the type's range nothing says what comes out.
  const wrap = wrapping(to);
  return (value) => {
    const whole = Math.trunc(value);
    return wrap(whole) === whole ? whole + 0 : undefined;
  };
}

export const isWideUnsigned = (type: NumberName): boolean => !isFloatName(type) && bitsOf(type) === 64 && isUnsigned(type);

const same: Conversion = (value) => value;

/** An integer brought into the range of a type, modulo its width. */
function wrapping(type: IntegerName): Conversion {
  const bits = bitsOf(type);
  const unsigned = isUnsigned(type);
  if (type === "bool") return (value) => (value === 0 ? 0 : 1);
  if (bits === 64) return (value) => (Number.isSafeInteger(value) ? value : undefined);
  if (bits === 32) return unsigned ? (value) => value >>> 0 : (value) => value | 0;
  const mask = 2 ** bits - 1;
  const half = 2 ** (bits - 1);
  return unsigned ? (value) => value & mask : (value) => (((value & mask) + half) & mask) - half;
}

const floats: Readonly<Record<string, Operation>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
};

const comparisons: Readonly<Record<string, Operation>> = {
  "<": (a, b) => (a < b ? 1 : 0),
  ">": (a, b) => (a > b ? 1 : 0),
  "<=": (a, b) => (a <= b ? 1 : 0),
  ">=": (a, b) => (a >= b ? 1 : 0),
  "==": (a, b) => (a === b ? 1 : 0),
  "!=": (a, b) => (a !== b ? 1 : 0),
};

const small: Readonly<Record<string, Operation>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": Math.imul,
  "/": (a, b) => (b === 0 ? undefined : Math.trunc(a / b)),
  "%": (a, b) => (b === 0 ? undefined : a % b),
  "&": (a, b) => a & b,
  "|": (a, b) => a | b,
  "^": (a, b) => a ^ b,
};

/** Whether an operator gives a truth value. */
export const isComparison = (op: string): boolean => op in comparisons;

/** `left op right`, both converted to `type`; undefined for operators that numbers of the type do not have. */
export function operation(op: string, type: NumberName): Operation | undefined {
  const compared = comparisons[op];
  // Those below 2^64 are greater than all others.
  if (compared && isWideUnsigned(type)) return (a, b) => (a < 0 === b < 0 ? compared(a, b) : compared(a < 0 ? 1 : 0, b < 0 ? 1 : 0));
  if (compared) return compared;
  if (isFloatName(type)) {
    const operate = floats[op];
    const round = roundings[type];
    return operate && type !== "double" ? (a, b) => round(operate(a, b) ?? Number.NaN) : operate;
  }
  const wrap = wrapping(type);
  const exact = small[op];
  if (bitsOf(type) < 64) return exact && rounded(exact, wrap);
  const large = exactArithmetic[op];
  if (!large) return undefined;
  // Bits of doubles are those of 32-bit integers only.
  const direct = exact && !/^[*&|^]$/.test(op) ? exact : op === "*" ? (a: number, b: number) => a * b : undefined;
  const unsigned = isUnsigned(type);
  const isDivision = op === "/" || op === "%";
  return (a, b) => {
    const near = direct?.(a, b);
    const isDirect = near !== undefined && Number.isSafeInteger(near);
    if (isDirect && !(unsigned && isDivision && (a < 0 || b < 0))) return near + 0;
    if (b === 0 && isDivision) return undefined;
    const exactly = unsigned && isDivision ? (value: number) => BigInt.asUintN(64, BigInt(value)) : BigInt;
    return wrap(Number(BigInt.asIntN(64, large(exactly(a), exactly(b)))));
  };
}

const rounded =
  (operate: Operation, wrap: Conversion): Operation =>
  (a, b) => {
    const made = operate(a, b);
    return made === undefined ? undefined : wrap(made);
  };

/** `left << count`, `left >> count` of a promoted type; the count is taken modulo the width. */
export function shift(op: "<<" | ">>", type: IntegerName): Operation {
  const bits = bitsOf(promotedName(type));
  const wrap = wrapping(promotedName(type));
  if (bits === 32) {
    if (op === "<<") return (a, count) => wrap(a << count);
    return isUnsigned(promotedName(type)) ? (a, count) => a >>> count : (a, count) => a >> count;
  }
  return (a, count) => {
    const scale = 2 ** (((count % bits) + bits) % bits);
    if (op === ">>" && a < 0 && isUnsigned(type)) return wrap(Number(BigInt.asUintN(64, BigInt(a)) / BigInt(scale)));
    return wrap(op === "<<" ? a * scale : Math.floor(a / scale));
  };
}
