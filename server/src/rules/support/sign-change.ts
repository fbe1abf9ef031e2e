/** What would change if an unsigned 32-bit counter became signed: each use of it, judged by the values it can have. */

import type { Type } from "../../analysis/sema/types.ts";
import type { Expression } from "../../syntax/ast.ts";
import type { RuleContext } from "../rule.ts";
import { excerpt } from "./edits.ts";
import { combine, intMax, type Range, type Ranges, unqualified } from "./ranges.ts";
import { type SyntaxIndex, sameSpan } from "./syntax-index.ts";

/** `same`: the program computes the same. `differs`: it may not. `breaks`: it may no longer compile. `unwanted`: it would be slower. */
export type Change = { readonly kind: "same" } | { readonly kind: "differs" | "breaks" | "unwanted"; readonly reason: string };

const same: Change = { kind: "same" };

export class SignChange {
  readonly #program: RuleContext["program"];
  readonly #syntax: SyntaxIndex;
  readonly #ranges: Ranges;
  readonly #range: Range;

  /** @param range the counter's values wherever it is used; also what `ranges` answers for it */
  constructor(program: RuleContext["program"], syntax: SyntaxIndex, ranges: Ranges, range: Range) {
    this.#program = program;
    this.#syntax = syntax;
    this.#ranges = ranges;
    this.#range = range;
  }

  of(use: Expression): Change {
    let node = use;
    let range = this.#range;
    for (;;) {
      const item = this.#syntax.parent(node);
      if (item?.role === "declaration") return this.#initialises(item.node.kind === "variable" ? item.node.type.kind : "", node);
      if (item?.role !== "expression") return same;
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
          if (!this.#becomesSigned(other)) return same;
          const values = this.#ranges.of(other);
          if (!values || values.min < 0) return this.#differs(parent);
          range = { min: Math.min(range.min, values.min), max: Math.max(range.max, values.max) };
          break;
        }
        case "unary":
          return this.#unary(parent.op, parent);
        case "assign":
          if (sameSpan(node, parent.left)) return { kind: "differs", reason: "it is also changed in the loop's body" };
          return parent.op === "" || !this.#becomesSigned(parent.left) ? same : this.#differs(parent);
        case "postfix":
          return { kind: "differs", reason: "it is also changed in the loop's body" };
        case "call":
          return this.#argument(parent, node);
        case "list":
          return { kind: "breaks", reason: "it initialises an element in braces, where narrowing is an error" };
        case "cast":
        case "subscript":
        case "sizeof":
          return same;
        default:
          return this.#differs(parent);
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
    if (op === "<<" || op === ">>") {
      if (!isLeft) return same;
    } else if (!this.#becomesSigned(other)) return same;
    if (op === "/" || op === "%") return { kind: "unwanted", reason: `\`${this.#text(parent)}\` would become a signed division` };
    const values = this.#ranges.of(other);
    if (/^([<>]=?|[!=]=)$/.test(op)) {
      if (values && values.min >= 0) return same;
      return { kind: "differs", reason: `\`${this.#text(other)}\` may be negative, which compared as a large number` };
    }
    const result = values && values.min >= 0 ? combine(op, isLeft ? range : values, isLeft ? values : range) : undefined;
    if (!result || result.min < 0 || result.max > intMax) return this.#differs(parent);
    return result;
  }

  #unary(op: string, parent: Expression): Change {
    if (op === "!" || op === "+") return same;
    if (op === "&") return { kind: "breaks", reason: "its address is taken" };
    if (op === "++" || op === "--") return { kind: "differs", reason: "it is also changed in the loop's body" };
    return this.#differs(parent);
  }

  #argument(call: Expression & { kind: "call" }, node: Expression): Change {
    const callee = this.#program.semantics.callee(call)?.function;
    const parameter = callee?.parameters[call.arguments.findIndex((argument) => sameSpan(node, argument))];
    if (!callee || !parameter || callee.templateParameters || this.#program.semantics.resolve(call.callee).length > 1) {
      return { kind: "differs", reason: `\`${this.#text(call.callee)}\` may have another overload for a signed argument` };
    }
    if (parameter.type.kind !== "reference") return same;
    return parameter.type.to.const ? same : { kind: "breaks", reason: `\`${this.#text(call.callee)}\` takes it by reference` };
  }

  #initialises(type: string, node: Expression): Change {
    if (type === "auto") return { kind: "differs", reason: `\`${this.#text(node)}\` gives an \`auto\` variable its type` };
    return type === "reference" ? { kind: "breaks", reason: "a reference is bound to it" } : same;
  }

  /** Whether a signed counter makes the operation with this operand signed: only with an `int` or a narrower type. */
  #becomesSigned(operand: Expression): boolean {
    const type: Type | undefined = unqualified(this.#program.semantics.typeOf(operand));
    if (type?.kind === "enum") return true;
    if (type?.kind === "integer") return /^(bool|s?char|uchar|u?short|int)$/.test(type.name);
    return type === undefined;
  }

  #differs(node: Expression): Change {
    return { kind: "differs", reason: `\`${this.#text(node)}\` may exceed 2147483647 or fall below 0` };
  }

  #text(node: Expression): string {
    return excerpt(this.#program.reading, node, 40);
  }
}
