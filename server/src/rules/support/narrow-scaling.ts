/** One operation of a number of 8 or 16 bits and a double constant, held against the same with a float, for all numbers that there are. */
import type { CodeOptions } from "../../analysis/nvcc-options.ts";
import type { Semantics } from "../../analysis/sema/index.ts";
import type { Expression } from "../../syntax/ast.ts";
import { unqualified } from "./ranges.ts";

/** By type, the least and the most it holds. */
const ranges: Readonly<Record<string, readonly [least: number, most: number]>> = {
  char: [-128, 127],
  schar: [-128, 127],
  uchar: [0, 255],
  short: [-32768, 32767],
  ushort: [0, 65535],
};

const operations: Readonly<Record<string, (a: number, b: number) => number>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
};

/**
 * Whether the results are the same with a float constant as with a double one, as floats or as integers; undefined where it is no such
 * operation, or the compiler is told not to round as it is written: quotients (`-prec-div=false`, `-use_fast_math`), and products that a sum
 * takes without rounding them (`-fmad`, on by default), unless there is nothing to round.
 */
export function sameWithFloat(
  semantics: Semantics,
  node: Expression,
  target: "single" | "integer",
  code: CodeOptions,
): boolean | undefined {
  if (node.kind === "parenthesized") return sameWithFloat(semantics, node.inner, target, code);
  const operation = node.kind === "binary" ? operations[node.op] : undefined;
  if (node.kind !== "binary" || !operation || code.fastMath) return undefined;
  if (node.op === "/" && code.precDiv === false) return undefined;
  const mayFuse = node.op === "*" && target === "single" && code.fmad !== false;
  const [left, right] = [operandOf(semantics, node.left), operandOf(semantics, node.right)];
  if (!left || !right || "range" in left === "range" in right) return undefined;
  const range = "range" in left ? left.range : "range" in right ? right.range : undefined;
  if (!range) return undefined;
  const numberOf = (operand: Operand, value: number): number => ("range" in operand ? value : operand.constant);
  const [least, most] = range;
  for (let value = least; value <= most; value++) {
    const [a, b] = [numberOf(left, value), numberOf(right, value)];
    const exact = operation(a, b);
    // Both operands are floats, so a double holds enough of the result to round it to a float as the machine does.
    const unrounded = operation(Math.fround(a), Math.fround(b));
    const single = Math.fround(unrounded);
    if (mayFuse && single !== unrounded) return undefined;
    const same = target === "single" ? Object.is(Math.fround(exact), single) : Math.trunc(exact) === Math.trunc(single);
    if (!same) return false;
  }
  return true;
}

type Operand = { readonly range: readonly [number, number] } | { readonly constant: number };

function operandOf(semantics: Semantics, node: Expression): Operand | undefined {
  if (node.kind === "parenthesized") return operandOf(semantics, node.inner);
  const constant = semantics.constant(node);
  if (constant !== undefined)
    return typeof constant === "number" || typeof constant === "bigint" ? { constant: Number(constant) } : undefined;
  const type = unqualified(semantics.typeOf(node));
  const range = type?.kind === "integer" ? ranges[type.name] : undefined;
  return range && { range };
}
