/** Functions of <cmath>, <algorithm> and <cstdlib> on numbers. */
import { commonName } from "../../sema/arithmetic-types.ts";
import type { FloatName } from "../../sema/types.ts";
import { arithmetic, isArithmetic } from "../values/arithmetic.ts";
import { convert } from "../values/convert.ts";
import type { Value } from "../values/model.ts";
import { float, int, isFloat, numberOf, range, truth, unknown, unknownOf } from "../values/values.ts";
import { argumentValue, type LibraryFunction } from "./library.ts";

/** In double, or in float when the name ends in f or the operands are floats. */
function real(fn: (...x: number[]) => number, single = false): LibraryFunction {
  return (_host, args) => {
    // What a function of floats is given is one.
    const numbers = args.map(({ value }) => (single ? singleOf(numberOf(value)) : numberOf(value)));
    const missing = args.find(({ value }) => numberOf(value) === undefined);
    if (missing !== undefined)
      return (
        bounded(
          fn,
          args.map(({ value }) => value),
        ) ?? unknownOf(missing.value)
      );
    const allFloat = args.length > 0 && args.every(({ value }) => value.kind === "float" && value.type === "float");
    return float(fn(...numbers.map((x) => x ?? 0)), single || allFloat ? "float" : "double");
  };
}

const singleOf = (number: number | undefined): number | undefined => (number === undefined ? undefined : Math.fround(number));

/** Monotonic functions of a range keep it one. */
function bounded(fn: (...x: number[]) => number, values: readonly Value[]): Value | undefined {
  const [only] = values;
  if (only?.kind !== "range" || values.length !== 1 || ![Math.floor, Math.ceil, Math.round, Math.sqrt, Math.exp].includes(fn))
    return undefined;
  return range(fn(only.lo), fn(only.hi), "double");
}

const reals: Readonly<Record<string, (...x: number[]) => number>> = {
  ceil: Math.ceil,
  floor: Math.floor,
  sqrt: Math.sqrt,
  cbrt: Math.cbrt,
  pow: Math.pow,
  exp: Math.exp,
  exp2: (x = 0) => 2 ** x,
  log: Math.log,
  log2: Math.log2,
  log10: Math.log10,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  atan2: Math.atan2,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  fabs: Math.abs,
  trunc: Math.trunc,
  fmod: (x = 0, y = 1) => x % y,
  hypot: Math.hypot,
  fmax: Math.max,
  fmin: Math.min,
  rint: (x) => toEven(x),
  nearbyint: (x) => toEven(x),
  log1p: Math.log1p,
  expm1: Math.expm1,
  round: (x) => awayFromZero(x),
};

const least: LibraryFunction = (host, args, call) => pickAll(listed(host, args, call), "<");
const greatest: LibraryFunction = (host, args, call) => pickAll(listed(host, args, call), ">");

/** The arguments, or the elements of a braced list that is the only one. */
function listed(...[host, args, call]: Parameters<LibraryFunction>): readonly Value[] {
  const [only] = call.arguments;
  if (call.arguments.length === 1 && only?.kind === "list") return only.elements.map(({ value }) => host.evaluate(value));
  return args.map(({ value }) => value);
}

/** A third argument of two is a comparison. */
function pickAll(values: readonly Value[], op: "<" | ">"): Value {
  let chosen: Value | undefined;
  for (const value of values)
    if (value.kind !== "lambda" && value.kind !== "function") chosen = chosen === undefined ? value : pick([chosen, value], op);
  return chosen ?? unknown("a call without arguments");
}

function pick(values: readonly Value[], op: "<" | ">"): Value {
  const [a, b] = values;
  if (a === undefined) return unknown("a call without arguments");
  if (b === undefined) return a;
  const known = truth(arithmetic(op, b, a));
  if (known !== undefined) return shared(known ? b : a, a, b);
  // What is not known may still be bounded: min(x, 256) of a random x.
  if (a.kind === "range" || b.kind === "range") {
    const [al, ah] = interval(a);
    const [bl, bh] = interval(b);
    const join = op === "<" ? Math.min : Math.max;
    if (al !== undefined && ah !== undefined && bl !== undefined && bh !== undefined && isArithmetic(a))
      return range(join(al, bl), join(ah, bh), a.type);
  }
  return unknownOf(a, b);
}

function interval(value: Value): readonly [number | undefined, number | undefined] {
  return value.kind === "range" ? [value.lo, value.hi] : [numberOf(value), numberOf(value)];
}

/** `max(1, 2u)` of CUDA's headers has the common type. */
function shared(chosen: Value, a: Value, b: Value): Value {
  if (!isArithmetic(a) || !isArithmetic(b) || !isArithmetic(chosen)) return chosen;
  const type = a.type === b.type ? a.type : commonName(a.type, b.type);
  return convert(chosen, isFloat(type) ? { kind: "floating", name: type } : { kind: "integer", name: type });
}

const absolute: LibraryFunction = (_host, args) => {
  const value = argumentValue(args, 0);
  if (value.kind === "int") return int(Number(value.value) < 0 ? -BigInt(value.value) : value.value, value.type);
  return value.kind === "float" ? float(Math.abs(value.value), value.type) : unknownOf(value);
};

/** To the nearest integer: halves away from 0, or to the even one. */
const nearest =
  (type: "long" | "longlong", round: (x: number) => number): LibraryFunction =>
  (_host, args) => {
    const value = argumentValue(args, 0);
    const number = numberOf(value);
    return convert(number === undefined ? value : float(round(number)), { kind: "integer", name: type });
  };

const awayFromZero = (x = 0): number => Math.sign(x) * Math.round(Math.abs(x));
const toEven = (x = 0): number => (Math.abs(x % 1) === 0.5 ? 2 * Math.round(x / 2) : Math.round(x));

interface RealFunction {
  readonly of: (...x: number[]) => number;
  /** It gives a float, whatever it is given. */
  readonly single: boolean;
}

/** Functions of real numbers by their names. */
export const realFunctions: ReadonlyMap<string, RealFunction> = new Map(
  Object.entries(reals).flatMap(([name, of]): [string, RealFunction][] => [
    [name, { of, single: false }],
    [`${name}f`, { of, single: true }],
  ]),
);

const table = new Map<string, LibraryFunction>();
for (const [name, { of, single }] of realFunctions) table.set(name, real(of, single));
table.set("min", least).set("max", greatest).set("abs", absolute).set("labs", absolute).set("llabs", absolute);
table.set("umin", least).set("umax", greatest).set("imin", least).set("imax", greatest);
table.set("lround", nearest("long", awayFromZero)).set("llround", nearest("longlong", awayFromZero));
table.set("lrint", nearest("long", toEven)).set("llrint", nearest("longlong", toEven));

const isPowerOfTwo: LibraryFunction = (_host, args) => {
  const value = numberOf(argumentValue(args, 0));
  return value === undefined ? unknownOf(argumentValue(args, 0)) : int(Number(value > 0 && (value & (value - 1)) === 0), "bool");
};
table.set("has_single_bit", isPowerOfTwo);

/** Conversions to and from types of 16 bits: what they take, and what they make of it. */
export const halfConversions: ReadonlyMap<string, { readonly from: FloatName; readonly to: FloatName }> = new Map(
  (["half", "bfloat16"] as const).flatMap((type): [string, { from: FloatName; to: FloatName }][] => [
    [`__float2${type}`, { from: "float", to: type }],
    [`__float2${type}_rn`, { from: "float", to: type }],
    [`__double2${type}`, { from: "double", to: type }],
    [`__${type}2float`, { from: type, to: "float" }],
  ]),
);
for (const [name, { from, to }] of halfConversions) {
  table.set(name, (_host, args) =>
    convert(convert(argumentValue(args, 0), { kind: "floating", name: from }), { kind: "floating", name: to }),
  );
}

/** Of the bits of an integer: the compiler's own, and those of `<bit>`. */
function ofBits(width: 32 | 64, count: (bits: bigint, width: number) => number): LibraryFunction {
  return (_host, args) => {
    const value = argumentValue(args, 0);
    return value.kind === "int" ? int(count(BigInt.asUintN(width, BigInt(value.value)), width)) : unknownOf(value);
  };
}

const lengthOf = (bits: bigint): number => (bits === 0n ? 0 : bits.toString(2).length);
const ones = (bits: bigint): number => bits.toString(2).replaceAll("0", "").length;
const trailing = (bits: bigint, width: number): number => (bits === 0n ? width : lengthOf(bits & -bits) - 1);

for (const [suffix, width] of [
  ["", 32],
  ["l", 64],
  ["ll", 64],
] as const) {
  table.set(
    `__builtin_clz${suffix}`,
    ofBits(width, (bits) => width - lengthOf(bits)),
  );
  table.set(`__builtin_ctz${suffix}`, ofBits(width, trailing));
  table.set(`__builtin_popcount${suffix}`, ofBits(width, ones));
  table.set(
    `__builtin_ffs${suffix}`,
    ofBits(width, (bits) => (bits === 0n ? 0 : trailing(bits, width) + 1)),
  );
}

export const mathFunctions: ReadonlyMap<string, LibraryFunction> = table;
