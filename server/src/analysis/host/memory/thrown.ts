/** Exceptions under way, and the library's classes of them. */
import { unknown } from "../values/values.ts";
import type { Interpreter, Thrown } from "./interpreter.ts";

/** The statement under way ends, and those around it, up to who takes it. */
export function raise(host: Interpreter, thrown: Thrown): void {
  host.exited = true;
  host.thrown = thrown;
}

/** What a function of the library throws. */
export const raiseStandard = (host: Interpreter, name: string): void => raise(host, { value: unknown("an exception"), name });

/** By class: what it derives from. */
const bases: Readonly<Record<string, string>> = {
  exception: "",
  logic_error: "exception",
  runtime_error: "exception",
  bad_alloc: "exception",
  bad_cast: "exception",
  bad_function_call: "exception",
  bad_optional_access: "exception",
  bad_variant_access: "exception",
  bad_array_new_length: "bad_alloc",
  invalid_argument: "logic_error",
  domain_error: "logic_error",
  length_error: "logic_error",
  out_of_range: "logic_error",
  range_error: "runtime_error",
  overflow_error: "runtime_error",
  underflow_error: "runtime_error",
  system_error: "runtime_error",
};

/** Whether one of the library's exceptions is another, or derives from it; undefined where it is none of them. */
export function derivesFromStandard(name: string, wanted: string): boolean | undefined {
  if (bases[name] === undefined) return undefined;
  for (let at = name; at !== ""; at = bases[at] ?? "") if (at === wanted) return true;
  return false;
}
