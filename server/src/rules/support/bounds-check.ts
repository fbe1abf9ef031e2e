/** A comparison of an index with the number of elements, before the statement that goes beyond them. */
import type { Expression, Node, Statement } from "../../syntax/ast.ts";
import type { Fix, RuleContext, SimulatedLaunch } from "../rule.ts";
import { insertBefore } from "./edits.ts";
import { sameSpan } from "./syntax-index.ts";

/**
 * Undefined unless the index is a variable, the statement one of the kernel's own body, and one of its parameters has the number of elements
 * in this launch.
 */
export function boundsCheck(
  { program: { reading }, syntax }: RuleContext,
  access: Expression,
  elements: number,
  launch: SimulatedLaunch,
): Fix | undefined {
  const index = access.kind === "subscript" && access.indices.length === 1 ? access.indices[0] : undefined;
  const bound = parameterWith(elements, launch);
  if (index?.kind !== "name" || bound === undefined) return undefined;
  const statement = statementOf(access, syntax);
  const body = statement && syntax.parent(statement)?.node;
  const owner = body && syntax.parent(body)?.node;
  if (statement?.kind !== "expression" || owner?.kind !== "function" || owner.specifiers.global !== true) return undefined;
  const edit = insertBefore(reading, statement, `if (${reading.textOf(index.start, index.end)} < ${bound}) `);
  return edit && { title: `Compare the index with \`${bound}\``, safe: false, edits: [edit] };
}

/** A whole number's parameter that this launch gives such a value; undefined where several have it. */
function parameterWith(value: number, { fact, kernel }: SimulatedLaunch): string | undefined {
  const named = kernel.parameters.filter((_, k) => {
    const argument = fact.launch?.arguments[k];
    return argument?.kind === "scalar" && Number(argument.value) === value;
  });
  return named.length === 1 ? named[0]?.name : undefined;
}

function statementOf(access: Expression, syntax: RuleContext["syntax"]): Statement | undefined {
  let at: Node = access;
  for (let up = syntax.parent(at)?.node; up; up = syntax.parent(at)?.node) {
    const isStatement = syntax.statements("expression").some((each) => sameSpan(each, up));
    if (isStatement) return up as Statement;
    at = up;
  }
  return undefined;
}
