import { convertConstant, notConstant, type Run } from "./constant-run.ts";
import type { Constant } from "./context.ts";
import { integerShape, isFloating, isInteger, promote, usualArithmetic } from "./type-tools.ts";
import type { Type } from "./types.ts";

export function arithmetic(
  _run: Run,
  op: string,
  left: Constant,
  right: Constant,
  leftType: Type | undefined,
  rightType: Type | undefined,
): Constant {
  const shift = op === "<<" || op === ">>";
  const common = leftType && rightType ? (shift ? promote(leftType) : usualArithmetic(leftType, rightType)) : undefined;
  if (typeof left === "number" || typeof right === "number" || (common && isFloating(common))) {
    const value = floatArithmetic(op, Number(left), Number(right));
    return typeof value === "boolean" ? value : convertConstant(value, common);
  }
  const [a, b] = [convertConstant(left, common), shift ? right : convertConstant(right, common)].map((each) => BigInt(each));
  const value = integerArithmetic(op, a ?? 0n, b ?? 0n, common && isInteger(common) ? integerShape[common.name].bits : 64);
  return typeof value === "boolean" ? value : convertConstant(value, common);
}

function floatArithmetic(op: string, a: number, b: number): number | boolean {
  switch (op) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a / b;
    default:
      return comparison(op, a, b);
  }
}

function integerArithmetic(op: string, a: bigint, b: bigint, bits: number): bigint | boolean {
  switch (op) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
    case "%":
      if (b === 0n) throw notConstant;
      return op === "/" ? a / b : a % b;
    case "&":
      return a & b;
    case "|":
      return a | b;
    case "^":
      return a ^ b;
    case "<<":
    case ">>":
      if (b < 0n || b >= BigInt(bits)) throw notConstant;
      return op === "<<" ? a << b : a >> b;
    default:
      return comparison(op, a, b);
  }
}

function comparison<T extends number | bigint>(op: string, a: T, b: T): boolean {
  switch (op) {
    case "==":
      return a === b;
    case "!=":
      return a !== b;
    case "<":
      return a < b;
    case ">":
      return a > b;
    case "<=":
      return a <= b;
    case ">=":
      return a >= b;
    default:
      throw notConstant;
  }
}
