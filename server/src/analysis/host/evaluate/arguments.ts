/** Evaluating the arguments of a call, parameter packs expanded. */
import type { Expression } from "../../../syntax/ast.ts";
import type { Argument, Interpreter } from "../memory/interpreter.ts";
import { read } from "../memory/read-write.ts";
import { accessed } from "../memory/watch.ts";
import { forEachElement } from "../resolve/packs.ts";
import { placeOf } from "../resolve/places.ts";

export function evaluateArguments(host: Interpreter, expressions: readonly Expression[]): Argument[] {
  const made: Argument[] = [];
  for (const expression of expressions) {
    if (expression.kind !== "pack") made.push(argumentOf(host, expression));
    else made.push(...(forEachElement(host, expression.pattern, () => argumentOf(host, expression.pattern)) ?? []));
  }
  return made;
}

export function argumentOf(host: Interpreter, expression: Expression): Argument {
  const place = isLvalue(expression) ? placeOf(host, expression) : undefined;
  accessed(host, place, expression, "read");
  return place === undefined ? { value: host.evaluate(expression), expression } : { value: read(host, place), place, expression };
}

function isLvalue(e: Expression): boolean {
  switch (e.kind) {
    case "name":
    case "subscript":
    case "member":
      return true;
    case "parenthesized":
      return isLvalue(e.inner);
    case "unary":
      return e.op === "*";
    default:
      return false;
  }
}
