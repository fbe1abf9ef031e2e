/** Evaluating the arguments of a call, parameter packs expanded. */
import type { Expression } from "../../../syntax/ast.ts";
import { withoutParentheses } from "../../../syntax/terms.ts";
import { lastName } from "../../sema/scope.ts";
import { libraryFunction } from "../library/index.ts";
import { type Argument, followed, type Interpreter } from "../memory/interpreter.ts";
import { read } from "../memory/read-write.ts";
import { accessed } from "../memory/watch.ts";
import { forEachElement } from "../resolve/packs.ts";
import { placeOf } from "../resolve/places.ts";
import { Cell, type Place } from "../values/model.ts";

/** As g++ does: the last first. */
export function evaluateArguments(host: Interpreter, expressions: readonly Expression[]): Argument[] {
  return followed(host, () =>
    expressions
      .toReversed()
      .map((expression) => argumentsOf(host, expression))
      .reverse()
      .flat(),
  );
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
  const given = givenAway(host, expression);
  if (given) return given;
  if (expression.kind === "call") {
    host.returned = undefined;
    const value = host.evaluate(expression);
    const returned = returnedLast(host);
    // The place of a variant is not of the type of what it holds.
    const isVariant = returned?.type?.kind === "container" && returned.type.name === "variant";
    return returned === undefined || isVariant ? { value, expression } : { value, place: returned, expression };
  }
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

/** An object that a call or a constructor makes. */
const isMade = (e: Expression): boolean =>
  e.kind === "call" || (e.kind === "list" && e.type !== undefined) || (e.kind === "cast" && e.style === "functional");

function returnedLast(host: Interpreter): Place | undefined {
  const { returned } = host;
  host.returned = undefined;
  return returned;
}

/** Of an object whose copies are felt it is not told whether it is copied or taken over. */
function forwarded(host: Interpreter, e: Expression & { readonly kind: "call" }): Argument | undefined {
  const [operand] = e.arguments;
  if (operand === undefined || !isLvalue(operand)) return undefined;
  const argument = argumentOf(host, operand);
  const { value } = argument;
  if (value.kind !== "record" || value.open) return undefined;
  return { ...argument, expression: e, isForwarded: true };
}

/** `std::move(variable)` of an object or a smart pointer: who is given it says what is taken from it. */
function givenAway(host: Interpreter, written: Expression): Argument | undefined {
  const e = withoutParentheses(written);
  const called = e.kind === "call" && e.callee.kind === "name" && e.arguments.length === 1 ? e : undefined;
  const name = called?.callee.kind === "name" ? lastName(called.callee.name) : "";
  if (called && name === "forward") return forwarded(host, called);
  const moved = name === "move" ? called : undefined;
  const cast = e.kind === "cast" && e.type.kind === "reference" && e.type.rvalue ? e : undefined;
  const operand = moved?.arguments[0] ?? cast?.operands[0];
  if (operand === undefined || !(isLvalue(operand) || isMade(operand))) return undefined;
  if (moved?.callee.kind === "name" && host.globals.functions(moved.callee.name, host.frame.path).length > 0) return undefined;
  const argument = argumentOf(host, operand);
  const { value, place } = argument;
  const isOwner = value.kind === "pointer" && value.owner !== undefined;
  // A temporary is given away as a variable is.
  if (!place && value.kind === "record" && !value.open)
    return { value, place: new Cell(value, value.type), expression: written, isMoved: true };
  if (place && (isOwner || (value.kind === "record" && !value.open))) return { ...argument, expression: written, isMoved: true };
  return { value: (moved && libraryFunction("move")?.(host, [argument], moved)) ?? value, expression: written };
}
