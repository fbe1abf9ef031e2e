/** Sums that a loop loads from one place of memory and stores there again in every turn. */
import type { Program } from "../execute/program.ts";
import type { Block, Op } from "../ir/kernel.ts";
import { meetsOthers } from "../ir/operations.ts";
import type { Sample } from "../sampling/sample.ts";
import type { Cause } from "./costs.ts";

/** Turns of a loop below which one place is no sum. */
const fewTurns = 4;

/**
 * The stores of such loops, and the loads that the compiler has left: it may not keep the value in a register for what else the loop
 * loads through pointers that could point there. Who keeps it in a variable stores it once. One place is one cause, whatever copies of the
 * loop there are.
 */
export function keptInMemory(program: Program, { totals, counts }: Sample): Cause[] {
  const compiled = new Map(program.blocks.map((each) => [each.block, each]));
  const executions = (block: Block): number => {
    const of = compiled.get(block);
    return of ? counts.flow(totals, of).executions : 0;
  };
  const found = new Map<string, Op[]>();
  const taken = new Set<Op>();
  // Inner loops come after those around them.
  for (const { header, blocks, latches } of [...program.loops].reverse()) {
    const turns = executions(header);
    const back = latches.reduce((sum, latch) => sum + executions(latch), 0);
    if (turns === 0 || turns < fewTurns * (turns - back)) continue;
    const ops = [...blocks].flatMap((block) => [...block.phis, ...block.ops]);
    const inside = new Set(ops);
    if (ops.some((op) => meetsOthers(op) || /^(barrier|atomic|fence)/.test(op.action.kind))) continue;
    for (const store of ops) {
      const [place] = store.args;
      if (!isPlain(store, "store") || !place || taken.has(store) || variesIn(place, inside)) continue;
      const own = ops.filter((op) => op === store || (isPlain(op, "load") && op.args[0] && samePlace(op.args[0], place)));
      for (const op of own) taken.add(op);
      const name = keyOf(place);
      found.set(name, [...(found.get(name) ?? []), ...own]);
    }
  }
  return [...found.values()].map((ops) => ({ kind: "kept in memory", ops: [...new Set(ops)] }));
}

const isPlain = ({ action }: Op, kind: "load" | "store"): boolean =>
  action.kind === kind && (action.space === "global" || action.space === "generic") && action.volatile !== true && action.components === 1;

/** An address that need not be the same in each turn. */
function variesIn(place: Op, inside: ReadonlySet<Op>): boolean {
  return inside.has(place) && (place.action.kind !== "gep" || place.args.some((arg) => variesIn(arg, inside)));
}

const samePlace = (a: Op, b: Op): boolean => a === b || keyOf(a) === keyOf(b);

const keyOf = ({ id, action, args }: Op): string =>
  action.kind === "gep" ? `${args.map((arg) => arg.id).join()} ${action.scale} ${action.offset}` : `${id}`;
