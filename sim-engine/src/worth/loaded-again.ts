/** Values that a loop loads from one place of memory in every turn, though nothing there is known to change. */
import type { Program } from "../execute/program.ts";
import type { Op } from "../ir/kernel.ts";
import { compareLocations, locationOf } from "../passes/facts/alias.ts";
import type { Sample } from "../sampling/sample.ts";
import type { Cause } from "./costs.ts";
import { isPlain, ownLoops, samePlace, variesIn } from "./loop-ops.ts";

/** Share of the turns in which such a load is made, as a register would be read. */
const nearlyAlways = 0.9;

/**
 * Loads that the compiler has left in a loop, of addresses that are the same in every turn: it may not load them once for what the loop
 * stores through pointers that could point there. One cause, whatever they load: what says that the pointers do not overlap says it of
 * all. Places that the loop itself stores to are sums, and another cause.
 */
export function loadedAgain(program: Program, sample: Sample): Cause[] {
  const found = new Set<Op>();
  for (const { blocks, ops, inside, share } of ownLoops(program, sample)) {
    const stores = ops.filter(({ action, args }) => action.kind === "store" && args[0]);
    const stored = stores.flatMap(({ args: [place] }) => place ?? []);
    if (stores.length === 0) continue;
    for (const block of blocks) {
      if (share(block) < nearlyAlways) continue;
      for (const load of block.ops) {
        const [place] = load.args;
        if (!isPlain(load, "load", program) || !place || variesIn(place, inside)) continue;
        if (!stored.some((other) => samePlace(other, place)) && stores.some((store) => mayReach(program, store, load))) found.add(load);
      }
    }
  }
  const ops = [...found].sort((a, b) => a.span.start - b.span.start);
  return ops.length > 0 ? [{ kind: "loaded again", ops }] : [];
}

/** Not where the pointers are told apart already: then it is something else that leaves the load where it is. */
function mayReach({ kernel }: Program, store: Op, load: Op): boolean {
  const [to, from] = [locationOf(store), locationOf(load)];
  return to === undefined || from === undefined || (!from.readOnly && compareLocations(kernel, to, from) !== "none");
}
