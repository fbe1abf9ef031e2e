/** Counters of `for` loops: which variable counts, by which steps, up to which bound. */

import type { Expression, Statement } from "../../syntax/ast.ts";
import { termsOf, withoutParentheses } from "../../syntax/terms.ts";
import type { Variable, Variables } from "./variables.ts";

type For = Statement & { readonly kind: "for" };

export interface Counter {
  readonly loop: For;
  readonly variable: Variable;
  /** What the step adds; undefined for one. */
  readonly step: Expression | undefined;
  readonly up: boolean;
  /** The comparison that ends the loop, written with the counter on the left. */
  readonly bound: { readonly op: string; readonly limit: Expression; readonly counter: Expression } | undefined;
  /** The expression in the loop's header that steps. */
  readonly stepAt: Expression;
  /** The counter's first value. */
  readonly first: Expression | undefined;
}

/** The counters of one loop: variables that its header steps by an amount (not by a factor) and tests. */
export function countersOf(loop: For, variables: Variables): Counter[] {
  if (!loop.step || !loop.condition || !("kind" in loop.condition) || loop.condition.kind === "variable") return [];
  const { condition } = loop;
  return commaParts(loop.step).flatMap((stepAt) => {
    const stepped = stepOf(stepAt, variables);
    if (!stepped) return [];
    const bound = conjuncts(condition)
      .map((part) => boundOf(part, stepped.variable, variables))
      .find((found) => found !== undefined);
    return bound ? [{ loop, ...stepped, stepAt, bound, first: firstValue(loop, stepped.variable, variables) }] : [];
  });
}

const commaParts = (node: Expression): Expression[] => termsOf(node, (op) => op === ",");

const conjuncts = (node: Expression): Expression[] => termsOf(node, (op) => op === "&&").map(withoutParentheses);

function stepOf(node: Expression, variables: Variables): Pick<Counter, "variable" | "step" | "up"> | undefined {
  if (node.kind === "postfix" || (node.kind === "unary" && (node.op === "++" || node.op === "--"))) {
    const variable = variables.of(node.operand);
    return variable && { variable, step: undefined, up: node.op === "++" };
  }
  if (node.kind !== "assign") return undefined;
  const variable = variables.of(node.left);
  if (!variable) return undefined;
  if (node.op === "+" || node.op === "-") return { variable, step: node.right, up: node.op === "+" };
  // i = i + s
  const { right } = node;
  if (node.op !== "" || right.kind !== "binary" || (right.op !== "+" && right.op !== "-")) return undefined;
  if (variables.of(right.left) === variable) return { variable, step: right.right, up: right.op === "+" };
  return right.op === "+" && variables.of(right.right) === variable ? { variable, step: right.left, up: true } : undefined;
}

const mirrored: Readonly<Record<string, string>> = { "<": ">", ">": "<", "<=": ">=", ">=": "<=", "!=": "!=" };

function boundOf(node: Expression, variable: Variable, variables: Variables): Counter["bound"] {
  if (node.kind !== "binary") return undefined;
  const op = mirrored[node.op];
  if (op === undefined) return undefined;
  if (variables.of(node.left) === variable) return { op: node.op, limit: node.right, counter: node.left };
  return variables.of(node.right) === variable ? { op, limit: node.left, counter: node.right } : undefined;
}

function firstValue({ init }: For, variable: Variable, variables: Variables): Expression | undefined {
  if (init?.kind === "declaration" && init.declarations.some((each) => each === variable)) return variables.initial(variable);
  if (init?.kind !== "expression") return undefined;
  const assigned = commaParts(init.expression).find(
    (part) => part.kind === "assign" && part.op === "" && variables.of(part.left) === variable,
  );
  return assigned?.kind === "assign" ? assigned.right : undefined;
}
