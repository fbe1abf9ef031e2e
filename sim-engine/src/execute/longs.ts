/** 64-bit integer arithmetic over lanes, exact, on two 32-bit halves. */
import type { IntBinary, IntPredicate } from "../ir/kernel.ts";
import { mulhiUnsigned } from "./ints.ts";
import { type Ints, type Long, longToBigInt, longToNumber, type Step, writeLong, writeLongNumber } from "./registers.ts";

/** `out = a op b` for `n` lanes; the right operand of shifts is an i32. */
export function longStep(op: IntBinary, out: Long, a: Long, b: Long, n: number): Step {
  const { lo, hi } = out;
  const { lo: al, hi: ah } = a;
  const { lo: bl, hi: bh } = b;
  switch (op) {
    case "add":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) {
          const low = (al[i]! >>> 0) + (bl[i]! >>> 0);
          hi[i] = ah[i]! + bh[i]! + (low >= 0x1_0000_0000 ? 1 : 0);
          lo[i] = low;
        }
      };
    case "sub":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) {
          const low = (al[i]! >>> 0) - (bl[i]! >>> 0);
          hi[i] = ah[i]! - bh[i]! - (low < 0 ? 1 : 0);
          lo[i] = low;
        }
      };
    case "mul":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) {
          const x = al[i]!;
          const y = bl[i]!;
          hi[i] = mulhiUnsigned(x, y) + Math.imul(x, bh[i]!) + Math.imul(ah[i]!, y);
          lo[i] = Math.imul(x, y);
        }
      };
    case "and":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) {
          lo[i] = al[i]! & bl[i]!;
          hi[i] = ah[i]! & bh[i]!;
        }
      };
    case "or":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) {
          lo[i] = al[i]! | bl[i]!;
          hi[i] = ah[i]! | bh[i]!;
        }
      };
    case "xor":
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) {
          lo[i] = al[i]! ^ bl[i]!;
          hi[i] = ah[i]! ^ bh[i]!;
        }
      };
    case "smin":
    case "smax":
    case "umin":
    case "umax": {
      const smaller = op === "smin" || op === "umin";
      const flip = op === "umin" || op === "umax" ? 0x80000000 : 0;
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) {
          const x = (ah[i]! ^ flip) | 0;
          const y = (bh[i]! ^ flip) | 0;
          const first = (x < y || (x === y && al[i]! >>> 0 < bl[i]! >>> 0)) === smaller;
          lo[i] = first ? al[i]! : bl[i]!;
          hi[i] = first ? ah[i]! : bh[i]!;
        }
      };
    }
    case "sdiv":
    case "udiv":
    case "srem":
    case "urem":
    case "mulhi.s":
    case "mulhi.u": {
      const signed = op === "sdiv" || op === "srem";
      const wide = wideOperation(op);
      const quotient = op === "sdiv" || op === "udiv";
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) {
          const x = longToNumber(al[i]!, ah[i]!);
          const y = longToNumber(bl[i]!, bh[i]!);
          // Numbers below 2^52 divide exactly; unsigned ones that look negative do not qualify.
          if (
            (signed || (x >= 0 && y >= 0)) &&
            op !== "mulhi.s" &&
            op !== "mulhi.u" &&
            y !== 0 &&
            Math.abs(x) < 2 ** 52 &&
            Math.abs(y) < 2 ** 52
          ) {
            const rest = x % y;
            writeLongNumber(out, i, quotient ? (x - rest) / y : rest);
          } else writeLong(out, i, wide(longToBigInt(al[i]!, ah[i]!), longToBigInt(bl[i]!, bh[i]!)));
        }
      };
    }
    default:
      throw new Error(`${op} takes a 32-bit count`);
  }
}

const unsigned = (value: bigint): bigint => BigInt.asUintN(64, value);

function wideOperation(op: "sdiv" | "udiv" | "srem" | "urem" | "mulhi.s" | "mulhi.u"): (a: bigint, b: bigint) => bigint {
  switch (op) {
    case "sdiv":
      return (a, b) => (b === 0n ? -1n : a / b);
    case "udiv":
      return (a, b) => (b === 0n ? -1n : unsigned(a) / unsigned(b));
    case "srem":
      return (a, b) => (b === 0n ? a : a % b);
    case "urem":
      return (a, b) => (b === 0n ? a : unsigned(a) % unsigned(b));
    case "mulhi.s":
      return (a, b) => (a * b) >> 64n;
    case "mulhi.u":
      return (a, b) => (unsigned(a) * unsigned(b)) >> 64n;
  }
}

/** `out = a shifted by count`. */
export function longShiftStep(op: "shl" | "lshr" | "ashr", out: Long, a: Long, count: Ints, n: number): Step {
  const { lo, hi } = out;
  const { lo: al, hi: ah } = a;
  return (o) => {
    for (let i = o, e = o + n; i < e; i++) {
      const by = count[i]! >>> 0;
      const low = al[i]!;
      const high = ah[i]!;
      const fill = op === "ashr" ? high >> 31 : 0;
      if (by === 0) {
        lo[i] = low;
        hi[i] = high;
      } else if (op === "shl") {
        hi[i] = by > 63 ? 0 : by > 31 ? low << (by - 32) : (high << by) | (low >>> (32 - by));
        lo[i] = by > 31 ? 0 : low << by;
      } else {
        const shifted = (down: number): number => (op === "ashr" ? high >> down : high >>> down);
        lo[i] = by > 63 ? fill : by > 31 ? shifted(by - 32) : (low >>> by) | (high << (32 - by));
        hi[i] = by > 31 ? fill : shifted(by);
      }
    }
  };
}

/** `out = a predicate b` as 0 or 1. */
export function longCompareStep(predicate: IntPredicate, out: Ints, a: Long, b: Long, n: number): Step {
  const { lo: al, hi: ah } = a;
  const { lo: bl, hi: bh } = b;
  switch (predicate) {
    case "eq":
    case "ne": {
      const equal = predicate === "eq" ? 1 : 0;
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) out[i] = al[i] === bl[i] && ah[i] === bh[i] ? equal : 1 - equal;
      };
    }
    case "slt":
    case "ult":
    case "sge":
    case "uge": {
      const flip = predicate === "ult" || predicate === "uge" ? 0x80000000 : 0;
      const less = predicate === "slt" || predicate === "ult" ? 1 : 0;
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) {
          const x = (ah[i]! ^ flip) | 0;
          const y = (bh[i]! ^ flip) | 0;
          out[i] = x < y || (x === y && al[i]! >>> 0 < bl[i]! >>> 0) ? less : 1 - less;
        }
      };
    }
    case "sgt":
      return longCompareStep("slt", out, b, a, n);
    case "ugt":
      return longCompareStep("ult", out, b, a, n);
    case "sle":
      return longCompareStep("sge", out, b, a, n);
    case "ule":
      return longCompareStep("uge", out, b, a, n);
  }
}
