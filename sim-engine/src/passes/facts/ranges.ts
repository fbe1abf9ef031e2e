/**
 * What is known of an integer's value: bounds that hold for every thread of every launch. Thread and block indices have none:
 * nvcc does not count on them being small, or even positive.
 */

import { intConstant } from "../../ir/constants.ts";
import type { Op } from "../../ir/kernel.ts";

/** Signed, both ends included. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

const full32: Range = { low: -(2 ** 31), high: 2 ** 31 - 1 };
/** The upper end is one too many: the greatest i64 is no double. */
const full64: Range = { low: -(2 ** 63), high: 2 ** 63 };

export class Ranges {
  /** By operation: what was found, and how many operations before it had been looked at: the fewer, the more is known. */
  readonly #known = new Map<Op, { readonly range: Range; readonly depth: number }>();

  nonNegative(op: Op): boolean {
    return this.of(op).low >= 0;
  }

  of(op: Op, depth = 0): Range {
    const known = this.#known.get(op);
    if (known && known.depth <= depth) return known.range;
    const range = this.#compute(op, depth);
    this.#known.set(op, { range, depth });
    return range;
  }

  #compute(op: Op, depth: number): Range {
    const full = op.type === "i64" ? full64 : typeRange(op.type);
    const constant = intConstant(op);
    if (constant !== undefined) return { low: constant, high: constant };
    if (depth > 8) return full;
    const { action, args } = op;
    const [a, b] = args;
    switch (action.kind) {
      case "load":
        return full;
      case "convert": {
        if (!a) return full;
        if (action.op === "zext") return zeroExtended(this.of(a, depth + 1), a);
        if (action.op === "sext" && a.type !== "i1") return this.of(a, depth + 1);
        if (action.op === "trunc") return within(this.of(a, depth + 1), full);
        return full;
      }
      case "select":
        return args[1] && args[2] ? union(this.of(args[1], depth + 1), this.of(args[2], depth + 1)) : full;
      case "math":
        return action.fn === "popc" || action.fn === "clz" || action.fn === "ffs" ? { low: 0, high: 64 } : full;
      case "int":
        return a && b ? binary(action.op, action.exact === true, this.of(a, depth + 1), this.of(b, depth + 1), full) : full;
      default:
        return full;
    }
  }
}

function binary(op: string, exact: boolean, a: Range, b: Range, full: Range): Range {
  const clamp = (range: Range): Range =>
    exact ? { low: Math.max(range.low, full.low), high: Math.min(range.high, full.high) } : within(range, full);
  switch (op) {
    case "add":
      return clamp({ low: a.low + b.low, high: a.high + b.high });
    case "sub":
      return clamp({ low: a.low - b.high, high: a.high - b.low });
    case "mul": {
      const ends = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high];
      return clamp({ low: Math.min(...ends), high: Math.max(...ends) });
    }
    case "and":
      if (b.low >= 0) return { low: 0, high: a.low >= 0 ? Math.min(a.high, b.high) : b.high };
      return a.low >= 0 ? { low: 0, high: a.high } : full;
    case "or":
    case "xor":
      return a.low >= 0 && b.low >= 0 ? { low: 0, high: 2 ** Math.ceil(Math.log2(Math.max(a.high, b.high) + 1)) - 1 } : full;
    case "shl":
    case "lshr":
    case "ashr":
      return shifted(op, a, b, full);
    case "sdiv":
    case "udiv":
      return a.low >= 0 && b.low > 0 ? { low: Math.floor(a.low / b.high), high: Math.floor(a.high / b.low) } : full;
    case "urem":
      return b.low > 0 ? { low: 0, high: a.low >= 0 ? Math.min(a.high, b.high - 1) : b.high - 1 } : full;
    case "srem":
      return a.low >= 0 && b.low > 0 ? { low: 0, high: Math.min(a.high, b.high - 1) } : full;
    case "smin":
      return { low: Math.min(a.low, b.low), high: Math.min(a.high, b.high) };
    case "smax":
      return { low: Math.max(a.low, b.low), high: Math.max(a.high, b.high) };
    case "umin":
      return a.low >= 0 && b.low >= 0 ? { low: Math.min(a.low, b.low), high: Math.min(a.high, b.high) } : full;
    default:
      return full;
  }
}

/** By a constant that leaves bits; a right shift of what is not negative makes it no larger. */
function shifted(op: "shl" | "lshr" | "ashr", a: Range, b: Range, full: Range): Range {
  const width = Math.round(Math.log2(full.high - full.low + 1));
  const known = b.low === b.high && b.low >= 0 && b.low < width;
  const power = 2 ** b.low;
  if (op === "shl") return known && a.low >= 0 ? within({ low: a.low * power, high: a.high * power }, full) : full;
  if (known && (op === "ashr" || a.low >= 0)) return { low: Math.floor(a.low / power), high: Math.floor(a.high / power) };
  if (known && b.low > 0) return { low: 0, high: 2 ** width / power - 1 };
  return a.low >= 0 ? { low: 0, high: a.high } : full;
}

function typeRange(type: Op["type"]): Range {
  switch (type) {
    case "i1":
      return { low: 0, high: 1 };
    case "i8":
      return { low: -128, high: 127 };
    case "i16":
      return { low: -32768, high: 32767 };
    case "i32":
      return full32;
    default:
      return full64;
  }
}

function zeroExtended(range: Range, from: Op): Range {
  if (range.low >= 0) return range;
  const bits = from.type === "i8" ? 8 : from.type === "i16" ? 16 : 32;
  return { low: 0, high: 2 ** bits - 1 };
}

const within = (range: Range, full: Range): Range =>
  range.low >= full.low && range.high <= full.high && range.high < full64.high ? range : full;
const union = (a: Range, b: Range): Range => ({ low: Math.min(a.low, b.low), high: Math.max(a.high, b.high) });
