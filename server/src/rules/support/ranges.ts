/** Which values an integer expression can have, from constants, the limits of a launch, and types. */

import type { Semantics } from "../../analysis/sema/index.ts";
import type { IntegerName, Type } from "../../analysis/sema/types.ts";
import type { Expression } from "../../syntax/ast.ts";
import type { Variable, Variables } from "./variables.ts";

/** Both ends included; mathematical integers (64-bit ends are rounded, which no comparison with a 32-bit limit notices). */
export interface Range {
  readonly min: number;
  readonly max: number;
}

export const intMax = 2 ** 31 - 1;
export const intMin = -(2 ** 31);

const limits: Readonly<Record<IntegerName, Range>> = {
  bool: { min: 0, max: 1 },
  char: { min: -128, max: 127 },
  schar: { min: -128, max: 127 },
  uchar: { min: 0, max: 255 },
  short: { min: -32768, max: 32767 },
  ushort: { min: 0, max: 65535 },
  int: { min: intMin, max: intMax },
  uint: { min: 0, max: 2 ** 32 - 1 },
  long: { min: -(2 ** 63), max: 2 ** 63 },
  ulong: { min: 0, max: 2 ** 64 },
  longlong: { min: -(2 ** 63), max: 2 ** 63 },
  ulonglong: { min: 0, max: 2 ** 64 },
};

/** What every launch keeps to, from compute capability 3.0 on. */
const launchLimits: Readonly<Record<string, Range>> = {
  "threadIdx.x": { min: 0, max: 1023 },
  "threadIdx.y": { min: 0, max: 1023 },
  "threadIdx.z": { min: 0, max: 63 },
  "blockDim.x": { min: 1, max: 1024 },
  "blockDim.y": { min: 1, max: 1024 },
  "blockDim.z": { min: 1, max: 64 },
  "blockIdx.x": { min: 0, max: intMax - 1 },
  "blockIdx.y": { min: 0, max: 65534 },
  "blockIdx.z": { min: 0, max: 65534 },
  "gridDim.x": { min: 1, max: intMax },
  "gridDim.y": { min: 1, max: 65535 },
  "gridDim.z": { min: 1, max: 65535 },
};
const maxDepth = 16;

export const unqualified = (type: Type | undefined): Type | undefined => (type?.kind === "reference" ? unqualified(type.to) : type);

export class Ranges {
  readonly #semantics: Semantics;
  readonly #variables: Variables;
  /** Ranges known from elsewhere, such as a loop's counter inside the loop. */
  readonly #known: ReadonlyMap<Variable, Range>;
  readonly #ordinary: Range | undefined;

  /** @param ordinary what is taken of what only its type is known of */
  constructor(semantics: Semantics, variables: Variables, known: ReadonlyMap<Variable, Range> = new Map(), ordinary?: Range) {
    this.#semantics = semantics;
    this.#variables = variables;
    this.#known = known;
    this.#ordinary = ordinary;
  }

  /** Undefined where not even the type is known, or it is not an integer's. */
  of(node: Expression, depth = 0): Range | undefined {
    const type = unqualified(this.#semantics.typeOf(node));
    const all = type?.kind === "integer" ? limits[type.name] : type?.kind === "enum" ? limits[type.underlying] : undefined;
    const constant = this.#semantics.constant(node);
    if (typeof constant === "bigint" || typeof constant === "boolean") return { min: Number(constant), max: Number(constant) };
    const exact = depth < maxDepth ? this.#exact(node, depth + 1) : undefined;
    // A value outside its type's range wrapped: nothing is known of it but the type.
    return exact && (!all || (exact.min >= all.min && exact.max <= all.max)) ? exact : this.#usual(all);
  }

  /** Whether a difference in an expression may lie below 0, which what is unsigned wraps around to a large number. */
  fallsBelow(node: Expression, depth = 0): boolean {
    if (depth > maxDepth) return true;
    const inside = (inner: Expression): boolean => this.fallsBelow(inner, depth + 1);
    switch (node.kind) {
      case "parenthesized":
        return inside(node.inner);
      case "cast":
        return node.operands.some(inside);
      case "unary":
        return node.op === "-" || node.op === "~" || inside(node.operand);
      case "binary": {
        if (inside(node.left) || inside(node.right)) return true;
        const [left, right] = [this.of(node.left), this.of(node.right)];
        return node.op === "-" && (!left || !right || left.min - right.max < 0);
      }
      default:
        return false;
    }
  }

  /** Of a type's values those that are taken to be had. */
  #usual(all: Range | undefined): Range | undefined {
    if (!all || !this.#ordinary) return all;
    return { min: Math.max(all.min, this.#ordinary.min), max: Math.min(all.max, this.#ordinary.max) };
  }

  #exact(node: Expression, depth: number): Range | undefined {
    switch (node.kind) {
      case "parenthesized":
        return this.of(node.inner, depth);
      case "member":
        return this.#builtIn(node);
      case "name":
        return this.#variable(node, depth);
      case "cast":
        return node.operands.length === 1 && node.operands[0] ? this.of(node.operands[0], depth) : undefined;
      case "conditional": {
        const [then, otherwise] = [this.of(node.then, depth), this.of(node.else, depth)];
        return then && otherwise && { min: Math.min(then.min, otherwise.min), max: Math.max(then.max, otherwise.max) };
      }
      case "unary": {
        const operand = this.of(node.operand, depth);
        if (node.op === "+") return operand;
        return node.op === "-" && operand ? { min: -operand.max, max: -operand.min } : undefined;
      }
      case "binary": {
        const [left, right] = [this.of(node.left, depth), this.of(node.right, depth)];
        return left && right && combine(node.op, left, right);
      }
      default:
        return undefined;
    }
  }

  #builtIn(node: Expression & { kind: "member" }): Range | undefined {
    const { base } = node;
    return base.kind === "name" ? launchLimits[`${base.name.parts.at(-1)?.text}.${node.name.parts.at(-1)?.text}`] : undefined;
  }

  #variable(node: Expression, depth: number): Range | undefined {
    if (node.kind === "name" && node.name.parts.at(-1)?.text === "warpSize") return { min: 32, max: 32 };
    const variable = this.#variables.of(node);
    if (!variable) return undefined;
    const known = this.#known.get(variable);
    if (known) return known;
    const initial = this.#variables.initial(variable);
    return initial && this.#variables.writes(variable).length === 0 ? this.of(initial, depth) : undefined;
  }
}

/** The range of `left op right` in exact arithmetic. */
export function combine(op: string, left: Range, right: Range): Range | undefined {
  const corners = (of: (a: number, b: number) => number): Range => {
    const values = [of(left.min, right.min), of(left.min, right.max), of(left.max, right.min), of(left.max, right.max)];
    return { min: Math.min(...values), max: Math.max(...values) };
  };
  switch (op) {
    case "+":
      return { min: left.min + right.min, max: left.max + right.max };
    case "-":
      return { min: left.min - right.max, max: left.max - right.min };
    case "*":
      return corners((a, b) => a * b);
    case "/":
      return right.min > 0 ? corners((a, b) => Math.trunc(a / b)) : undefined;
    case "%":
      return left.min >= 0 && right.min > 0 ? { min: 0, max: Math.min(left.max, right.max - 1) } : undefined;
    case "<<":
      return left.min >= 0 && right.min >= 0 && right.max < 64 ? corners((a, b) => a * 2 ** b) : undefined;
    case ">>":
      return left.min >= 0 && right.min >= 0 && right.max < 64 ? corners((a, b) => Math.floor(a / 2 ** b)) : undefined;
    case "&":
      return left.min >= 0 && right.min >= 0
        ? { min: 0, max: Math.min(left.max, right.max) }
        : right.min >= 0
          ? { min: 0, max: right.max }
          : left.min >= 0
            ? { min: 0, max: left.max }
            : undefined;
    case "|":
    case "^":
      return left.min >= 0 && right.min >= 0
        ? { min: 0, max: 2 ** Math.ceil(Math.log2(Math.max(left.max, right.max) + 1)) - 1 }
        : undefined;
    default:
      return /^([<>]=?|[!=]=|&&|\|\|)$/.test(op) ? { min: 0, max: 1 } : undefined;
  }
}
