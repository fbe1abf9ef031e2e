/** What pointers lead to. */

import { Allocation, type Cell, type Place, type Value } from "../values/model.ts";
import type { Interpreter } from "./interpreter.ts";
import { elementOf } from "./read-write.ts";

/** `*value`. */
export function dereferenced(host: Interpreter, value: Value): Place | undefined {
  if (value.kind === "pointer") return elementOf(host, value, 0);
  return undefined;
}

/** The memory and byte offset a pointer leads to, in elements of known size. */
export function targetOf(value: Value): { readonly allocation: Allocation; readonly offset: number | undefined } | Cell | undefined {
  if (value.kind === "container") return { allocation: value.storage, offset: 0 };
  if (value.kind !== "pointer" || value.target === undefined) return undefined;
  if (value.target instanceof Allocation) return { allocation: value.target, offset: value.offset };
  const inner = value.target.value;
  // A pointer to an array variable, or to a record, is a cell; the array's memory is behind it.
  if (value.target.type?.kind === "array" && inner.kind === "pointer" && inner.target instanceof Allocation)
    return { allocation: inner.target, offset: inner.offset };
  return value.target;
}
