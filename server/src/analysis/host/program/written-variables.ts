/** Which `__device__` and `__managed__` variables a kernel may store to, judged by what it and the functions it calls do with names. */

import type { FunctionDeclaration } from "../../../syntax/ast.ts";
import { walk } from "../../../syntax/walk.ts";
import { lastName } from "../../sema/scope.ts";
import { namesWritten } from "../launches/written-parameters.ts";
import type { Globals } from "./globals.ts";

interface Uses {
  /** Names that are not its own: those that are stored to, and those that others are given. */
  readonly stored: readonly string[];
  readonly passed: readonly string[];
  /** Names of functions and methods that it calls. */
  readonly called: readonly string[];
}

/** By body: a declaration may get another one. */
const known = new WeakMap<object, Uses>();

function usesOf(fn: FunctionDeclaration): Uses {
  const { body } = fn;
  if (body === undefined) return { stored: [], passed: [], called: [] };
  const found = known.get(body);
  if (found) return found;
  const own = new Set(fn.parameters.map(({ name }) => name));
  const called = new Set<string>();
  walk(body, (node) => {
    if (node.kind === "variable") own.add(lastName(node.name));
    if (node.kind === "call" && (node.callee.kind === "name" || node.callee.kind === "member")) called.add(lastName(node.callee.name));
    return true;
  });
  const { stored, passed } = namesWritten(fn);
  const others = (names: ReadonlySet<string>): string[] => [...names].filter((name) => !own.has(name));
  const made = { stored: others(stored), passed: others(passed), called: [...called] };
  known.set(body, made);
  return made;
}

/** What of a function's body `writtenVariables` goes by, of some names. */
export function usesAmong(fn: FunctionDeclaration, names: ReadonlySet<string>): string {
  const { stored, passed, called } = usesOf(fn);
  return [stored, passed, called].map((each) => each.filter((name) => names.has(name)).join()).join(";");
}

const takesReference = ({ parameters }: FunctionDeclaration): boolean =>
  parameters.some(({ type }) => type.kind === "reference" && !type.to.const);

/** Their names, and others of such names that are no variables. */
export function writtenVariables(kernel: FunctionDeclaration, globals: Globals): ReadonlySet<string> {
  const written = new Set<string>();
  const arrays = new Set(
    globals
      .ofDevice()
      .flatMap(({ declaration: { name, type } }) => (type.kind === "array" || type.kind === "pointer" ? [lastName(name)] : [])),
  );
  const seen = new Set<FunctionDeclaration>([kernel]);
  // What is called is put behind those that are gone through.
  for (const fn of seen) {
    const { stored, passed, called } = usesOf(fn);
    const functions = called.flatMap((name) => globals.functionsNamed(name));
    for (const each of functions) seen.add(each);
    for (const name of stored) written.add(name);
    // A number is only copied, but by who takes a reference.
    const isTaken = functions.some(takesReference);
    for (const name of passed) if (isTaken || arrays.has(name)) written.add(name);
  }
  return written;
}
