/** Arrays of a thread that lie in local memory, as their index is known only when the kernel runs. */
import type { Program } from "../execute/program.ts";
import type { Op } from "../ir/kernel.ts";
import type { Sample } from "../sampling/sample.ts";
import type { Cause } from "./costs.ts";

/** One array is one cause: its loads and stores, of which nothing would be left if it were in registers. */
export function localArrays({ counters, kernel, provenance }: Program, { totals, counts }: Sample): Cause[] {
  const arrays = new Map(kernel.blocks.flatMap(({ ops }) => ops.filter(isArray)).map((op) => [`local ${op.id}`, op]));
  const found = new Map<Op, { readonly op: Op; readonly moved: number }[]>();
  for (const [op, [counter]] of counters) {
    const [address] = op.args;
    if (counter?.space !== "local" || !address || !isPlain(op)) continue;
    const [object, ...others] = provenance.of(address);
    const array = object !== undefined && others.length === 0 ? arrays.get(object) : undefined;
    const moved = counts.access(totals, counter).transactions;
    if (array && moved > 0) found.set(array, [...(found.get(array) ?? []), { op, moved }]);
  }
  return [...found].map(([{ action }, accesses]) => ({
    kind: "local array",
    ops: accesses.sort((a, b) => b.moved - a.moved).map(({ op }) => op),
    ...(action.kind === "alloca" ? { object: action.name, bytes: action.bytes } : {}),
  }));
}

const isArray = ({ action }: Op): boolean => action.kind === "alloca";

const isPlain = ({ action }: Op): boolean =>
  (action.kind === "load" || action.kind === "store") && action.volatile !== true && action.components === 1;
