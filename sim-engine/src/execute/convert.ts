/** Conversions between types, over lanes. */

import { bf16FromBits, bf16ToBits, f16FromBits, f16ToBits } from "../ir/half.ts";
import type { Action, ScalarType, ValueType } from "../ir/kernel.ts";
import { oddly, roundingTo } from "./floats.ts";
import { bitsOf, normaliseStep, zeroExtendStep } from "./ints.ts";
import { copyStep, type Doubles, type Ints, type Long, type Slot, type Step, writeLongNumber } from "./registers.ts";

type Conversion = Extract<Action, { kind: "convert" }>;
type Rounding = NonNullable<Conversion["rounding"]>;

/** Rounds to an integral number in the given direction; n is to nearest, ties to even. */
export function roundToIntegral(value: number, rounding: Rounding): number {
  switch (rounding) {
    case "z":
      return Math.trunc(value);
    case "d":
      return Math.floor(value);
    case "u":
      return Math.ceil(value);
    case "n": {
      if (Math.abs(value) >= 2 ** 52) return value;
      const floor = Math.floor(value);
      const above = value - floor;
      const up = above > 0.5 || (above === 0.5 && floor % 2 !== 0);
      // Keeps the sign of a zero.
      return up ? floor + 1 : floor === 0 && value < 0 ? -0 : floor;
    }
  }
}

/** Rounds a number to a floating type in the given direction. */
function roundTo(type: ScalarType, value: number, rounding: Rounding): number {
  const nearest = roundingTo(type)(value);
  if (rounding === "n" || nearest === value || Number.isNaN(value)) return nearest;
  const down = rounding === "d" || (rounding === "z" && value > 0);
  if (down ? nearest < value : nearest > value) return nearest;
  // The neighbour on the other side: one unit in the last place of the narrower type away.
  const digits = type === "f32" ? 23 : type === "f16" ? 10 : 7;
  const lowest = type === "f16" ? -14 : -126;
  const magnitude = Math.min(Math.abs(nearest), type === "f16" ? 65504 : 3.4028234663852886e38);
  if (!Number.isFinite(nearest)) return nearest > 0 ? magnitude : -magnitude;
  const exponent = Math.max(lowest, Math.floor(Math.log2(magnitude || Number.MIN_VALUE)));
  const away = nearest > 0 !== down;
  // Just below a power of two the spacing is half as wide.
  const spacing = 2 ** ((!away && 2 ** exponent === magnitude && exponent > lowest ? exponent - 1 : exponent) - digits);
  return nearest + (down ? -spacing : spacing);
}

const view = new DataView(new ArrayBuffer(8));

/** `to = conversion of from` for `n` lanes. */
export function convertStep(action: Conversion, to: Slot, toType: ScalarType, from: Slot, fromType: ValueType, n: number): Step {
  switch (action.op) {
    case "trunc":
    case "sext":
    case "zext":
      return integerStep(action.op, to, toType, from, fromType as ScalarType, n);
    case "fptosi":
    case "fptoui":
      return fromFloatStep(action.op === "fptosi", action.rounding ?? "z", to, toType, doubles(from), n);
    case "sitofp":
    case "uitofp":
      return toFloatStep(action.op === "sitofp", action.rounding ?? "n", doubles(to), toType, from, fromType as ScalarType, n);
    case "fpext":
    case "fptrunc": {
      const out = doubles(to);
      const a = doubles(from);
      const rounding = action.rounding ?? "n";
      const round = rounding === "n" ? roundingTo(toType) : (value: number): number => roundTo(toType, value, rounding);
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) out[i] = round(a[i]!);
      };
    }
    case "ptrtoint":
      return pointerToIntStep(to, toType, doubles(from), n);
    case "inttoptr":
      return integerToDoubleStep(doubles(to), from, "i64", false, n, false);
    case "bitcast":
      return bitcastStep(to, toType, from, fromType, n);
  }
}

function doubles(slot: Slot): Doubles {
  if (slot.kind !== "double") throw new Error(`${slot.kind} registers hold no float`);
  return slot.data;
}

function integerStep(op: "trunc" | "sext" | "zext", to: Slot, toType: ScalarType, from: Slot, fromType: ScalarType, n: number): Step {
  if (to.kind === "int") {
    const out = to.data;
    const a = from.kind === "long" ? from.data.lo : from.kind === "int" ? from.data : undefined;
    if (!a) throw new Error("not an integer");
    if (op === "zext") return zeroExtendStep(out, a, bitsOf(fromType), n);
    const negative = op === "sext" && fromType === "i1";
    const finish = normaliseStep(out, bitsOf(toType), n);
    return (o, mask) => {
      for (let i = o, e = o + n; i < e; i++) out[i] = negative ? -a[i]! : a[i]!;
      if (op === "trunc") finish(o, mask);
    };
  }
  if (to.kind !== "long" || from.kind !== "int") throw new Error("not an integer");
  const { lo, hi } = to.data;
  const a = from.data;
  if (op === "sext") {
    const negative = fromType === "i1";
    return (o) => {
      for (let i = o, e = o + n; i < e; i++) {
        const value = negative ? -a[i]! : a[i]!;
        lo[i] = value;
        hi[i] = value >> 31;
      }
    };
  }
  const low = zeroExtendStep(lo, a, bitsOf(fromType), n);
  return (o, mask) => {
    low(o, mask);
    for (let i = o, e = o + n; i < e; i++) hi[i] = 0;
  };
}

/** Out of range gives the nearest integer there is, and a NaN gives 0, as the hardware's cvt does. */
function fromFloatStep(signed: boolean, rounding: Rounding, to: Slot, toType: ScalarType, a: Doubles, n: number): Step {
  if (to.kind === "long") {
    const low = signed ? -(2 ** 63) : 0;
    const high = signed ? 2 ** 63 : 2 ** 64;
    const { data } = to;
    return (o) => {
      for (let i = o, e = o + n; i < e; i++) {
        const value = roundToIntegral(a[i]!, rounding);
        if (value >= high) {
          data.lo[i] = -1;
          data.hi[i] = signed ? 0x7fffffff : -1;
        } else writeLongNumber(data, i, Number.isNaN(value) ? 0 : Math.max(value, low));
      }
    };
  }
  if (to.kind !== "int") throw new Error("not an integer");
  const out = to.data;
  const [low, high] = signed ? [-(2 ** 31), 2 ** 31 - 1] : [0, 2 ** 32 - 1];
  const finish = normaliseStep(out, bitsOf(toType), n);
  return (o, mask) => {
    for (let i = o, e = o + n; i < e; i++) {
      const value = roundToIntegral(a[i]!, rounding);
      out[i] = Math.max(low, Math.min(high, value));
    }
    if (toType !== "i32") finish(o, mask);
  };
}

function toFloatStep(
  signed: boolean,
  rounding: Rounding,
  out: Doubles,
  toType: ScalarType,
  from: Slot,
  fromType: ScalarType,
  n: number,
): Step {
  const nearest = toType === "f64" && rounding === "n";
  const exact = integerToDoubleStep(out, from, fromType, !signed, n, nearest);
  if (toType === "f64") return exact;
  return (o, mask) => {
    exact(o, mask);
    for (let i = o, e = o + n; i < e; i++) out[i] = roundTo(toType, out[i]!, rounding);
  };
}

/**
 * As a double. Beyond 2^53 it is rounded to nearest, or to odd when something is lost, so that rounding it once more to a
 * narrower type is right.
 */
function integerToDoubleStep(out: Doubles, from: Slot, fromType: ScalarType, unsigned: boolean, n: number, nearest: boolean): Step {
  if (from.kind === "long") {
    const { lo, hi } = from.data;
    return (o) => {
      for (let i = o, e = o + n; i < e; i++) {
        const high = (unsigned ? hi[i]! >>> 0 : hi[i]!) * 0x1_0000_0000;
        const low = lo[i]! >>> 0;
        const sum = high + low;
        const lost = low - (sum - high);
        out[i] = nearest || lost === 0 ? sum : oddly(sum, lost);
      }
    };
  }
  if (from.kind !== "int") throw new Error("not an integer");
  const a = from.data;
  const bits = bitsOf(fromType);
  if (!unsigned) {
    return (o) => {
      for (let i = o, e = o + n; i < e; i++) out[i] = a[i]!;
    };
  }
  const mask = bits === 32 ? -1 : (1 << bits) - 1;
  return (o) => {
    for (let i = o, e = o + n; i < e; i++) out[i] = (a[i]! & mask) >>> 0;
  };
}

function pointerToIntStep(to: Slot, toType: ScalarType, a: Doubles, n: number): Step {
  if (to.kind === "long") {
    const { data } = to;
    return (o) => {
      for (let i = o, e = o + n; i < e; i++) writeLongNumber(data, i, a[i]!);
    };
  }
  if (to.kind !== "int") throw new Error("not an integer");
  const out = to.data;
  const finish = normaliseStep(out, bitsOf(toType), n);
  return (o, mask) => {
    for (let i = o, e = o + n; i < e; i++) out[i] = a[i]!;
    finish(o, mask);
  };
}

function bitcastStep(to: Slot, toType: ScalarType, from: Slot, fromType: ValueType, n: number): Step {
  if (to.kind === "int" && from.kind === "double") return floatToBitsStep(to.data, from.data, fromType, n);
  if (to.kind === "double" && from.kind === "int") return bitsToFloatStep(to.data, toType, from.data, n);
  if (to.kind === "long" && from.kind === "double") {
    if (fromType === "ptr") return pointerToIntStep(to, toType, from.data, n);
    const { lo, hi } = to.data;
    const a = from.data;
    return (o) => {
      for (let i = o, e = o + n; i < e; i++) {
        view.setFloat64(0, a[i]!);
        hi[i] = view.getInt32(0);
        lo[i] = view.getInt32(4);
      }
    };
  }
  if (to.kind === "double" && from.kind === "long") {
    if (toType === "ptr") return integerToDoubleStep(to.data, from, "i64", false, n, false);
    return longToDoubleBits(to.data, from.data, n);
  }
  return copyStep(to, from, n);
}

function longToDoubleBits(out: Doubles, { lo, hi }: Long, n: number): Step {
  return (o) => {
    for (let i = o, e = o + n; i < e; i++) {
      view.setInt32(0, hi[i]!);
      view.setInt32(4, lo[i]!);
      out[i] = view.getFloat64(0);
    }
  };
}

function floatToBitsStep(out: Ints, a: Doubles, type: ValueType, n: number): Step {
  const bits = (value: number): number => {
    if (type === "f16") return f16ToBits(value);
    if (type === "bf16") return bf16ToBits(value);
    view.setFloat32(0, value);
    return view.getInt32(0);
  };
  const narrow = type === "f32" ? 0 : 16;
  return (o) => {
    for (let i = o, e = o + n; i < e; i++) out[i] = (bits(a[i]!) << narrow) >> narrow;
  };
}

function bitsToFloatStep(out: Doubles, type: ScalarType, a: Ints, n: number): Step {
  const value = (bits: number): number => {
    if (type === "f16") return f16FromBits(bits & 0xffff);
    if (type === "bf16") return bf16FromBits(bits & 0xffff);
    view.setInt32(0, bits);
    return view.getFloat32(0);
  };
  return (o) => {
    for (let i = o, e = o + n; i < e; i++) out[i] = value(a[i]!);
  };
}
