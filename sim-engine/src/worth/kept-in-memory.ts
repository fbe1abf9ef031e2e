/** Sums that a loop loads from one place of memory and stores there again in every turn. */
import type { Program } from "../execute/program.ts";
import type { Op } from "../ir/kernel.ts";
import type { Sample } from "../sampling/sample.ts";
import type { Cause } from "./costs.ts";
import { isPlain, ownLoops, placeKey, samePlace, variesIn } from "./loop-ops.ts";

/** Arithmetic that a value is looked through. */
const deepest = 8;

/** Whether what is stored is made of what was stored before: a sum of which the compiler has kept the load, but not the store. */
function isCarried(stores: readonly Op[], inside: ReadonlySet<Op>): boolean {
  const values = new Set(stores.flatMap(({ args: [, value] }) => value ?? []));
  const reaches = (op: Op, depth: number): boolean =>
    inside.has(op) &&
    (op.action.kind === "phi" ? op.args.some((arg) => values.has(arg)) : depth < deepest && op.args.some((arg) => reaches(arg, depth + 1)));
  return [...values].some((value) => reaches(value, 0));
}

/**
 * The stores of such loops, and the loads that the compiler has left: it may not keep the value in a register for what else the loop
 * loads through pointers that could point there. Who keeps it in a variable stores it once. One place is one cause, whatever copies of the
 * loop there are.
 */
export function keptInMemory(program: Program, sample: Sample): Cause[] {
  const found = new Map<string, Op[]>();
  const taken = new Set<Op>();
  for (const { ops, inside } of ownLoops(program, sample)) {
    for (const store of ops) {
      const [place] = store.args;
      if (!isPlain(store, "store", program) || !place || taken.has(store) || variesIn(place, inside)) continue;
      const there = ops.filter(
        (op) => op.args[0] && (isPlain(op, "load", program) || isPlain(op, "store", program)) && samePlace(op.args[0], place),
      );
      const own = there.filter((op) => op === store || op.action.kind === "load");
      if (own.length === 1 && !isCarried(there, inside)) continue;
      for (const op of own) taken.add(op);
      const name = placeKey(place);
      found.set(name, [...(found.get(name) ?? []), ...own]);
    }
  }
  return [...found.values()].map((ops) => ({ kind: "kept in memory", ops: [...new Set(ops)] }));
}
