/** Lambdas, and what they copy of the variables around them. */
import type { Expression } from "../../../syntax/ast.ts";
import { walk } from "../../../syntax/walk.ts";
import { type Interpreter, lookUpLocal } from "../memory/interpreter.ts";
import { copied, read } from "../memory/read-write.ts";
import { Cell, type LambdaValue, type Place } from "../values/model.ts";

type Lambda = Expression & { readonly kind: "lambda" };

export function evaluateLambda(host: Interpreter, e: Lambda): LambdaValue {
  const captured = new Map<string, Place>();
  const copy = (name: string): void => {
    const place = lookUpLocal(host, name);
    const isStatic = place instanceof Cell && [...host.statics.values()].includes(place);
    if (place !== undefined && !isStatic) captured.set(name, new Cell(copied(read(host, place)), place.type, name));
  };
  if (e.captureDefault === "=") for (const name of namesIn(e)) copy(name);
  for (const { name, byReference, init } of e.captures) {
    if (init !== undefined) captured.set(name, new Cell(host.evaluate(init), undefined, name));
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
