/** Which part of an address makes neighbouring lanes lie apart: the term of the index that follows `threadIdx`. */
import type { Expression, Node } from "../../syntax/ast.ts";
import type { Place, Reading } from "../../syntax/reading.ts";
import type { RuleContext } from "../rule.ts";
import { childrenOf, expression } from "./children.ts";
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
   * The terms of the address at a place that depend on `threadIdx.x` (or `.y`, `.z`), such as `x * height` of
   * `out[x * height + y]`; the whole index where it is not a sum.
   */
  terms(place: Place, dimension: string): readonly Expression[] {
    const access = this.#access(place);
    if (!access) return [];
    const addends = access.kind === "subscript" ? indices(access).flatMap(addendsOf) : addendsOf(access);
    return addends.filter((addend) => this.#follows(addend, dimension, new Set()));
  }

  /** The expression that makes the access, as the user's text has it. */
  #access({ file, start, end }: Place): Expression | undefined {
    const candidates = [
      ...this.#syntax.expressions("subscript"),
      ...this.#syntax.expressions("unary"),
      ...this.#syntax.expressions("member"),
    ];
    return candidates.find((node) => {
      const at = this.#reading.locate(node.start, node.end);
      return at.file === file && at.start === start && at.end === end;
    });
  }

  #follows(node: Expression, dimension: string, visiting: ReadonlySet<Node>): boolean {
    if (visiting.size > maxDepth) return false;
    if (node.kind === "member" && node.base.kind === "name" && node.base.name.parts.at(-1)?.text === "threadIdx") {
      return node.name.parts.at(-1)?.text === dimension;
    }
    const variable = this.#variables.of(node);
    if (variable) return !visiting.has(variable) && this.#variableFollows(variable, dimension, new Set([...visiting, variable]));
    return childrenOf(expression(node)).some((child) => child.role === "expression" && this.#follows(child.node, dimension, visiting));
  }

  #variableFollows(variable: Variable, dimension: string, visiting: ReadonlySet<Node>): boolean {
    const values = [this.#variables.initial(variable), ...this.#variables.writes(variable).map(({ value }) => value)];
    return values.some((value) => value !== undefined && this.#follows(value, dimension, visiting));
  }
}

/** All indices of `a[i][j]`, outermost first. */
function indices(node: Expression & { kind: "subscript" }): readonly Expression[] {
  const outer = node.base.kind === "subscript" ? indices(node.base) : addendsOf(node.base).slice(1);
  return [...outer, ...node.indices];
}

function addendsOf(node: Expression): Expression[] {
  if (node.kind === "parenthesized") return addendsOf(node.inner);
  if (node.kind === "unary" && node.op === "*") return addendsOf(node.operand).slice(1);
  if (node.kind === "binary" && (node.op === "+" || node.op === "-")) return [...addendsOf(node.left), ...addendsOf(node.right)];
  return [node];
}
