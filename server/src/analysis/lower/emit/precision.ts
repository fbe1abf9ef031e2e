/** Which functions and divisions of floats are the hardware's approximations, as nvcc's options have them. */
import type { MathFunction, Precision, ScalarType } from "@warplens/sim-engine";
import type { Lowering } from "./lowering.ts";

/** What `-use_fast_math` makes intrinsics of: of `sinf` `__sinf`, and so on. */
const fastFunctions: ReadonlySet<MathFunction> = new Set(["sin", "cos", "tan", "exp", "exp10", "log", "log2", "log10", "pow", "tanh"]);

/** Of a function that does not say it itself. */
export function functionPrecision({ options: { code } }: Lowering, fn: MathFunction, type: ScalarType): Precision {
  if (type !== "f32") return "precise";
  const fast = fn === "sqrt" ? code?.precSqrt === false : fn === "rcp" ? code?.precDiv === false : code?.fastMath && fastFunctions.has(fn);
  return fast ? "fast" : "precise";
}

/** Of `/`; absent: exact. */
export const divisionPrecision = ({ options: { code } }: Lowering, type: ScalarType): Precision | undefined =>
  type === "f32" && code?.precDiv === false ? "fast" : undefined;
