/** Evaluating the arguments of a call, parameter packs expanded. */
import type { Expression } from "../../../syntax/ast.ts";
import type { Argument, Interpreter } from "../memory/interpreter.ts";
import { read } from "../memory/read-write.ts";
import { accessed } from "../memory/watch.ts";
import { forEachElement } from "../resolve/packs.ts";
import { placeOf } from "../resolve/places.ts";

/** As g++ does: the last first. */
export function evaluateArguments(host: Interpreter, expressions: readonly Expression[]): Argument[] {
  return expressions
    .toReversed()
    .map((expression) => argumentsOf(host, expression))
    .reverse()
    .flat();
}

/** What stands between braces: the first first. */
export function evaluateElements(host: Interpreter, expressions: readonly Expression[]): Argument[] {
  return expressions.flatMap((expression) => argumentsOf(host, expression));
}

function argumentsOf(host: Interpreter, expression: Expression): readonly Argument[] {
  if (expression.kind !== "pack") return [argumentOf(host, expression)];
  return forEachElement(host, expression.pattern, () => argumentOf(host, expression.pattern)) ?? [];
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
