/** Sums that a loop loads from one place of memory and stores there again in every turn. */
import type { Program } from "../execute/program.ts";
import type { Op } from "../ir/kernel.ts";
import type { Sample } from "../sampling/sample.ts";
import type { Cause } from "./costs.ts";
import { isPlain, ownLoops, placeKey, samePlace, variesIn } from "./loop-ops.ts";

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
      if (!isPlain(store, "store") || !place || taken.has(store) || variesIn(place, inside)) continue;
      const own = ops.filter((op) => op === store || (isPlain(op, "load") && op.args[0] && samePlace(op.args[0], place)));
      for (const op of own) taken.add(op);
      const name = placeKey(place);
      found.set(name, [...(found.get(name) ?? []), ...own]);
    }
  }
  return [...found.values()].map((ops) => ({ kind: "kept in memory", ops: [...new Set(ops)] }));
}
