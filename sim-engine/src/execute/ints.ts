/** Integer arithmetic of up to 32 bits over lanes, wrapping as the hardware does. */
import type { IntBinary, IntPredicate, ScalarType } from "../ir/kernel.ts";
import type { Ints, Step } from "./registers.ts";

/** High 32 bits of the unsigned product. */
export function mulhiUnsigned(a: number, b: number): number {
  const al = a & 0xffff;
  const ah = a >>> 16;
  const bl = b & 0xffff;
  const bh = b >>> 16;
  const low = al * bl;
  const middle = ah * bl + (low >>> 16);
  const other = al * bh + (middle & 0xffff);
  return (ah * bh + Math.floor(middle / 0x10000) + Math.floor(other / 0x10000)) | 0;
}

/** High 32 bits of the signed product. */
const mulhiSigned = (a: number, b: number): number => (mulhiUnsigned(a, b) - (a < 0 ? b : 0) - (b < 0 ? a : 0)) | 0;

/** Division by zero gives all ones, as on the hardware. */
const divide = (a: number, b: number): number => (b === 0 ? -1 : (a / b) | 0);
const divideUnsigned = (a: number, b: number): number => (b === 0 ? -1 : Math.floor((a >>> 0) / (b >>> 0)) | 0);
const remainder = (a: number, b: number): number => (b === 0 ? a : (a % b) | 0);
const remainderUnsigned = (a: number, b: number): number => (b === 0 ? a : ((a >>> 0) % (b >>> 0)) | 0);

/** `out = a op b` for `n` lanes of i32. Shifts of 32 and more give what shifting everything out gives. */
function intLanes(op: IntBinary, out: Ints, a: Ints, b: Ints, n: number): Step {
  switch (op) {
    case "add":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) out[i] = a[i]! + b[i]!;
      };
    case "sub":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) out[i] = a[i]! - b[i]!;
      };
    case "mul":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) out[i] = Math.imul(a[i]!, b[i]!);
      };
    case "mulhi.s":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) out[i] = mulhiSigned(a[i]!, b[i]!);
      };
    case "mulhi.u":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) out[i] = mulhiUnsigned(a[i]!, b[i]!);
      };
    case "sdiv":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) out[i] = divide(a[i]!, b[i]!);
      };
    case "udiv":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) out[i] = divideUnsigned(a[i]!, b[i]!);
      };
    case "srem":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) out[i] = remainder(a[i]!, b[i]!);
      };
    case "urem":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) out[i] = remainderUnsigned(a[i]!, b[i]!);
      };
    case "and":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) out[i] = a[i]! & b[i]!;
      };
    case "or":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) out[i] = a[i]! | b[i]!;
      };
    case "xor":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) out[i] = a[i]! ^ b[i]!;
      };
    case "shl":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) out[i] = b[i]! >>> 0 > 31 ? 0 : a[i]! << b[i]!;
      };
    case "lshr":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) out[i] = b[i]! >>> 0 > 31 ? 0 : a[i]! >>> b[i]!;
      };
    case "ashr":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) out[i] = a[i]! >> (b[i]! >>> 0 > 31 ? 31 : b[i]!);
      };
    case "smin":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) out[i] = Math.min(a[i]!, b[i]!);
      };
    case "smax":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) out[i] = Math.max(a[i]!, b[i]!);
      };
    case "umin":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) out[i] = a[i]! >>> 0 < b[i]! >>> 0 ? a[i]! : b[i]!;
      };
    case "umax":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) out[i] = a[i]! >>> 0 > b[i]! >>> 0 ? a[i]! : b[i]!;
      };
  }
}

/** Bits of an integer type of up to 32. */
export const bitsOf = (type: ScalarType): number => (type === "i1" ? 1 : type === "i8" ? 8 : type === "i16" ? 16 : 32);

/** Brings lanes into the canonical form of their width: i1 as 0 or 1, others sign-extended. */
export function normaliseStep(out: Ints, bits: number, n: number): Step {
  if (bits === 1) {
    return (o) => {
      for (let i = o, e = o + n; i < e; i++) out[i] = out[i]! & 1;
    };
  }
  const shift = 32 - bits;
  return (o) => {
    for (let i = o, e = o + n; i < e; i++) out[i] = (out[i]! << shift) >> shift;
  };
}

/** `out = value of a without its sign extension`. */
export function zeroExtendStep(out: Ints, a: Ints, bits: number, n: number): Step {
  const mask = bits === 32 ? -1 : (1 << bits) - 1;
  return (o) => {
    for (let i = o, e = o + n; i < e; i++) out[i] = a[i]! & mask;
  };
}

const unsignedOps: ReadonlySet<IntBinary> = new Set(["mulhi.u", "udiv", "urem", "lshr", "umin", "umax"]);

/** `out = a op b` of a type of up to 32 bits; `scratch` makes arrays for narrow operands. */
export function intStep(op: IntBinary, type: ScalarType, out: Ints, a: Ints, b: Ints, n: number, scratch: () => Ints): Step {
  const bits = bitsOf(type);
  if (bits === 32) return intLanes(op, out, a, b, n);
  const finish = normaliseStep(out, bits, n);
  if (op === "mulhi.s" || op === "mulhi.u") {
    const left = op === "mulhi.u" ? zeroExtendStep(scratch(), a, bits, n) : undefined;
    const mask = (1 << bits) - 1;
    return (o) => {
      left?.(o, -1);
      for (let i = o, e = o + n; i < e; i++) {
        out[i] = op === "mulhi.u" ? ((a[i]! & mask) * (b[i]! & mask)) >>> bits : Math.imul(a[i]!, b[i]!) >> bits;
      }
      finish(o, -1);
    };
  }
  // A narrow i1 is 0 or 1, which only comparisons for order would take for 0 or -1: C++ has none of those on bool.
  const shifts = op === "shl" || op === "lshr" || op === "ashr";
  const wide = unsignedOps.has(op) ? { left: scratch(), right: shifts ? b : scratch() } : { left: a, right: b };
  const extend = unsignedOps.has(op)
    ? [zeroExtendStep(wide.left, a, bits, n), ...(shifts ? [] : [zeroExtendStep(wide.right, b, bits, n)])]
    : [];
  const main = intLanes(op, out, wide.left, wide.right, n);
  return (o, mask) => {
    for (const step of extend) step(o, mask);
    main(o, mask);
    finish(o, mask);
  };
}

/** `out = a predicate b` as 0 or 1, of canonical operands. Sign extension keeps the unsigned order too. */
export function compareStep(predicate: IntPredicate, out: Ints, a: Ints, b: Ints, n: number): Step {
  switch (predicate) {
    case "eq":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) out[i] = a[i]! === b[i]! ? 1 : 0;
      };
    case "ne":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) out[i] = a[i]! !== b[i]! ? 1 : 0;
      };
    case "slt":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) out[i] = a[i]! < b[i]! ? 1 : 0;
      };
    case "sle":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) out[i] = a[i]! <= b[i]! ? 1 : 0;
      };
    case "sgt":
      return compareStep("slt", out, b, a, n);
    case "sge":
      return compareStep("sle", out, b, a, n);
    case "ult":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) out[i] = a[i]! >>> 0 < b[i]! >>> 0 ? 1 : 0;
      };
    case "ule":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) out[i] = a[i]! >>> 0 <= b[i]! >>> 0 ? 1 : 0;
      };
    case "ugt":
      return compareStep("ult", out, b, a, n);
    case "uge":
      return compareStep("ule", out, b, a, n);
  }
}
