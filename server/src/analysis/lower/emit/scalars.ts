/** C++ scalars in the IR: their types, constants and conversions. */
import { type Op, type ScalarType, scalarBits } from "@warplens/sim-engine";
import { integerShape } from "../../sema/arithmetic-types.ts";
import { isFloating, isInteger, underlying } from "../../sema/type-tools.ts";
import type { Type } from "../../sema/types.ts";
import type { Lowering } from "./lowering.ts";

const floats = { half: "f16", bfloat16: "bf16", float: "f32", double: "f64" } as const;
const integers = { 1: "i1", 8: "i8", 16: "i16", 32: "i32", 64: "i64" } as const;

/** The IR type of a scalar; undefined for records, arrays and `void`. */
export function scalarOf(type: Type): ScalarType | undefined {
  const plain = underlying(type);
  if (isInteger(plain)) return integers[integerShape[plain.name].bits];
  if (isFloating(plain)) return floats[plain.name];
  return plain.kind === "pointer" || plain.kind === "reference" || plain.kind === "function" ? "ptr" : undefined;
}

export const isSignedType = (type: Type): boolean => {
  const plain = underlying(type);
  return isInteger(plain) && integerShape[plain.name].signed;
};

export const isFloatScalar = (type: ScalarType): boolean => type === "f16" || type === "bf16" || type === "f32" || type === "f64";

/** A constant of a C++ type, from a value as constant evaluation gives it. */
export function constantOf(lowering: Lowering, value: bigint | number | boolean, type: Type): Op {
  const scalar = scalarOf(type);
  if (!scalar) return lowering.fail("a constant of a type that is no scalar");
  return lowering.constant(scalar, constantValue(value, scalar));
}

/** As the IR holds it: sign-extended numbers, bigints for i64, rounded floats. */
function constantValue(value: bigint | number | boolean, scalar: ScalarType): number | bigint {
  if (isFloatScalar(scalar)) return scalar === "f64" ? Number(value) : Math.fround(Number(value));
  // What is no number, or without end, C++ leaves open: 0, as where constants are evaluated.
  const whole = typeof value === "number" ? (Number.isFinite(value) ? BigInt(Math.trunc(value)) : 0n) : BigInt(value);
  switch (scalar) {
    case "i1":
      return whole === 0n ? 0 : 1;
    case "i64":
      return BigInt.asIntN(64, whole);
    case "ptr":
      return Number(whole);
    default:
      return Number(BigInt.asIntN(scalar === "i8" ? 8 : scalar === "i16" ? 16 : 32, whole));
  }
}

export const zeroOf = (lowering: Lowering, scalar: ScalarType): Op => lowering.constant(scalar, scalar === "i64" ? 0n : 0);

/** A scalar converted as C++ converts it. */
export function convert(lowering: Lowering, op: Op, from: Type, to: Type): Op {
  const { builder } = lowering;
  const target = scalarOf(to);
  if (!target || op.type === "void") return lowering.fail("a conversion between types that are no scalars");
  const source: ScalarType = op.type;
  const toPlain = underlying(to);
  if (isInteger(toPlain) && toPlain.name === "bool") return source === "i1" ? op : truth(lowering, op);
  if (source === target) return op;
  const signed = isSignedType(from);
  if (isFloatScalar(source)) {
    if (isFloatScalar(target)) return floatToFloat(lowering, op, source, target);
    if (target === "ptr") return lowering.fail("a floating value made a pointer");
    const wide = target === "i64" ? "i64" : "i32";
    const whole = builder.convert(isSignedType(to) || (target !== "i64" && target !== "i32") ? "fptosi" : "fptoui", op, wide);
    return wide === target ? whole : builder.convert("trunc", whole, target);
  }
  if (source === "ptr") {
    if (isFloatScalar(target)) return lowering.fail("a pointer made a floating value");
    const whole = builder.convert("ptrtoint", op, "i64");
    return target === "i64" ? whole : builder.convert("trunc", whole, target);
  }
  if (target === "ptr") {
    if (op.action.kind === "const") return lowering.constant("ptr", Number(op.action.value));
    return builder.convert("inttoptr", resize(lowering, op, signed, "i64"), "ptr");
  }
  if (isFloatScalar(target)) return builder.convert(signed ? "sitofp" : "uitofp", op, target);
  return resize(lowering, op, signed, target);
}

/** An integer to another width. Constants stay constants. */
export function resize(lowering: Lowering, op: Op, signed: boolean, target: ScalarType): Op {
  if (op.type === target || op.type === "void") return op;
  if (isFloatScalar(op.type)) return lowering.fail("a floating-point number stands where an integer is needed");
  if (op.action.kind === "const") {
    const value = BigInt(op.action.value);
    const width = scalarBits[op.type];
    return lowering.constant(
      target,
      constantValue(signed && width > 1 ? BigInt.asIntN(width, value) : BigInt.asUintN(width, value), target),
    );
  }
  return lowering.builder.convert(scalarBits[op.type] > scalarBits[target] ? "trunc" : signed ? "sext" : "zext", op, target);
}

function floatToFloat(lowering: Lowering, op: Op, source: ScalarType, target: ScalarType): Op {
  if (scalarBits[source] === scalarBits[target])
    return lowering.builder.convert("fptrunc", lowering.builder.convert("fpext", op, "f32"), target);
  return lowering.builder.convert(scalarBits[source] < scalarBits[target] ? "fpext" : "fptrunc", op, target);
}

/** Whether a scalar is not zero, as i1. */
export function truth(lowering: Lowering, op: Op): Op {
  if (op.type === "i1" || op.type === "void") return op;
  const zero = zeroOf(lowering, op.type);
  return isFloatScalar(op.type) ? lowering.builder.fcmp("une", op, zero) : lowering.builder.icmp("ne", op, zero);
}
