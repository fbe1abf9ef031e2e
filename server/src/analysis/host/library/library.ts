import type { CallExpression } from "../calls.ts";
import type { Argument, Interpreter } from "../interpreter.ts";
import type { Value } from "../values.ts";
import { unknown } from "../values.ts";

/** A function of a library: its result, with its effect on what the arguments point at. */
export type LibraryFunction = (host: Interpreter, args: readonly Argument[], call: CallExpression) => Value;

export function valueOf(args: readonly Argument[], index: number): Value {
  return args[index]?.value ?? unknown("an argument that is missing");
}
