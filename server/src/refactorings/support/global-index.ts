/** `blockIdx.x * blockDim.x + threadIdx.x`: which of all threads this is, where grid and block have one dimension. */
import type { Expression } from "../../syntax/ast.ts";
import { termsOf, withoutParentheses } from "../../syntax/terms.ts";

/** Whether an expression is that, whichever way round. */
export function isGlobalIndex(value: Expression): boolean {
  const terms = termsOf(value, (op) => op === "+").map((term) =>
    termsOf(term, (op) => op === "*")
      .map((factor) => nameOf(withoutParentheses(factor)))
      .sort()
      .join("*"),
  );
  return terms.sort().join("+") === "blockDim.x*blockIdx.x+threadIdx.x";
}

const nameOf = (node: Expression): string =>
  node.kind === "member" && node.base.kind === "name" ? `${node.base.name.parts.at(-1)?.text}.${node.name.parts.at(-1)?.text}` : "?";
