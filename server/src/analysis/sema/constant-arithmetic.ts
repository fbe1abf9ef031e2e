/** Arithmetic on constants, as their types have it. */
import { ofFloats, ofIntegers } from "../../syntax/operators.ts";
import { integerShape } from "./arithmetic-types.ts";
import { convertConstant, notConstant } from "./constant-run.ts";
import type { Constant } from "./context.ts";
import { isFloating, isInteger, promote, usualArithmetic } from "./type-tools.ts";
import type { Type } from "./types.ts";

/** `left op right` for every binary operator but `&&`, `||` and `,`. Throws `NotConstant` for what C++ says nothing of. */
export function arithmetic(op: string, left: Constant, right: Constant, leftType: Type | undefined, rightType: Type | undefined): Constant {
  const shift = op === "<<" || op === ">>";
  const common = leftType && rightType ? (shift ? promote(leftType) : usualArithmetic(leftType, rightType)) : undefined;
  const floating = typeof left === "number" || typeof right === "number" || (common && isFloating(common));
  const value = floating
    ? ofFloats(op, Number(left), Number(right))
    : ofIntegers(
        op,
        BigInt(convertConstant(left, common)),
        BigInt(shift ? right : convertConstant(right, common)),
        common && isInteger(common) ? integerShape[common.name].bits : 64,
      );
  if (value === undefined) throw notConstant;
  return typeof value === "boolean" ? value : convertConstant(value, common);
}
