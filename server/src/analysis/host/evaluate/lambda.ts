/** Lambdas, and what they copy of the variables around them. */
import type { Expression } from "../../../syntax/ast.ts";
import { walk } from "../../../syntax/walk.ts";
import { type Argument, type Interpreter, lookUpLocal } from "../memory/interpreter.ts";
import { read } from "../memory/read-write.ts";
import { ownOf } from "../resolve/construct.ts";
import { isStatic } from "../resolve/statics.ts";
import { Cell, type LambdaValue, type Place } from "../values/model.ts";
import { passing } from "./destroy.ts";

type Lambda = Expression & { readonly kind: "lambda" };

export function evaluateLambda(host: Interpreter, e: Lambda): LambdaValue {
  const captured = new Map<string, Place>();
  const take = (name: string, argument: Argument): void => {
    const value = ownOf(host, argument);
    captured.set(name, new Cell(value, argument.place?.type, name));
    // When the lambda ends is not followed.
    passing(host, value);
  };
  const copy = (name: string): void => {
    const place = lookUpLocal(host, name);
    if (place !== undefined && !(place instanceof Cell && isStatic(host, place))) take(name, { value: read(host, place), place });
  };
  if (e.captureDefault === "=") for (const name of namesIn(e)) copy(name);
  for (const { name, byReference, init } of e.captures) {
    if (init !== undefined) take(name, host.argument(init));
    else if (!byReference) copy(name);
    else captured.delete(name);
  }
  const { frame } = host;
  return {
    kind: "lambda",
    expression: e,
    captured,
    scopes: [...frame.scopes],
    self: frame.self,
    substitution: frame.substitution,
    owner: frame.function,
  };
}

/** Names without a scope in the body. */
function namesIn({ body }: Lambda): ReadonlySet<string> {
  const known = bodies.get(body);
  if (known !== undefined) return known;
  const names = new Set<string>();
  walk(body, (node) => {
    const parts = node.kind === "name" ? node.name.parts : [];
    if (parts.length === 1 && parts[0] !== undefined) names.add(parts[0].text);
    return true;
  });
  bodies.set(body, names);
  return names;
}

const bodies = new WeakMap<object, ReadonlySet<string>>();
