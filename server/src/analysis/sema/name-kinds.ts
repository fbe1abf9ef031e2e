/** What kind of thing a name is, looked up where it stands. */

import type { Expression, Name } from "../../syntax/ast.ts";
import type { Context } from "./context.ts";
import { memberBase } from "./expressions.ts";
import { lastName } from "./scope.ts";

/** A name, or one of an object's members. */
export type NameLike = Expression & { kind: "name" | "member" };

/** Whether it names a value, a function among them. */
export function namesValue(context: Context, name: Name): boolean {
  const [first] = context.find(name, undefined).entities;
  if (!first) return false;
  return (
    ["parameter", "enumerator", "binding", "capture", "built-in constant", "function"].includes(first.kind) ||
    (first.kind === "variable" && !first.declaration.specifiers.typedef) ||
    (first.kind === "template-parameter" && first.parameter.kind === "value")
  );
}

/** Whether it names a type. */
export function namesType(context: Context, name: Name): boolean {
  const [first] = context.find(name, undefined).entities;
  switch (first?.kind) {
    case "record":
    case "enum":
    case "alias":
    case "built-in type":
      return true;
    case "template-parameter":
      return first.parameter.kind === "type" || first.parameter.kind === "template";
    case "variable":
      return first.declaration.specifiers.typedef === true;
    default:
      return false;
  }
}

/** Whether it names a function's template, and says nothing of the arguments. */
export function namesFunctionTemplate(context: Context, name: Name): boolean {
  if (name.parts.at(-1)?.templateArguments) return false;
  return context
    .find(name, undefined)
    .entities.some((each) => each.kind === "function" && each.declaration.templateParameters !== undefined);
}

/** Whether it names a template of functions, variables or classes. */
export const namesTemplate = (context: Context, name: Name): boolean =>
  context
    .find(name, undefined)
    .entities.some(
      (each) =>
        (each.kind === "function" || each.kind === "variable" || each.kind === "record" || each.kind === "alias") &&
        each.declaration.templateParameters !== undefined,
    );

/** Whether a name is a variable's and no template's; undefined when nobody declares it. */
export function isVariable(context: Context, expression: NameLike): boolean | undefined {
  if (expression.kind === "member") {
    const record = memberBase(context, expression, undefined)?.record;
    if (!record) return undefined;
    const [member] = context.member(record, lastName(expression.name)).entities;
    return member?.kind === "variable" && !member.declaration.templateParameters;
  }
  const [first] = context.find(expression.name, undefined).entities;
  if (!first) return undefined;
  switch (first.kind) {
    case "variable":
      return !first.declaration.templateParameters && !first.declaration.specifiers.typedef;
    case "template-parameter":
      return first.parameter.kind === "value";
    default:
      return ["parameter", "enumerator", "binding", "capture", "built-in constant"].includes(first.kind);
  }
}
