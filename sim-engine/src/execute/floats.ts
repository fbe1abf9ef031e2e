/** Floating-point arithmetic over lanes, rounded to the type after every operation. */

import { roundBf16, roundF16 } from "../ir/half.ts";
import type { FloatBinary, FloatPredicate, ScalarType } from "../ir/kernel.ts";
import type { Doubles, Ints, Step } from "./registers.ts";

/** Rounds a number to a floating type. */
export function roundingTo(type: ScalarType): (value: number) => number {
  switch (type) {
    case "f16":
      return roundF16;
    case "bf16":
      return roundBf16;
    case "f32":
      return Math.fround;
    default:
      return (value) => value;
  }
}

/** IEEE 754-2019 minimumNumber and maximumNumber: a NaN loses to a number. */
export const minimum = (a: number, b: number): number => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.min(a, b));
export const maximum = (a: number, b: number): number => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.max(a, b));

function operation(op: FloatBinary): (a: number, b: number) => number {
  switch (op) {
    case "fadd":
      return (a, b) => a + b;
    case "fsub":
      return (a, b) => a - b;
    case "fmul":
      return (a, b) => a * b;
    case "fdiv":
      return (a, b) => a / b;
    case "frem":
      return (a, b) => a % b;
    case "fmin":
      return minimum;
    case "fmax":
      return maximum;
  }
}

/** `out = a op b` for `n` lanes. A double holds the exact sum, product or quotient well enough that rounding it again is right. */
export function floatStep(op: FloatBinary, type: ScalarType, out: Doubles, a: Doubles, b: Doubles, n: number): Step {
  if (type === "f32" || type === "f64") {
    const single = type === "f32";
    switch (op) {
      case "fadd":
        return single
          ? (o) => {
              for (let i = o, e = o + n; i < e; i++) out[i] = Math.fround(a[i]! + b[i]!);
            }
          : (o) => {
              for (let i = o, e = o + n; i < e; i++) out[i] = a[i]! + b[i]!;
            };
      case "fsub":
        return single
          ? (o) => {
              for (let i = o, e = o + n; i < e; i++) out[i] = Math.fround(a[i]! - b[i]!);
            }
          : (o) => {
              for (let i = o, e = o + n; i < e; i++) out[i] = a[i]! - b[i]!;
            };
      case "fmul":
        return single
          ? (o) => {
              for (let i = o, e = o + n; i < e; i++) out[i] = Math.fround(a[i]! * b[i]!);
            }
          : (o) => {
              for (let i = o, e = o + n; i < e; i++) out[i] = a[i]! * b[i]!;
            };
    }
  }
  const round = roundingTo(type);
  const apply = operation(op);
  return (o) => {
    for (let i = o, e = o + n; i < e; i++) out[i] = round(apply(a[i]!, b[i]!));
  };
}

/** a * b and what rounding it lost (Dekker's product). */
function twoProduct(a: number, b: number): readonly [product: number, error: number] {
  const product = a * b;
  const split = 2 ** 27 + 1;
  const ah = a * split - (a * split - a);
  const bh = b * split - (b * split - b);
  const al = a - ah;
  const bl = b - bh;
  return [product, ah * bh - product + ah * bl + al * bh + al * bl];
}

/**
 * a * b + c for doubles, rounded once but for halfway cases of huge or tiny operands, where Dekker's product over- or underflows:
 * there it is rounded twice.
 */
export function fma(a: number, b: number, c: number): number {
  const plain = a * b + c;
  const [product, error] = twoProduct(a, b);
  if (!Number.isFinite(error) || !Number.isFinite(plain) || Math.abs(product) < 2 ** -900) return plain;
  // product + error + c: the exact sum of product and c is sum + lost.
  const sum = product + c;
  const part = sum - product;
  const lost = product - (sum - part) + (c - part);
  return sum + (lost + error);
}

/** a * b + c for floats: the product is exact in a double, and the sum is made so that rounding it to a float rounds once. */
export function fmaSingle(a: number, b: number, c: number): number {
  const product = a * b;
  const sum = product + c;
  const part = sum - product;
  const lost = product - (sum - part) + (c - part);
  if (lost === 0 || !Number.isFinite(lost)) return Math.fround(sum);
  // Round to odd: a sum that lost something must not look like a tie of the narrower type.
  return Math.fround(oddly(sum, lost));
}

const bits = new DataView(new ArrayBuffer(8));

/** A double next to `sum` whose last bit is set, on the side of `lost`, unless its last bit is set already. */
export function oddly(sum: number, lost: number): number {
  bits.setFloat64(0, sum);
  const low = bits.getUint32(4);
  if (low & 1) return sum;
  if (sum > 0 === lost > 0) {
    bits.setUint32(4, low | 1);
    return bits.getFloat64(0);
  }
  bits.setBigUint64(0, bits.getBigUint64(0) - 1n);
  return bits.getFloat64(0);
}

/** `out = a * b + c`, rounded once. */
export function fmaStep(type: ScalarType, out: Doubles, a: Doubles, b: Doubles, c: Doubles, n: number): Step {
  switch (type) {
    case "f64":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) out[i] = fma(a[i]!, b[i]!, c[i]!);
      };
    case "f32":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) out[i] = fmaSingle(a[i]!, b[i]!, c[i]!);
      };
    default: {
      // Product and sum of 16-bit floats are exact in a double, but where exponents lie far apart: there rounding is the same.
      const round = roundingTo(type);
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) out[i] = round(a[i]! * b[i]! + c[i]!);
      };
    }
  }
}

function floatComparison(predicate: FloatPredicate): (a: number, b: number) => boolean {
  switch (predicate) {
    case "oeq":
      return (a, b) => a === b;
    case "une":
      return (a, b) => a !== b;
    case "olt":
      return (a, b) => a < b;
    case "ole":
      return (a, b) => a <= b;
    case "ogt":
      return (a, b) => a > b;
    case "oge":
      return (a, b) => a >= b;
    case "uno":
      return (a, b) => Number.isNaN(a) || Number.isNaN(b);
  }
}

/** `out = a predicate b` as 0 or 1; also for addresses, whose integer predicates mean the same. */
export function floatCompareStep(predicate: FloatPredicate, out: Ints, a: Doubles, b: Doubles, n: number): Step {
  switch (predicate) {
    case "olt":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) out[i] = a[i]! < b[i]! ? 1 : 0;
      };
    case "ole":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) out[i] = a[i]! <= b[i]! ? 1 : 0;
      };
    case "ogt":
      return floatCompareStep("olt", out, b, a, n);
    case "oge":
      return floatCompareStep("ole", out, b, a, n);
    default: {
      const compare = floatComparison(predicate);
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) out[i] = compare(a[i]!, b[i]!) ? 1 : 0;
      };
    }
  }
}
