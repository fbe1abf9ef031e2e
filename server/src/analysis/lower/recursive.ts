/** Functions that call themselves: how deep is decided at run time, and all calls are inlined, so that a few of them in each other stand for it. */
import type { Expression, FunctionDeclaration } from "../../syntax/ast.ts";
import { walk } from "../../syntax/walk.ts";
import { lastName } from "../sema/scope.ts";
import type { LambdaExpression } from "../sema/types.ts";

/** How deep calls are followed where each makes one more, and how many copies there may about be where each makes more. Assumed (DEVIATIONS.md). */
const deepest = 16;
const mostCopies = 8;

/** How often a function's body calls one of that name. */
export function callsOf({ body }: FunctionDeclaration, name: string): number {
  let count = 0;
  if (body)
    walk(body, (node) => {
      if (node.kind === "call" && isNamed(node.callee, name)) count++;
      return true;
    });
  return count;
}

const isNamed = (callee: Expression, name: string): boolean =>
  (callee.kind === "member" || callee.kind === "name") && lastName(callee.name) === name;

/** How many calls in each other are followed of a function that calls itself. */
export function depthOf(declaration: FunctionDeclaration | LambdaExpression): number {
  if (declaration.kind === "lambda") return deepest;
  const calls = callsOf(declaration, lastName(declaration.name));
  return calls < 2 ? deepest : 1 + Math.floor(Math.log(mostCopies) / Math.log(calls));
}
