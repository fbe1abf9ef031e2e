/** Operations on constants, as the device computes them. Integers as `Action.const` holds them: sign-extended numbers to 32 bits, bigints of 64. */

import { wrap } from "./constants.ts";
import { roundBf16, roundF16 } from "./half.ts";
import type { Conversion, FloatBinary, FloatPredicate, IntBinary, IntPredicate, MathFunction, ScalarType } from "./kernel.ts";

const widths: Partial<Record<ScalarType, number>> = { i1: 1, i8: 8, i16: 16, i32: 32, i64: 64 };

/** Bits of an integer type. */
export const widthOf = (type: ScalarType): number => widths[type] ?? 64;

/** Undefined where the result is: division by zero, shifts by the width and more. */
export function evaluateInt(op: IntBinary, type: ScalarType, a: number | bigint, b: number | bigint): number | bigint | undefined {
  const width = widthOf(type);
  const x = BigInt(a);
  const y = BigInt(b);
  const ux = BigInt.asUintN(width, x);
  const uy = BigInt.asUintN(width, y);
  const result = evaluateBig(op, x, y, ux, uy, width);
  if (result === undefined) return undefined;
  const wrapped = BigInt.asIntN(width, result);
  return type === "i64" ? wrapped : wrap(type, Number(wrapped));
}

function evaluateBig(op: IntBinary, x: bigint, y: bigint, ux: bigint, uy: bigint, width: number): bigint | undefined {
  // Shift counts have 32 bits whatever is shifted.
  const count = BigInt.asUintN(32, y);
  const shift = count < BigInt(width) ? count : undefined;
  switch (op) {
    case "add":
      return x + y;
    case "sub":
      return x - y;
    case "mul":
      return x * y;
    case "mulhi.s":
      return (x * y) >> BigInt(width);
    case "mulhi.u":
      return (ux * uy) >> BigInt(width);
    case "sdiv":
      return y === 0n ? undefined : x / y;
    case "udiv":
      return uy === 0n ? undefined : ux / uy;
    case "srem":
      return y === 0n ? undefined : x % y;
    case "urem":
      return uy === 0n ? undefined : ux % uy;
    case "and":
      return x & y;
    case "or":
      return x | y;
    case "xor":
      return x ^ y;
    case "shl":
      return shift === undefined ? undefined : x << shift;
    case "lshr":
      return shift === undefined ? undefined : ux >> shift;
    case "ashr":
      return shift === undefined ? undefined : x >> shift;
    case "smin":
      return x < y ? x : y;
    case "smax":
      return x > y ? x : y;
    case "umin":
      return ux < uy ? ux : uy;
    case "umax":
      return ux > uy ? ux : uy;
  }
}

export function compareInt(predicate: IntPredicate, type: ScalarType, a: number | bigint, b: number | bigint): boolean {
  const width = widthOf(type);
  const unsigned = predicate.startsWith("u") || type === "ptr";
  const x = unsigned ? BigInt.asUintN(width, BigInt(a)) : BigInt(a);
  const y = unsigned ? BigInt.asUintN(width, BigInt(b)) : BigInt(b);
  switch (predicate) {
    case "eq":
      return x === y;
    case "ne":
      return x !== y;
    case "slt":
    case "ult":
      return x < y;
    case "sle":
    case "ule":
      return x <= y;
    case "sgt":
    case "ugt":
      return x > y;
    case "sge":
    case "uge":
      return x >= y;
  }
}

/** A number as a value of `f32` or `f64`; other types are not folded. */
export function roundTo(type: ScalarType, value: number): number {
  if (type === "f16") return roundF16(value);
  if (type === "bf16") return roundBf16(value);
  return type === "f32" ? Math.fround(value) : value;
}

export function evaluateFloat(op: FloatBinary, type: ScalarType, a: number, b: number): number | undefined {
  switch (op) {
    case "fadd":
      return roundTo(type, a + b);
    case "fsub":
      return roundTo(type, a - b);
    case "fmul":
      return roundTo(type, a * b);
    case "fdiv":
      return roundTo(type, a / b);
    case "frem":
      return roundTo(type, a % b);
    case "fmin":
      return Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.min(a, b);
    case "fmax":
      return Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.max(a, b);
  }
}

export function compareFloat(predicate: FloatPredicate, a: number, b: number): boolean {
  switch (predicate) {
    case "oeq":
      return a === b;
    case "une":
      return a !== b;
    case "olt":
      return a < b;
    case "ole":
      return a <= b;
    case "ogt":
      return a > b;
    case "oge":
      return a >= b;
    case "uno":
      return Number.isNaN(a) || Number.isNaN(b);
  }
}

/** Conversions between integers and `f32`, `f64`, and of floats, to nearest; undefined for those whose bits a number does not show, and out of range. */
export function evaluateConversion(op: Conversion, from: ScalarType, to: ScalarType, value: number | bigint): number | bigint | undefined {
  const asInt = (big: bigint): number | bigint => (to === "i64" ? BigInt.asIntN(64, big) : wrap(to, Number(BigInt.asIntN(32, big))));
  switch (op) {
    case "trunc":
    case "sext":
      // A `bool` is 0 or 1 in constants, but its sign extension is all ones.
      return asInt(from === "i1" ? -BigInt(value) : BigInt(value));
    case "zext":
      return asInt(BigInt.asUintN(widthOf(from), BigInt(value)));
    case "sitofp":
      return to === "f32" || to === "f64" ? roundTo(to, Number(value)) : undefined;
    case "uitofp":
      return to === "f32" || to === "f64" ? roundTo(to, Number(BigInt.asUintN(widthOf(from), BigInt(value)))) : undefined;
    case "fptosi":
    case "fptoui": {
      const whole = Math.trunc(Number(value));
      const bits = widthOf(to);
      const [low, high] = op === "fptosi" ? [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1] : [0, 2 ** bits - 1];
      return whole >= low && whole <= high && Number.isSafeInteger(whole) ? asInt(BigInt(whole)) : undefined;
    }
    case "fpext":
    case "fptrunc":
      return roundTo(to, Number(value));
    case "bitcast":
      return castBits(from, to, value);
    default:
      return undefined;
  }
}

function castBits(from: ScalarType, to: ScalarType, value: number | bigint): number | bigint | undefined {
  const view = new DataView(new ArrayBuffer(8));
  if (from === "i32") view.setInt32(0, Number(value));
  else if (from === "f32") view.setFloat32(0, Number(value));
  else if (from === "i64") view.setBigInt64(0, BigInt(value));
  else if (from === "f64") view.setFloat64(0, Number(value));
  else return undefined;
  if (to === "i32" && from === "f32") return view.getInt32(0);
  if (to === "f32" && from === "i32") return view.getFloat32(0);
  if (to === "i64" && from === "f64") return view.getBigInt64(0);
  if (to === "f64" && from === "i64") return view.getFloat64(0);
  return undefined;
}

/** The functions whose results need no approximation. */
export function evaluateMath(fn: MathFunction, type: ScalarType, args: readonly number[]): number | undefined {
  const [a = 0, b = 0] = args;
  switch (fn) {
    case "fabs":
      return Math.abs(a);
    case "fneg":
      return -a;
    case "sqrt":
      return roundTo(type, Math.sqrt(a));
    case "floor":
      return Math.floor(a);
    case "ceil":
      return Math.ceil(a);
    case "trunc":
      return Math.trunc(a);
    case "copysign":
      return Object.is(Math.sign(b), -0) || b < 0 ? -Math.abs(a) : Math.abs(a);
    case "saturate":
      return Number.isNaN(a) ? 0 : Math.min(Math.max(a, 0), 1);
    case "abs":
      return type === "i32" ? Math.abs(a) | 0 : undefined;
    default:
      return undefined;
  }
}
