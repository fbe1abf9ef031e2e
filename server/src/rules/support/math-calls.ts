/** Calls of the mathematical library in device code, and texts that may take their place. */
import type { Semantics } from "../../analysis/sema/index.ts";
import type { Expression } from "../../syntax/ast.ts";
import { withoutParentheses } from "../../syntax/terms.ts";
import type { RuleContext } from "../rule.ts";
import { excerpt } from "./edits.ts";
import { type Call, libraryName } from "./library-calls.ts";
import { unqualified } from "./ranges.ts";
import { isOwn } from "./syntax-index.ts";

export interface MathCall {
  readonly call: Call;
  /** Without the `f` of the functions of floats. */
  readonly name: string;
  /** As it is written. */
  readonly written: string;
}

/**
 * Calls of the functions named, with or without `f`, that run on the device and are not the program's own. With `-use_fast_math` those of
 * floats are left out: they are the hardware's approximations, of a few instructions, and what would take their place is no faster
 * (nvcc 13.0 makes 9 instructions of `powf(x, 1.0f / 3)` then, and 20 of `cbrtf(x)`).
 */
export function mathCalls({ program, syntax }: RuleContext, names: ReadonlySet<string>): MathCall[] {
  return syntax.expressions("call").flatMap((call): MathCall[] => {
    const written = libraryName(call);
    if (written === undefined || !syntax.inDevice(call)) return [];
    const name = names.has(written) ? written : written.endsWith("f") && names.has(written.slice(0, -1)) ? written.slice(0, -1) : undefined;
    if (name === undefined) return [];
    // A float and an integer are computed with in double precision, as C++ has it.
    const single = written !== name || call.arguments.every((each) => numberOf(program.semantics, each) === "float");
    if (single && program.code.fastMath) return [];
    return program.semantics.resolve(call.callee).some(isOwn) ? [] : [{ call, name, written }];
  });
}

export type NumberKind = "float" | "double" | "integer";

/** What an expression is a number of; undefined where the type is not known, or is another. */
export function numberOf(semantics: Semantics, node: Expression): NumberKind | undefined {
  const type = unqualified(semantics.typeOf(node));
  if (type?.kind === "integer" || type?.kind === "enum") return "integer";
  return type?.kind === "floating" && (type.name === "float" || type.name === "double") ? type.name : undefined;
}

/** The function's name for floats or doubles: `sqrtf`. */
export const named = (name: string, number: "float" | "double"): string => (number === "float" ? `${name}f` : name);

/** A constant's value as a number. */
export function constantNumber(semantics: Semantics, node: Expression): number | undefined {
  const value = semantics.constant(node);
  return typeof value === "bigint" ? Number(value) : typeof value === "number" ? value : undefined;
}

/** Evaluating it twice is the same as once, and it is short enough to stand twice. */
export function isRepeatable(node: Expression): boolean {
  const inner = withoutParentheses(node);
  switch (inner.kind) {
    case "name":
    case "this":
    case "integer":
    case "float":
      return true;
    case "member":
      return isRepeatable(inner.base);
    case "subscript":
      return isRepeatable(inner.base) && inner.indices.every(isRepeatable);
    case "unary":
      return /^[-+*]$/.test(inner.op) && isRepeatable(inner.operand);
    case "binary":
      return (
        /^[-+*/%]$/.test(inner.op) && inner.end - inner.start < longestRepeated && isRepeatable(inner.left) && isRepeatable(inner.right)
      );
    case "cast":
      return inner.operands.every(isRepeatable);
    default:
      return false;
  }
}

const longestRepeated = 60;

/** Its text as a factor: in parentheses where it needs them. */
export function asFactor({ program: { reading } }: RuleContext, node: Expression): string {
  const text = excerpt(reading, node, Number.MAX_SAFE_INTEGER);
  return /^(binary|conditional|assign|cast|unary)$/.test(node.kind) ? `(${text})` : text;
}

/** Its text as an argument. */
export const asArgument = ({ program: { reading } }: RuleContext, node: Expression): string =>
  excerpt(reading, withoutParentheses(node), Number.MAX_SAFE_INTEGER);
