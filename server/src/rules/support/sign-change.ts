/** What would change if an unsigned 32-bit counter became signed: each use of it, judged by the values it can have. */

import type { Type } from "../../analysis/sema/types.ts";
import type { Expression, Statement } from "../../syntax/ast.ts";
import type { RuleContext } from "../rule.ts";
import { excerpt } from "./edits.ts";
import { combine, intMax, intMin, type Range, type Ranges, unqualified } from "./ranges.ts";
import { type SyntaxIndex, sameSpan } from "./syntax-index.ts";
import type { Variable, Variables } from "./variables.ts";

/**
 * `same`: the program computes the same. `differs`: it may not, but then it went wrong before, or beyond 2147483647. `wraps`: it may
 * not, because a value that was to wrap around no longer does; this depends on the values that are taken to be had. `meant`: what it
 * does rests on wrapping around. `breaks`: it may no longer compile, or call another function. `unwanted`: it would be no better.
 */
export type Change = { readonly kind: "same" } | Doubt;
export interface Doubt {
  readonly kind: "differs" | "wraps" | "meant" | "breaks" | "unwanted";
  readonly reason: string;
}

const same: Change = { kind: "same" };

/** Where a value goes: an index of an array or an offset of a pointer, or a type. */
type Target = "address" | Type | undefined;

export class SignChange {
  readonly #program: RuleContext["program"];
  readonly #syntax: SyntaxIndex;
  readonly #variables: Variables;
  readonly #counter: Variable;
  readonly #ranges: Ranges;
  readonly #range: Range;

  /**
   * @param ranges what is known of other expressions
   * @param range the counter's values wherever it is used; also what `ranges` answers for it
   */
  constructor({ program, syntax }: RuleContext, variables: Variables, counter: Variable, ranges: Ranges, range: Range) {
    this.#program = program;
    this.#syntax = syntax;
    this.#variables = variables;
    this.#counter = counter;
    this.#ranges = ranges;
    this.#range = range;
  }

  /**
   * Follows the value of a use up to where it is stored, compared or used as an index. Sums, differences, products and masks have
   * the same 32 bits signed and unsigned: only what is done with them next tells the two apart.
   */
  of(use: Expression): Change {
    let node = use;
    /** Of `node` as it would be computed, signed and without a limit. */
    let range = this.#range;
    for (;;) {
      const item = this.#syntax.parent(node);
      if (item?.role === "declaration") {
        const type = item.node.kind === "variable" ? this.#initialised(item.node.type.kind, node) : undefined;
        if (type) return type;
        return this.#stored(item.node.kind === "variable" ? this.#program.semantics.declaredType(item.node) : undefined, node, range);
      }
      if (item?.role !== "expression") return this.#inStatement(item?.role === "statement" ? item.node : undefined, node, range);
      const parent: Expression = item.node;
      switch (parent.kind) {
        case "parenthesized":
          break;
        case "binary": {
          const step = this.#binary(parent, node, range);
          if ("kind" in step) return step;
          range = step;
          break;
        }
        case "conditional": {
          if (sameSpan(node, parent.condition)) return same;
          const other = sameSpan(node, parent.then) ? parent.else : parent.then;
          if (!this.#becomesSigned(other)) return this.#stored(this.#typeOf(other), node, range);
          const values = this.#valuesOf(other);
          range = { min: Math.min(range.min, values.min), max: Math.max(range.max, values.max) };
          break;
        }
        case "unary": {
          const step = this.#unary(parent, range);
          if ("kind" in step) return step;
          range = step;
          break;
        }
        case "assign":
          return sameSpan(node, parent.left) ? this.#changed(parent.op, parent.right) : this.#assigned(parent, range);
        case "postfix":
          return this.#changed(parent.op, undefined);
        case "call":
          return this.#argument(parent, node, range);
        case "list":
          return { kind: "breaks", reason: "it initialises an element in braces, where narrowing is an error" };
        case "cast":
          return this.#stored(this.#typeOf(parent), node, range);
        case "subscript":
          return this.#stored("address", node, range);
        case "sizeof":
          return same;
        default:
          return this.#wraps(parent);
      }
      node = parent;
    }
  }

  /** A binary operation on the counter: settled, or the values of its result, whose type changes too. */
  #binary(parent: Expression & { kind: "binary" }, node: Expression, range: Range): Change | Range {
    const { op, left, right } = parent;
    const isLeft = sameSpan(node, left);
    const other = isLeft ? right : left;
    if (op === "&&" || op === "||" || (op === "," && isLeft)) return same;
    if (op === ",") return range;
    if (op === "<<" || op === ">>") return isLeft ? this.#shifted(parent, range) : this.#stored(undefined, node, range);
    const type = this.#typeOf(other);
    if (isAddress(type)) return this.#stored("address", node, range);
    const isComparison = /^([<>]=?|[!=]=)$/.test(op);
    if (isComparison && this.#mentionsCounter(other)) {
      // `i + 1 > i`: what only wrapping makes false.
      return isPlain(range) && isPlain(this.#valuesOf(other)) ? same : { ...this.#wraps(parent), kind: "meant" };
    }
    if (!this.#becomesSigned(other)) return this.#joined(parent, node, range, type);
    if (op === "/" || op === "%") return { kind: "unwanted", reason: `\`${this.#text(parent)}\` would become a signed division` };
    const values = this.#valuesOf(other);
    if (isComparison) {
      if (!isPlain(range)) return this.#wraps(parent);
      if (values.min >= 0) return same;
      return { kind: "wraps", reason: `\`${this.#text(other)}\` may be negative, which compared as a large number` };
    }
    const result = isLeft ? bits(op, range, values) : bits(op, values, range);
    return result ?? this.#wraps(parent);
  }

  /** With an operand that keeps the operation unsigned, or makes it wider or floating. */
  #joined(parent: Expression, node: Expression, range: Range, type: Type | undefined): Change {
    if (range.max > intMax && type?.kind === "integer" && isNarrow(type.name))
      return this.#reachesAddress(parent) ? this.#exceeds(node) : this.#wraps(node);
    return this.#stored(type, node, range);
  }

  /** The value is an index or an offset of a pointer, or is added to or multiplied for one. */
  #reachesAddress(node: Expression): boolean {
    for (let at = node, item = this.#syntax.parent(at); item?.role === "expression"; item = this.#syntax.parent(at)) {
      const { node: parent } = item;
      if (parent.kind === "subscript") return true;
      if (parent.kind === "binary") {
        if (!/^[-+*]$/.test(parent.op)) return false;
        if (isAddress(this.#typeOf(parent))) return true;
      } else if (parent.kind !== "parenthesized") return false;
      at = parent;
    }
    return false;
  }

  #shifted({ op, right, left }: Expression & { kind: "binary" }, range: Range): Change | Range {
    const by = this.#ranges.of(right);
    if (op === "<<") return (by && combine(op, { min: Math.max(0, range.min), max: range.max }, by)) ?? { min: intMin, max: 2 ** 63 };
    if (!isPlain(range)) return this.#wraps(left);
    return (by && combine(op, range, by)) ?? range;
  }

  #unary(parent: Expression & { kind: "unary" }, range: Range): Change | Range {
    switch (parent.op) {
      case "!":
        return same;
      case "+":
        return range;
      case "-":
        return { min: -range.max, max: -range.min };
      case "~":
        return { min: -range.max - 1, max: -range.min - 1 };
      case "&":
        return { kind: "breaks", reason: "its address is taken" };
      case "++":
      case "--":
        return this.#changed(parent.op, undefined);
      default:
        return this.#wraps(parent);
    }
  }

  /** The counter gets another value than by its loop's step. */
  #changed(op: string, value: Expression | undefined): Change {
    const added = value && this.#ranges.of(value);
    if (op === "++" || (op === "+" && added && added.min >= 0)) return { kind: "differs", reason: "it is also changed in the loop's body" };
    return { kind: "meant", reason: "it is also set in the loop's body" };
  }

  /** `x = i`, `x += i` */
  #assigned({ op, left, right }: Expression & { kind: "assign" }, range: Range): Change {
    const type = this.#typeOf(left);
    const stored = this.#stored(type, right, range);
    if (op === "" || stored.kind !== "same" || !this.#becomesSigned(left)) return stored;
    if (op === "/" || op === "%") return this.#wraps(left);
    return /^[-+*]$/.test(op) ? this.#exceeds(left) : same;
  }

  #argument(call: Expression & { kind: "call" }, node: Expression, range: Range): Change {
    const { semantics } = this.#program;
    const callee = semantics.callee(call)?.function;
    const parameter = callee?.parameters[call.arguments.findIndex((argument) => sameSpan(node, argument))];
    if (!callee || !parameter || callee.templateParameters || semantics.resolve(call.callee).length > 1)
      return { kind: "breaks", reason: `\`${this.#text(call.callee)}\` may have another overload for a signed argument` };
    if (parameter.type.kind !== "reference") return this.#stored(semantics.declaredType(parameter), node, range);
    if (!parameter.type.to.const) return { kind: "breaks", reason: `\`${this.#text(call.callee)}\` takes it by reference` };
    return this.#stored(unqualified(semantics.declaredType(parameter)), node, range);
  }

  #initialised(type: string, node: Expression): Change | undefined {
    if (type === "auto") return { kind: "breaks", reason: `\`${this.#text(node)}\` gives an \`auto\` variable its type` };
    return type === "reference" ? { kind: "breaks", reason: "a reference is bound to it" } : undefined;
  }

  #inStatement(statement: Statement | undefined, node: Expression, range: Range): Change {
    if (statement?.kind === "asm") return { kind: "breaks", reason: "an `asm` statement uses it" };
    return statement?.kind === "return" ? this.#stored(undefined, node, range) : same;
  }

  /** A value converted to a type: the same bits for 32 and fewer, another value for wider ones where it was negative or wrapped. */
  #stored(to: Target, node: Expression, range: Range): Change {
    if (isPlain(range)) return same;
    if (to === "address") return this.#exceeds(node);
    const fits = to?.kind === "integer" ? isNarrow(to.name) : to?.kind === "enum" && isNarrow(to.underlying);
    return fits && range.min >= intMin && range.max <= intMax ? same : this.#wraps(node);
  }

  /** Whether a signed counter makes the operation with this operand signed: only with an `int` or a narrower type, or itself. */
  #becomesSigned(operand: Expression): boolean {
    const type = this.#typeOf(operand);
    if (type?.kind === "enum") return true;
    if (type?.kind === "integer")
      return /^(bool|s?char|uchar|u?short|int)$/.test(type.name) || (type.name === "uint" && this.#mentionsCounter(operand));
    return type === undefined;
  }

  #mentionsCounter({ start, end }: Expression): boolean {
    return this.#variables.uses(this.#counter).some((use) => use.start >= start && use.end <= end);
  }

  #typeOf(node: Expression): Type | undefined {
    return unqualified(this.#program.semantics.typeOf(node));
  }

  #valuesOf(node: Expression): Range {
    return this.#ranges.of(node) ?? { min: intMin, max: intMax };
  }

  #exceeds(node: Expression): Doubt {
    return { kind: "differs", reason: `\`${this.#text(node)}\` may exceed 2147483647 or fall below 0` };
  }

  #wraps(node: Expression): Doubt {
    return { kind: "wraps", reason: `\`${this.#text(node)}\` may exceed 2147483647 or fall below 0` };
  }

  #text(node: Expression): string {
    return excerpt(this.#program.reading, node, 40);
  }
}

const isAddress = (type: Type | undefined): boolean => type?.kind === "pointer" || type?.kind === "array";

/** Values that are the same signed and unsigned. */
const isPlain = ({ min, max }: Range): boolean => min >= 0 && max <= intMax;

/** Integers of 32 bits and fewer: a negative value and what it wraps around to are stored as the same bits. */
const isNarrow = (name: string): boolean => !/^u?long/.test(name);

/** The values of an operation whose bits do not depend on the sign of its operands; undefined for others. */
function bits(op: string, left: Range, right: Range): Range | undefined {
  if (/^[-+*]$/.test(op)) return combine(op, left, right);
  if (!/^[&|^]$/.test(op)) return undefined;
  // Beyond 32 bits signed arithmetic has no bits that could be masked.
  if (left.min < intMin || left.max > intMax || right.min < intMin || right.max > intMax) return undefined;
  return combine(op, left, right) ?? { min: intMin, max: intMax };
}
