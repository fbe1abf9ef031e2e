/** A function of a library: its result, with its effect on what the arguments point at. */
import type { Argument, CallExpression, Interpreter } from "../interpreter.ts";
import type { Value } from "../model.ts";
import { unknown } from "../values.ts";

export type LibraryFunction = (host: Interpreter, args: readonly Argument[], call: CallExpression) => Value;

export function argumentValue(args: readonly Argument[], index: number): Value {
  return args[index]?.value ?? unknown("an argument that is missing");
}
