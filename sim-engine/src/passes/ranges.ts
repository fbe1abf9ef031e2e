/**
 * What is known of an integer's value: bounds that hold for every thread of every launch. Thread and block indices have none:
 * nvcc does not count on them being small, or even positive.
 */
import type { Op } from "../kernel.ts";
import { intConstant } from "./rewrite.ts";

/** Signed, both ends included. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

const full32: Range = { low: -(2 ** 31), high: 2 ** 31 - 1 };
const full64: Range = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };

export class Ranges {
  readonly #known = new Map<Op, Range>();

  nonNegative(op: Op): boolean {
    return this.of(op).low >= 0;
  }

  of(op: Op, depth = 0): Range {
    const known = this.#known.get(op);
    if (known) return known;
    const found = this.#compute(op, depth);
    if (depth === 0) this.#known.set(op, found);
    return found;
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
        return a && b ? this.#binary(action.op, action.exact === true, this.of(a, depth + 1), this.of(b, depth + 1), full) : full;
      default:
        return full;
    }
  }

  #binary(op: string, exact: boolean, a: Range, b: Range, full: Range): Range {
    const clamp = (range: Range): Range =>
      exact ? { low: Math.max(range.low, full.low), high: Math.min(range.high, full.high) } : within(range, full);
    switch (op) {
      case "add":
        return clamp({ low: a.low + b.low, high: a.high + b.high });
      case "sub":
        return clamp({ low: a.low - b.high, high: a.high - b.low });
      case "mul": {
        const ends = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high].map((each) => (Number.isNaN(each) ? 0 : each));
        return clamp({ low: Math.min(...ends), high: Math.max(...ends) });
      }
      case "and":
        if (b.low >= 0) return { low: 0, high: a.low >= 0 ? Math.min(a.high, b.high) : b.high };
        return a.low >= 0 ? { low: 0, high: a.high } : full;
      case "or":
      case "xor":
        return a.low >= 0 && b.low >= 0 && Number.isFinite(a.high) && Number.isFinite(b.high)
          ? { low: 0, high: 2 ** Math.ceil(Math.log2(Math.max(a.high, b.high) + 1)) - 1 }
          : full;
      case "shl":
        return b.low === b.high && a.low >= 0 ? within({ low: a.low * 2 ** b.low, high: a.high * 2 ** b.low }, full) : full;
      case "lshr":
        return a.low >= 0 && b.low === b.high && Number.isFinite(a.high)
          ? { low: Math.floor(a.low / 2 ** b.low), high: Math.floor(a.high / 2 ** b.low) }
          : b.low > 0
            ? { low: 0, high: (full.high * 2 + 1) / 2 ** b.low }
            : full;
      case "ashr":
        return b.low === b.high && Number.isFinite(a.high) && Number.isFinite(a.low)
          ? { low: Math.floor(a.low / 2 ** b.low), high: Math.floor(a.high / 2 ** b.low) }
          : full;
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

const within = (range: Range, full: Range): Range => (range.low >= full.low && range.high <= full.high ? range : full);
const union = (a: Range, b: Range): Range => ({ low: Math.min(a.low, b.low), high: Math.max(a.high, b.high) });
