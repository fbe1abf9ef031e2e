/** A comparison of an index with the number of elements, before the statement that goes beyond them. */
import type { Expression, Node, Statement } from "../../syntax/ast.ts";
import type { Fix, RuleContext } from "../rule.ts";
import { insertBefore } from "./edits.ts";
import { expressionAt } from "./expression-at.ts";
import { sameSpan } from "./syntax-index.ts";
import type { Shown } from "./violations.ts";

/**
 * Undefined unless the index is a variable, the statement one of the kernel's own body, and one of its parameters has the number of elements
 * in this launch.
 */
export function boundsCheck(
  { program: { reading }, syntax }: RuleContext,
  { violation, launch, place }: Shown<"out-of-bounds">,
): Fix | undefined {
  const { object, offset, width } = violation;
  if (place.file !== 0 || object.kind !== "buffer" || offset < object.bytes || object.bytes % width !== 0) return undefined;
  const access = expressionAt(syntax, reading, place);
  const index = access?.kind === "subscript" && access.indices.length === 1 ? access.indices[0] : undefined;
  const bound = parameterWith(object.bytes / width, launch);
  if (!access || index?.kind !== "name" || bound === undefined) return undefined;
  const statement = statementOf(access, syntax);
  const body = statement && syntax.parent(statement)?.node;
  const owner = body && syntax.parent(body)?.node;
  if (statement?.kind !== "expression" || owner?.kind !== "function" || owner.specifiers.global !== true) return undefined;
  const edit = insertBefore(reading, statement, `if (${reading.textOf(index.start, index.end)} < ${bound}) `);
  return edit && { title: `Compare the index with \`${bound}\``, safe: false, edits: [edit] };
}

/** A whole number's parameter that this launch gives such a value; undefined where several have it. */
function parameterWith(value: number, { fact, kernel }: Shown<"out-of-bounds">["launch"]): string | undefined {
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
