/** Numbers that the source says, whatever happens before: made of constants, by arithmetic, through variables that nothing else is stored to. */
import type { Semantics } from "../../analysis/sema/index.ts";
import type { Expression } from "../../syntax/ast.ts";
import type { Variables } from "./variables.ts";

/** Variables that stand for each other. */
const mostNested = 16;

export function isSaid(e: Expression, variables: Variables, semantics: Semantics, nested = 0): boolean {
  const inner = (each: Expression): boolean => isSaid(each, variables, semantics, nested);
  switch (e.kind) {
    case "integer":
    case "float":
    case "sizeof":
      return true;
    case "parenthesized":
      return inner(e.inner);
    case "binary":
      return inner(e.left) && inner(e.right);
    case "unary":
      return /^[-+]$/.test(e.op) && inner(e.operand);
    case "cast":
      return e.operands.every(inner);
    case "list":
      return e.elements.every(({ value }) => inner(value));
    case "call":
      return e.callee.kind === "name" && e.callee.name.parts.at(-1)?.text === "dim3" && e.arguments.every(inner);
    case "name": {
      if (semantics.constant(e) !== undefined) return true;
      const variable = variables.of(e);
      if (!variable || !("init" in variable) || nested >= mostNested || variables.writes(variable).length > 0) return false;
      const values = variable.init?.values ?? [];
      return values.length > 0 && values.every((value) => isSaid(value, variables, semantics, nested + 1));
    }
    default:
      return false;
  }
}
