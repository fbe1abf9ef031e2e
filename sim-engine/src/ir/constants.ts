/** Constant operands, and integers as constants hold them. */
import type { Op, ScalarType } from "./kernel.ts";

/** An integer as a constant of `type` (up to 32 bits) holds it: sign-extended; i1 is 0 or 1. */
export function wrap(type: ScalarType, value: number): number {
  switch (type) {
    case "i1":
      return value & 1;
    case "i8":
      return (value << 24) >> 24;
    case "i16":
      return (value << 16) >> 16;
    default:
      return value | 0;
  }
}

/** The value of an integer constant up to 32 bits, or of a 64-bit one that a number holds exactly; otherwise undefined. */
export function intConstant(op: Op | undefined): number | undefined {
  if (op?.action.kind !== "const" || op.type === "f32" || op.type === "f64" || op.type === "f16" || op.type === "bf16") return undefined;
  const { value } = op.action;
  if (typeof value === "number") return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** The value of a floating constant. */
export function floatConstant(op: Op | undefined): number | undefined {
  if (op?.action.kind !== "const" || !(op.type === "f32" || op.type === "f64" || op.type === "f16" || op.type === "bf16")) return undefined;
  return Number(op.action.value);
}

export const isConstant = (op: Op | undefined): boolean => op?.action.kind === "const";

/** k for 2^k, k from 1. */
export function powerOfTwo(value: number): number | undefined {
  if (value < 2 || !Number.isSafeInteger(value)) return undefined;
  const power = Math.round(Math.log2(value));
  return 2 ** power === value ? power : undefined;
}
