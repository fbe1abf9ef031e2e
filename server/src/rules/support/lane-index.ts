/** Which part of an address makes neighbouring lanes lie apart: the term of the index that follows `threadIdx`. */

import type { Expression, Node } from "../../syntax/ast.ts";
import type { Place, Reading } from "../../syntax/reading.ts";
import { leftChain, termsOf, withoutParentheses } from "../../syntax/terms.ts";
import type { RuleContext } from "../rule.ts";
import { childrenOf, expression } from "./children.ts";
import { excerpt } from "./edits.ts";
import { expressionAt } from "./expression-at.ts";
import type { SyntaxIndex } from "./syntax-index.ts";
import { type Variable, Variables } from "./variables.ts";

const maxDepth = 8;

export class LaneIndex {
  readonly #reading: Reading;
  readonly #syntax: SyntaxIndex;
  readonly #variables: Variables;

  constructor({ program, syntax }: RuleContext) {
    this.#reading = program.reading;
    this.#syntax = syntax;
    this.#variables = new Variables(syntax, program.semantics);
  }

  /**
   * The terms of the address at a place that depend on `threadIdx.x` (or `.y`, `.z`), as they are written: `x * height` of
   * `out[x * height + y]`. A variable that holds the whole term is followed to what it was made from.
   */
  terms(place: Place, dimension: string): string[] {
    const access = expressionAt(this.#syntax, this.#reading, place);
    const addends = access ? this.#addends(access) : [];
    const following = addends.filter((addend) => this.#follows(addend, dimension, new Set()));
    return [...new Set(following.map((addend) => this.#explained(addend)))];
  }

  /** Of those the ones that nothing is multiplied with: `y` of `out[x * height + y]`. */
  plainTerms(place: Place, dimension: string): string[] {
    const plain = this.#plainAddends(place).filter((addend) => this.#follows(addend, dimension, new Set()));
    return [...new Set(plain.map((addend) => this.#explained(addend)))];
  }

  /** The variables that an address goes on by from turn to turn of a loop, with nothing multiplied: `k` of `in[row * n + k]`. */
  stepping(place: Place): string[] {
    return this.#plainAddends(place).flatMap((addend) => {
      const variable = this.#variables.of(addend);
      const steps = variable
        ? this.#variables.writes(variable).some(({ op, value }) => op === "++" || (op === "+" && isOne(value)))
        : false;
      return steps ? [excerpt(this.#reading, addend, 40)] : [];
    });
  }

  #plainAddends(place: Place): Expression[] {
    const access = expressionAt(this.#syntax, this.#reading, place);
    return (access ? this.#addends(access) : []).filter(({ kind }) => kind === "name" || kind === "member");
  }

  /** The terms an address is the sum of, the array itself set aside. */
  #addends(node: Expression): Expression[] {
    switch (node.kind) {
      case "parenthesized":
        return this.#addends(node.inner);
      case "member":
        return this.#addends(node.base);
      case "unary":
        return node.op === "*" || node.op === "&" ? this.#addends(node.operand) : [];
      case "cast":
        return node.operands.flatMap((operand) => this.#addends(operand));
      case "subscript":
        return [...this.#addends(node.base), ...node.indices.flatMap(sumOf)];
      case "binary":
        return isSum(node.op) ? this.#addendsOfSum(node) : [];
      case "name": {
        const variable = this.#variables.of(node);
        const initial = variable && this.#variables.initial(variable);
        return initial && initial.kind !== "name" ? this.#addends(initial) : [];
      }
      default:
        return [];
    }
  }

  #addendsOfSum(node: Expression & { kind: "binary" }): Expression[] {
    const chain = leftChain(node, ({ op }) => isSum(op));
    return [...this.#addends((chain[0] ?? node).left), ...chain.flatMap(({ right }) => sumOf(right))];
  }

  /** A term, and where it is but a variable what that stands for. */
  #explained(term: Expression): string {
    const text = `\`${excerpt(this.#reading, term, 40)}\``;
    const variable = this.#variables.of(term);
    const initial = variable && this.#variables.initial(variable);
    return initial ? `${text} (\`${excerpt(this.#reading, initial, 50)}\`)` : text;
  }

  #follows(node: Expression, dimension: string, visiting: ReadonlySet<Node>): boolean {
    if (visiting.size > maxDepth) return false;
    if (node.kind === "member" && node.base.kind === "name" && node.base.name.parts.at(-1)?.text === "threadIdx") {
      return node.name.parts.at(-1)?.text === dimension;
    }
    const variable = this.#variables.of(node);
    if (variable) return !visiting.has(variable) && this.#variableFollows(variable, dimension, new Set([...visiting, variable]));
    if (node.kind === "binary") return termsOf(node, () => true).some((term) => this.#follows(term, dimension, visiting));
    return childrenOf(expression(node)).some((child) => child.role === "expression" && this.#follows(child.node, dimension, visiting));
  }

  #variableFollows(variable: Variable, dimension: string, visiting: ReadonlySet<Node>): boolean {
    const values = [this.#variables.initial(variable), ...this.#variables.writes(variable).map(({ value }) => value)];
    return values.some((value) => value !== undefined && this.#follows(value, dimension, visiting));
  }
}

const isOne = (value: Expression | undefined): boolean => value?.kind === "integer" && value.value === 1n;

const isSum = (op: string): boolean => op === "+" || op === "-";

const sumOf = (node: Expression): Expression[] => termsOf(node, isSum).map(withoutParentheses);
