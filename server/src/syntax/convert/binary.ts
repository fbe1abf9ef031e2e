import type { Expression, TypeNode } from "../ast.ts";
import { precedences } from "../operators.ts";
import { type CstNode, child } from "../parser/cst.ts";
import { type Context, operator, span, textOf } from "./context.ts";
import { namedType } from "./types.ts";

/**
 * Binary operators, rebuilt from the flat sequence of operands and operators rather than node by node: the grammar reads
 * the cast in `a * (T)-b` as a value, and so groups it as `(a * (T)) - b`. Also spares deep recursion on long sums.
 */
export function binary(c: Context, node: CstNode): Expression {
  const values: CstNode[] = [];
  const operators: Operator[] = [];
  flatten(c, node, values, operators);
  const parser = new Sequence();
  let casts: { type: TypeNode; start: number; operator: Operator }[] = [];
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    const next = operators[i];
    if (!value) break;
    const type = next && prefixOperators.has(next.text) ? castType(c, value) : undefined;
    if (next && type) {
      casts.push({ type, start: value.start, operator: next });
      continue;
    }
    parser.operand(casts.reduceRight(applyCast, c.expression(value)));
    casts = [];
    if (next) parser.operator(next);
  }
  return parser.finish() ?? { ...span(node), kind: "unknown", text: textOf(c, node) };
}

interface Operator {
  readonly text: string;
  readonly start: number;
}

const prefixOperators = new Set(["-", "+", "*", "&"]);

function applyCast(operand: Expression, { type, start, operator }: { type: TypeNode; start: number; operator: Operator }): Expression {
  const applied: Expression = { start: operator.start, end: operand.end, kind: "unary", op: operator.text, operand };
  return { start, end: operand.end, kind: "cast", style: "c", type, operands: [applied] };
}

/** `(T)` where T can only be a type: the grammar takes it for a parenthesised value. */
export function castType(c: Context, node: CstNode): TypeNode | undefined {
  if (node.type !== "parenthesized_expression") return undefined;
  const inner = node.children.find((each) => each.named);
  if (inner?.type !== "identifier" || !c.scope.has(textOf(c, inner))) return undefined;
  return namedType(c.name(inner));
}

/** The operands and operators of nested binary nodes in the order they are written; without recursion. */
function flatten(c: Context, root: CstNode, values: CstNode[], operators: Operator[]): void {
  const pending: (CstNode | Operator)[] = [root];
  for (let next = pending.pop(); next; next = pending.pop()) {
    if ("text" in next) {
      operators.push(next);
      continue;
    }
    const left = child(next, "left");
    const right = child(next, "right");
    const token = child(next, "operator");
    if (next.type !== "binary_expression" || !left || !right || !token || next.children.some((each) => each.type === "ERROR"))
      values.push(next);
    else pending.push(right, { text: operator(c, next), start: token.start }, left);
  }
}

/** Shunting-yard over left-associative operators. */
class Sequence {
  readonly #values: Expression[] = [];
  readonly #operators: { op: string; precedence: number }[] = [];

  operand(value: Expression): void {
    this.#values.push(value);
  }

  operator({ text }: Operator): void {
    const precedence = precedences[text] ?? 0;
    this.#reduce(precedence);
    this.#operators.push({ op: text, precedence });
  }

  finish(): Expression | undefined {
    this.#reduce(-1);
    return this.#values[0];
  }

  #reduce(precedence: number): void {
    for (let top = this.#operators.at(-1); top && top.precedence >= precedence; top = this.#operators.at(-1)) {
      this.#operators.pop();
      const right = this.#values.pop();
      const left = this.#values.pop();
      if (left && right) this.#values.push({ start: left.start, end: right.end, kind: "binary", op: top.op, left, right });
    }
  }
}
