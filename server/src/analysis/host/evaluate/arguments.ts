/** Evaluating the arguments of a call, parameter packs expanded. */
import type { Expression } from "../../../syntax/ast.ts";
import { type Argument, type Interpreter, lookUpLocal } from "../memory/interpreter.ts";
import { read } from "../memory/read-write.ts";
import { accessed } from "../memory/watch.ts";
import { placeOf } from "../resolve/places.ts";
import { Cell, type Place, type RecordValue } from "../values/model.ts";

/** The name of the record a parameter pack is bound to. */
const packName = "...";

export function evaluateArguments(host: Interpreter, expressions: readonly Expression[]): Argument[] {
  const made: Argument[] = [];
  for (const expression of expressions) {
    if (expression.kind !== "pack") made.push(argumentOf(host, expression));
    else for (const each of expanded(host, expression.pattern)) made.push(each);
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

/** `args...`, `std::forward<Args>(args)...`: the pattern once for each element of the packs it names. */
function expanded(host: Interpreter, pattern: Expression): Argument[] {
  const packs = new Map<string, RecordValue>();
  collectPacks(host, pattern, packs);
  const [longest] = [...packs.values()].map((pack) => pack.members.size);
  const made: Argument[] = [];
  for (let k = 0; k < (longest ?? 0); k++) {
    const scope = new Map<string, Place>();
    for (const [name, pack] of packs) {
      const element = pack.members.get(String(k));
      if (element !== undefined) scope.set(name, element);
    }
    host.frame.scopes.push(scope);
    made.push(argumentOf(host, pattern));
    host.frame.scopes.pop();
  }
  return made;
}

function collectPacks(host: Interpreter, e: Expression, packs: Map<string, RecordValue>): void {
  switch (e.kind) {
    case "name": {
      const name = e.name.parts.at(-1)?.text ?? "";
      const place = lookUpLocal(host, name);
      if (place instanceof Cell && place.value.kind === "record" && place.value.name === packName) packs.set(name, place.value);
      return;
    }
    case "parenthesized":
      collectPacks(host, e.inner, packs);
      return;
    case "unary":
      collectPacks(host, e.operand, packs);
      return;
    case "cast":
      for (const operand of e.operands) collectPacks(host, operand, packs);
      return;
    case "call":
      for (const argument of e.arguments) collectPacks(host, argument, packs);
      return;
    default:
  }
}

/** What a parameter pack holds: a record with members "0", "1", ... */
export function packOf(args: readonly Argument[]): RecordValue {
  const members = new Map(args.map(({ value, place }, k) => [String(k), place instanceof Cell ? place : new Cell(value)] as const));
  return { kind: "record", name: packName, type: undefined, members };
}
