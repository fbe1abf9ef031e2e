/** Says of a kernel's pointers that nothing else points to what they point to. */
import type { Expression, ParameterDeclaration } from "../../syntax/ast.ts";
import type { Fix, RuleContext } from "../rule.ts";
import type { Cost } from "./costs.ts";
import { insertBefore } from "./edits.ts";
import { expressionAt } from "./expression-at.ts";
import { Variables } from "./variables.ts";

/** `__restrict__` at the parameters through which the accesses of a cost go; undefined where they go through none. */
export function restricted({ program, syntax }: RuleContext, { place, besides }: Cost): Fix | undefined {
  const { reading, semantics } = program;
  const variables = new Variables(syntax, semantics);
  const parameters = new Set<ParameterDeclaration>();
  for (const at of [place, ...besides]) {
    const access = expressionAt(syntax, reading, at);
    const variable = access && variables.of(pointerOf(access));
    if (variable && !("kind" in variable) && variable.type.kind === "pointer" && !variable.type.restrict) parameters.add(variable);
  }
  const named = [...parameters].flatMap(({ name, nameSpan: nameAt }) =>
    name === undefined || nameAt === undefined ? [] : [{ name, nameAt }],
  );
  const edits = named.flatMap(({ nameAt }) => insertBefore(reading, nameAt, "__restrict__ ") ?? []);
  if (edits.length === 0 || edits.length < parameters.size) return undefined;
  const names = named.map(({ name }) => `\`${name}\``).join(", ");
  return { title: `Say that nothing else points to what ${names} point${named.length === 1 ? "s" : ""} to`, safe: false, edits };
}

/** The name of `c[i]`, `c[i].x` and `*c`. */
function pointerOf(access: Expression): Expression {
  if (access.kind === "subscript") return pointerOf(access.base);
  if (access.kind === "unary" && access.op === "*") return pointerOf(access.operand);
  if (access.kind === "member") return pointerOf(access.base);
  return access.kind === "parenthesized" ? pointerOf(access.inner) : access;
}
