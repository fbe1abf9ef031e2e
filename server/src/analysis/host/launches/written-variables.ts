/** Which `__device__` and `__managed__` variables a kernel may store to, judged by what it and the functions it calls do with names. */

import type { FunctionDeclaration } from "../../../syntax/ast.ts";
import { walk } from "../../../syntax/walk.ts";
import { lastName } from "../../sema/scope.ts";
import type { Globals } from "../program/globals.ts";
import { namesWritten } from "./written-parameters.ts";

interface Uses {
  /** Names that it may store through and that are not its own. */
  readonly written: readonly string[];
  /** Names of functions and methods that it calls. */
  readonly called: ReadonlySet<string>;
}

/** By body: a declaration may get another one. */
const known = new WeakMap<object, Uses>();

function usesOf(fn: FunctionDeclaration): Uses {
  const { body } = fn;
  if (body === undefined) return { written: [], called: new Set() };
  const found = known.get(body);
  if (found) return found;
  const own = new Set(fn.parameters.map(({ name }) => name));
  const called = new Set<string>();
  walk(body, (node) => {
    if (node.kind === "variable") own.add(lastName(node.name));
    if (node.kind === "call" && node.callee.kind === "name") called.add(lastName(node.callee.name));
    if (node.kind === "call" && node.callee.kind === "member") called.add(lastName(node.callee.name));
    return true;
  });
  const made = { written: [...namesWritten(fn)].filter((name) => !own.has(name)), called };
  known.set(body, made);
  return made;
}

/** What of a function's body `writtenVariables` goes by, of some names. */
export function usesAmong(fn: FunctionDeclaration, names: ReadonlySet<string>): string {
  const { written, called } = usesOf(fn);
  return [written, [...called]].map((each) => each.filter((name) => names.has(name)).join()).join(";");
}

/** Their names, and others of such names that are no variables. */
export function writtenVariables(kernel: FunctionDeclaration, globals: Globals): ReadonlySet<string> {
  const written = new Set<string>();
  const seen = new Set<FunctionDeclaration>([kernel]);
  // What is called is put behind those that are gone through.
  for (const fn of seen) {
    const uses = usesOf(fn);
    for (const name of uses.written) written.add(name);
    for (const name of uses.called) for (const each of globals.functionsNamed(name)) seen.add(each);
  }
  return written;
}
