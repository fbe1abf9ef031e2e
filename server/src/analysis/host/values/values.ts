/** Making values, and asking what they are. */
import { roundBf16, roundF16 } from "@warplens/sim-engine";
import { integerShape, isFloatName, wrapInteger } from "../../sema/arithmetic-types.ts";
import type { FloatName, IntegerName } from "../../sema/types.ts";
import type {
  Allocation,
  Cell,
  FloatValue,
  HostType,
  IntegerValue,
  PointerValue,
  RecordValue,
  UnknownValue,
  Value,
  VoidValue,
} from "./model.ts";

const noInputs: readonly string[] = [];

export const voidValue: VoidValue = { kind: "void" };

/** A value nobody knows; `reason` is a phrase for the user ("read from a file"). */
export function unknown(reason: string, type?: HostType, inputs: readonly string[] = noInputs): UnknownValue {
  return type === undefined ? { kind: "unknown", reason, inputs } : { kind: "unknown", reason, type, inputs };
}

export function int(value: number | bigint, type: IntegerName = "int"): IntegerValue {
  return { kind: "int", type, value: wrap(value, type) };
}

export function bool(value: boolean): IntegerValue {
  return value ? yes : no;
}
const yes: IntegerValue = { kind: "int", type: "bool", value: 1 };
const no: IntegerValue = { kind: "int", type: "bool", value: 0 };

export function float(value: number, type: FloatName = "double"): FloatValue {
  return { kind: "float", type, value: roundings[type](value) };
}

/** A number rounded once to a type. */
export const roundings: Readonly<Record<FloatName, (value: number) => number>> = {
  half: roundF16,
  bfloat16: roundBf16,
  float: Math.fround,
  double: (value) => value,
};

/** [lo, hi] as a value of `type`; an exact value when both are one. */
export function range(lo: number, hi: number, type: IntegerName | FloatName): Value {
  if (Number.isNaN(lo) || Number.isNaN(hi)) return unknown("not a number");
  if (isFloat(type) && lo === hi) return float(lo, type);
  if (isFloat(type)) return { kind: "range", type, lo: roundings[type](lo), hi: roundings[type](hi) };
  const [least, most] = bounds(type);
  if (lo < least || hi > most) return { kind: "range", type, lo: least, hi: most };
  return lo === hi && Number.isSafeInteger(lo) ? int(lo, type) : { kind: "range", type, lo, hi };
}

export const nullPointer: PointerValue = { kind: "pointer", to: undefined, target: undefined, offset: 0 };

export function pointer(target: Allocation | Cell, to: HostType | undefined, offset: number | undefined = 0): PointerValue {
  return { kind: "pointer", to, target, offset };
}

// ---------------------------------------------------------------- integer types

/** Of integer types as objects: a `bool` takes 8 bits. */
const shapes = Object.fromEntries(
  Object.entries(integerShape).map(([name, { bits, signed }]) => [
    name,
    {
      bits: Math.max(8, bits),
      signed,
      bounds: signed ? ([-(2 ** (bits - 1)), 2 ** (bits - 1) - 1] as const) : ([0, 2 ** bits - 1] as const),
    },
  ]),
) as Readonly<Record<IntegerName, { readonly bits: number; readonly signed: boolean; readonly bounds: readonly [number, number] }>>;

export const isFloat = isFloatName;
/** Bits of an integer type on LP64. */
export function bitsOf(type: IntegerName): number {
  return shapes[type].bits;
}
export function isUnsigned(type: IntegerName): boolean {
  return !shapes[type].signed;
}
/** Least and greatest value, as doubles. */
export function bounds(type: IntegerName): readonly [number, number] {
  return shapes[type].bounds;
}

/** An integer brought into the range of `type`, modulo its width. */
function wrap(value: number | bigint, type: IntegerName): number | bigint {
  if (type === "bool") return value ? 1 : 0;
  const { bits, signed } = shapes[type];
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value)) {
      if (!Number.isFinite(value)) return 0;
      return wrap(BigInt(Math.trunc(value)), type);
    }
    if (bits === 32) return signed ? value | 0 : value >>> 0;
    if (bits === 64) {
      if (value >= 0 || signed) return value;
      return BigInt.asUintN(64, BigInt(value));
    }
    const low = value & ((1 << bits) - 1);
    return !signed || low < 1 << (bits - 1) ? low : low - (1 << bits);
  }
  return narrow(wrapInteger(value, type));
}

function narrow(value: bigint): number | bigint {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
}

// ---------------------------------------------------------------- questions

export function openRecord(name: string): RecordValue {
  return { kind: "record", name, type: undefined, members: new Map(), open: true };
}

/** A known integer, bool or integral-typed value as a number; undefined otherwise. */
export function integerOf(value: Value): number | undefined {
  if (value.kind === "int") return Number(value.value);
  return undefined;
}

/** A known number of any kind. */
export function numberOf(value: Value): number | undefined {
  if (value.kind === "int") return Number(value.value);
  return value.kind === "float" ? value.value : undefined;
}

/** As a condition: undefined when it depends on what is not known. */
export function truth(value: Value): boolean | undefined {
  switch (value.kind) {
    case "int":
      return Boolean(value.value);
    case "float":
      return value.value !== 0;
    case "range":
      return value.lo > 0 || value.hi < 0 ? true : undefined;
    case "pointer":
      return value.target !== undefined;
    case "function":
    case "lambda":
    case "string":
      return true;
    default:
      return undefined;
  }
}

/** The inputs a value comes from. */
export function inputsOf(value: Value): readonly string[] {
  return value.kind === "unknown" ? value.inputs : noInputs;
}

/** The unknown among operands, with what both depend on; the reason of the first. */
export function unknownOf(a: Value, b?: Value): UnknownValue {
  const first = a.kind === "unknown" ? a : b?.kind === "unknown" ? b : undefined;
  if (first === undefined)
    return unknown(a.kind === "range" || b?.kind === "range" ? "a random value" : "an operation the evaluator does not know");
  if (first === a && b?.kind === "unknown" && b.inputs.length > 0) {
    const inputs = [...new Set([...first.inputs, ...b.inputs])];
    return unknown(first.reason, undefined, inputs.slice(0, 8));
  }
  return first.type === undefined ? first : unknown(first.reason, undefined, first.inputs);
}

/** Why a value is not an exact number, in words. */
export function reasonOf(value: Value): string {
  if (value.kind === "unknown") return value.reason;
  if (value.kind === "range") return "a random value";
  return `a ${value.kind}, not a number`;
}

/** Whether numbers hold 0.0 as well as -0.0, which compare as equal. */
export function hasBothZeros(values: ArrayLike<number | bigint>): boolean {
  let [has, hasNegative] = [false, false];
  for (let k = 0; k < values.length; k++) {
    if (values[k] !== 0) continue;
    if (Object.is(values[k], -0)) hasNegative = true;
    else has = true;
  }
  return has && hasNegative;
}
