/** A function of a library: its result, with its effect on what the arguments point at. */
import type { Argument, CallExpression, Interpreter } from "../memory/interpreter.ts";
import { dereferenced } from "../memory/pointees.ts";
import { write } from "../memory/read-write.ts";
import type { Value } from "../values/model.ts";
import { unknown } from "../values/values.ts";

export type LibraryFunction = (host: Interpreter, args: readonly Argument[], call: CallExpression) => Value;

export function argumentValue(args: readonly Argument[], index: number): Value {
  return args[index]?.value ?? unknown("an argument that is missing");
}

/** `*where = value`, where that leads anywhere. */
export function store(host: Interpreter, where: Value, value: Value): void {
  const place = dereferenced(host, where);
  if (place !== undefined) write(host, place, value);
}
