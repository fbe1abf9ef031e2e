/** Math functions of the IR over lanes: floats in double precision, rounded to the operation's type; integers exactly. */
import type { MathFunction, Op, ScalarType } from "../ir/kernel.ts";
import { roundToIntegral } from "./convert.ts";
import { roundingTo } from "./floats.ts";
import { packedFunctions } from "./packed.ts";
import type { Registers, Step } from "./registers.ts";
import { besselJ, besselY, erf, erfc, erfcx, erfinv, lgamma, tgamma } from "./special-functions.ts";

/** Where a Math function of JavaScript serves, or a short formula does. */
export const floatFunctions: Readonly<Partial<Record<MathFunction, (a: number, b: number, c: number) => number>>> = {
  fabs: Math.abs,
  fneg: (a) => -a,
  sqrt: Math.sqrt,
  rsqrt: (a) => 1 / Math.sqrt(a),
  rcp: (a) => 1 / a,
  cbrt: Math.cbrt,
  rcbrt: (a) => 1 / Math.cbrt(a),
  exp: Math.exp,
  exp2: (a) => 2 ** a,
  exp10: (a) => 10 ** a,
  expm1: Math.expm1,
  log: Math.log,
  log2: Math.log2,
  log10: Math.log10,
  log1p: Math.log1p,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  sinpi: (a) => Math.sin(Math.PI * (a % 2)),
  cospi: (a) => Math.cos(Math.PI * (a % 2)),
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  atan2: Math.atan2,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  asinh: Math.asinh,
  acosh: Math.acosh,
  atanh: Math.atanh,
  // C's pow gives 1 where JavaScript gives NaN: for a base of 1, and of -1 to an infinite power.
  pow: (a, b) => (a === 1 || (a === -1 && Math.abs(b) === Number.POSITIVE_INFINITY) ? 1 : a ** b),
  hypot: Math.hypot,
  rhypot: (a, b) => 1 / Math.hypot(a, b),
  fmod: (a, b) => a % b,
  remainder: (a, b) => a - b * roundToIntegral(a / b, "n"),
  copysign: (a, b) => (b < 0 || Object.is(b, -0) ? -Math.abs(a) : Math.abs(a)),
  fdim: (a, b) => (a > b ? a - b : a <= b ? 0 : Number.NaN),
  ldexp: (a, b) => scale(a, b),
  scalbn: (a, b) => scale(a, b),
  logb: (a) => exponentOf(a),
  floor: Math.floor,
  ceil: Math.ceil,
  trunc: Math.trunc,
  round: (a) => Math.sign(a) * Math.floor(Math.abs(a) + 0.5),
  rint: (a) => roundToIntegral(a, "n"),
  saturate: (a) => (a > 0 ? Math.min(a, 1) : 0),
  erf,
  erfc,
  erfinv,
  erfcx,
  normcdf: (a) => erfc(-a / Math.SQRT2) / 2,
  normcdfinv: (a) => Math.SQRT2 * erfinv(2 * a - 1),
  tgamma,
  lgamma,
  j0: (a) => besselJ(0, a),
  j1: (a) => besselJ(1, a),
  y0: (a) => besselY(0, a),
  y1: (a) => besselY(1, a),
};

/** In two steps, so that neither power over- or underflows where the result does not. */
function scale(a: number, b: number): number {
  const half = Math.trunc(Math.max(-4000, Math.min(4000, b)) / 2);
  return a * 2 ** half * 2 ** (Math.max(-4000, Math.min(4000, b)) - half);
}

function exponentOf(a: number): number {
  if (a === 0) return Number.NEGATIVE_INFINITY;
  if (!Number.isFinite(a)) return Math.abs(a);
  const exponent = Math.floor(Math.log2(Math.abs(a)));
  // The logarithm of a number just below a power of two may round up to it.
  return 2 ** exponent > Math.abs(a) ? exponent - 1 : exponent;
}

const word = new DataView(new ArrayBuffer(4));

/** Half of the last place is added to what is finite; the places behind it are cut off. */
function tf32(a: number): number {
  word.setFloat32(0, a);
  return (Number.isFinite(a) ? word.getInt32(0) + 0x1000 : Number.isNaN(a) ? 0x7fffffff : word.getInt32(0)) & ~0x1fff;
}

/** Tests of floats that give i1, or an integer. */
const floatTests: Readonly<Partial<Record<MathFunction, (a: number) => number>>> = {
  isnan: (a) => (Number.isNaN(a) ? 1 : 0),
  isinf: (a) => (Math.abs(a) === Number.POSITIVE_INFINITY ? 1 : 0),
  isfinite: (a) => (Number.isFinite(a) ? 1 : 0),
  signbit: (a) => (a < 0 || Object.is(a, -0) ? 1 : 0),
  ilogb: (a) => (Number.isNaN(a) ? -(2 ** 31) : Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, exponentOf(a)))),
  tf32,
};

const bitCount = (a: number): number => {
  let count = 0;
  for (let bits = a; bits !== 0; bits &= bits - 1) count++;
  return count;
};

const reverse = (a: number): number => {
  let bits = a;
  let out = 0;
  for (let k = 0; k < 32; k++, bits >>>= 1) out = (out << 1) | (bits & 1);
  return out;
};

const dot = (a: number, b: number, c: number): number => {
  let sum = c;
  for (let k = 0; k < 32; k += 8) sum += ((a << (24 - k)) >> 24) * ((b << (24 - k)) >> 24);
  return sum | 0;
};

const unsignedDot = (a: number, b: number, c: number): number => {
  let sum = c;
  for (let k = 0; k < 32; k += 8) sum += ((a >>> k) & 255) * ((b >>> k) & 255);
  return sum | 0;
};

/** `__byte_perm`: each result byte picked by four bits of the selector out of b:a. */
const permute = (a: number, b: number, selector: number): number => {
  let out = 0;
  for (let k = 0; k < 4; k++) {
    const pick = (selector >>> (4 * k)) & 15;
    let byte = ((pick & 4 ? b : a) >>> (8 * (pick & 3))) & 255;
    if (pick & 8) byte = byte & 128 ? 255 : 0;
    out |= byte << (8 * k);
  }
  return out;
};

function differences(a: number, b: number, c: number): number {
  let sum = c;
  for (let shift = 0; shift < 32; shift += 8) sum += Math.abs(((a >>> shift) & 255) - ((b >>> shift) & 255));
  return sum | 0;
}

function byteDifferences(a: number, b: number): number {
  let out = 0;
  for (let shift = 0; shift < 32; shift += 8) out |= Math.abs(((a >>> shift) & 255) - ((b >>> shift) & 255)) << shift;
  return out;
}

/** On i32. */
const intFunctions: Readonly<Partial<Record<MathFunction, (a: number, b: number, c: number) => number>>> = {
  popc: bitCount,
  clz: Math.clz32,
  ffs: (a) => (a === 0 ? 0 : 32 - Math.clz32(a & -a)),
  brev: reverse,
  abs: (a) => (a < 0 ? -a | 0 : a),
  byteperm: permute,
  "funnel.l": (low, high, by) => (by & 31 ? (high << (by & 31)) | (low >>> (32 - (by & 31))) : high),
  "funnel.r": (low, high, by) => (by & 31 ? (low >>> (by & 31)) | (high << (32 - (by & 31))) : low),
  sad: (a, b, c) => (Math.abs(a - b) + c) | 0,
  sad4: differences,
  absdiff4: byteDifferences,
  bfind: (a) => 31 - Math.clz32(a),
  dp4a: dot,
  "dp4a.u": unsignedDot,
  mul24: (a, b) => Math.imul((a << 8) >> 8, (b << 8) >> 8),
  ...packedFunctions,
};

/** The step of a `math` operation for `n` lanes; undefined when its operands' types do not fit the function. */
export function mathStep(fn: MathFunction, op: Op, registers: Registers, n: number): Step | undefined {
  const [a, b, c] = op.args;
  if (!a) return undefined;
  const slots = op.args.map((arg) => registers.slot(arg));
  const out = registers.slot(op);
  const [first, second, third] = slots;
  if (first?.kind === "double" && out.kind === "double") {
    const apply = floatFunctions[fn];
    if (!apply) return undefined;
    const round = roundingTo(op.type as ScalarType);
    const { data } = out;
    const x = first.data;
    const y = second === undefined || second.kind === "long" ? undefined : second.data;
    const z = third?.kind === "double" ? third.data : undefined;
    if (y) {
      return (o) => {
        for (let i = o, e = o + n; i < e; i++) data[i] = round(apply(x[i]!, y[i]!, z ? z[i]! : 0));
      };
    }
    return (o) => {
      for (let i = o, e = o + n; i < e; i++) data[i] = round(apply(x[i]!, 0, 0));
    };
  }
  if (first?.kind === "double" && out.kind === "int") {
    const apply = floatTests[fn];
    const { data } = out;
    const x = first.data;
    return apply
      ? (o) => {
          for (let i = o, e = o + n; i < e; i++) data[i] = apply(x[i]!);
        }
      : undefined;
  }
  if (first?.kind === "long") return longMathStep(fn, op, registers, n);
  const apply = intFunctions[fn];
  if (first?.kind !== "int" || out.kind !== "int" || !apply) return undefined;
  const { data } = out;
  const x = first.data;
  const y = b ? registers.ints(b) : x;
  const z = c ? registers.ints(c) : x;
  return (o) => {
    for (let i = o, e = o + n; i < e; i++) data[i] = apply(x[i]!, y[i]!, z[i]!);
  };
}

/** popc, clz, ffs, brev and abs of i64. */
function longMathStep(fn: MathFunction, op: Op, registers: Registers, n: number): Step | undefined {
  const [a] = op.args;
  if (!a) return undefined;
  const { lo, hi } = registers.long(a);
  const out = registers.slot(op);
  if (out.kind === "int") {
    const count = (low: number, high: number): number => {
      switch (fn) {
        case "popc":
          return bitCount(low) + bitCount(high);
        case "clz":
          return high === 0 ? 32 + Math.clz32(low) : Math.clz32(high);
        default:
          return low !== 0 ? 32 - Math.clz32(low & -low) : high !== 0 ? 64 - Math.clz32(high & -high) : 0;
      }
    };
    if (fn !== "popc" && fn !== "clz" && fn !== "ffs") return undefined;
    const { data } = out;
    return (o) => {
      for (let i = o, e = o + n; i < e; i++) data[i] = count(lo[i]!, hi[i]!);
    };
  }
  if (out.kind !== "long" || (fn !== "brev" && fn !== "abs")) return undefined;
  const { data } = out;
  return (o) => {
    for (let i = o, e = o + n; i < e; i++) {
      const low = lo[i]!;
      const high = hi[i]!;
      if (fn === "brev") {
        data.lo[i] = reverse(high);
        data.hi[i] = reverse(low);
      } else {
        const negative = high < 0;
        data.lo[i] = negative ? -low : low;
        data.hi[i] = negative ? ~high + (low === 0 ? 1 : 0) : high;
      }
    }
  };
}
