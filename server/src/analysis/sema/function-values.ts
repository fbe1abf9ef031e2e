/** Which function a pointer to one holds, where that is known before a program runs. */
import type { Expression, Statement, VariableDeclaration } from "../../syntax/ast.ts";
import { walk } from "../../syntax/walk.ts";
import type { Context } from "./context.ts";
import { firstReturn } from "./returned-types.ts";
import { lastName, type Scope } from "./scope.ts";
import type { Substitution, Type } from "./types.ts";

/** The function that a pointer to one holds that is never given another: `constexpr Op op = choose<N>();`. */
export function functionValue(context: Context, written: Expression, substitution: Substitution | undefined): Type | undefined {
  const expression = context.clarify(written);
  return context.guard(() => {
    switch (expression.kind) {
      case "parenthesized":
        return functionValue(context, expression.inner, substitution);
      case "unary":
        return expression.op === "&" || expression.op === "*" ? functionValue(context, expression.operand, substitution) : undefined;
      case "conditional": {
        const condition = context.constant(expression.condition, substitution);
        return condition === undefined
          ? undefined
          : functionValue(context, Number(condition) ? expression.then : expression.else, substitution);
      }
      case "lambda":
        return context.info(expression, substitution)?.type;
      case "call": {
        const called = context.resolveCall(expression, substitution);
        if (!called || "lambda" in called || !called.function.body) return undefined;
        const body = context.readBody(called.function);
        const returned = body && firstReturn(context, body, called.substitution)?.value;
        return returned && functionValue(context, returned, called.substitution);
      }
      case "name": {
        const type = context.info(expression, substitution)?.type;
        if (type?.kind === "function") return type;
        const found = context.find(expression.name, substitution);
        const [entity] = found.entities;
        if (entity?.kind !== "variable") return undefined;
        const isKept = entity.declaration.specifiers.constexpr || type?.const || isNeverAssigned(context, entity.declaration);
        if (!isKept) return undefined;
        const [init] = entity.declaration.init?.values ?? [];
        return init && functionValue(context, init, found.record?.substitution ?? substitution);
      }
      default:
        return undefined;
    }
  });
}

const known = new WeakMap<VariableDeclaration, boolean>();

/** A variable of a function in which nothing is assigned to its name, and nobody takes its address. */
function isNeverAssigned(context: Context, declaration: VariableDeclaration): boolean {
  let kept = known.get(declaration);
  if (kept === undefined) {
    const body = bodyAround(context.scopes.at(declaration.start));
    kept = body !== undefined && !isAssigned(body, lastName(declaration.name));
    known.set(declaration, kept);
  }
  return kept;
}

/** The body of the outermost function around a place: lambdas in it may assign as well. */
function bodyAround(inner: Scope): Statement | undefined {
  let body: Statement | undefined;
  for (let at: Scope | undefined = inner; at; at = at.parent)
    if (at.kind === "function" && at.owner && "body" in at.owner) body = at.owner.body as Statement | undefined;
  return body;
}

function isAssigned(body: Statement, name: string): boolean {
  let found = false;
  walk(body, (node) => {
    const target = node.kind === "assign" ? node.left : node.kind === "unary" && node.op === "&" ? node.operand : undefined;
    found ||= target !== undefined && isName(target, name);
    return !found;
  });
  return found;
}

const isName = (expression: Expression, name: string): boolean =>
  expression.kind === "parenthesized" ? isName(expression.inner, name) : expression.kind === "name" && lastName(expression.name) === name;
