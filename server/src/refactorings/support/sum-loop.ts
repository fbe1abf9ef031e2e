/** Kernels that sum up in a loop: what the loop counts, and what it adds to. */
import type { Variable, Variables } from "../../rules/support/variables.ts";
import type { Expression, Statement, VariableDeclaration } from "../../syntax/ast.ts";
import { walk } from "../../syntax/walk.ts";

export type For = Statement & { readonly kind: "for" };

export interface Counting {
  readonly variable: VariableDeclaration;
  /** Its name. */
  readonly counter: string;
  /** Its first value, what it stays below, and its step. */
  readonly first: Expression;
  readonly limit: Expression;
  readonly step: Expression;
}

interface Summed {
  readonly sum: Variable;
  /** `sum += …` */
  readonly assignment: Expression & { readonly kind: "assign" };
}

/** The statements of `if (row < n) { … }` as if they stood by themselves, where that is all at the end. */
export function flattened(body: readonly Statement[]): readonly Statement[] | undefined {
  const last = body.at(-1);
  if (last?.kind !== "if" || last.else || last.then.kind !== "block") return body;
  const guard: Statement = { ...last, then: { kind: "return", start: last.then.start, end: last.then.start } };
  return [...body.slice(0, -1), guard, ...last.then.body];
}

/** `for (int k = 0; k < n; ++k)`, whose body leaves `k` alone. */
export function countingOf({ init, condition, step, body }: For, variables: Variables): Counting | undefined {
  const [counter, ...more] = init?.kind === "declaration" ? init.declarations : [];
  const [first] = counter?.kind === "variable" ? (counter.init?.values ?? []) : [];
  if (counter?.kind !== "variable" || more.length > 0 || !isZero(first) || !first || !step) return undefined;
  if (condition?.kind !== "binary" || condition.op !== "<" || variables.of(condition.left) !== counter) return undefined;
  const stepped = step.kind === "unary" || step.kind === "postfix" ? step : undefined;
  if (stepped?.op !== "++" || variables.of(stepped.operand) !== counter) return undefined;
  if (variables.writes(counter).some(({ at }) => at.start >= body.start && at.end <= body.end)) return undefined;
  const name = counter.name.parts.at(-1)?.text;
  return name === undefined ? undefined : { variable: counter, first, limit: condition.right, step, counter: name };
}

/** The one variable that a loop adds to, the only thing that it changes, and how. */
export function summedIn({ body }: For, variables: Variables): Summed | undefined {
  const statement = body.kind === "block" && body.body.length === 1 ? body.body[0] : body;
  const assignment = statement?.kind === "expression" ? statement.expression : undefined;
  if (assignment?.kind !== "assign" || assignment.op !== "+") return undefined;
  const sum = variables.of(assignment.left);
  let isPlain = sum !== undefined;
  walk(assignment.right, (node) => {
    if (/^(assign|postfix|lambda)$/.test(node.kind) || (node.kind === "unary" && /^(\+\+|--)$/.test(node.op))) isPlain = false;
    if (node.kind === "name" && variables.of(node) === sum) isPlain = false;
    return isPlain;
  });
  return isPlain && sum ? { sum, assignment } : undefined;
}

export const isZero = (value: Expression | undefined): boolean =>
  (value?.kind === "integer" && value.value === 0n) || (value?.kind === "float" && value.value === 0);
