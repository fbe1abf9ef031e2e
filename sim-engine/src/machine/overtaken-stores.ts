/**
 * Stores that loads were issued ahead of and have not come back from: what such a load brings of the sectors that are stored to does not
 * stay in the L1 (measured: validation/microbenchmarks/h200-own-rows.txt, "next load, store": 22 % of its loads hit, 86 % where the load
 * is waited for before the store).
 */
import type { Op } from "../ir/kernel.ts";
import type { Instruction, MachineKernel } from "./machine.ts";

/** By store to global memory, the loads from it that its warp has under way, of the same block of code; absent where there are none. */
export function loadsUnderWay({ blocks }: MachineKernel): ReadonlyMap<Op, readonly Op[]> {
  const found = new Map<Op, readonly Op[]>();
  for (const { block, instructions } of blocks.values()) {
    let own: ReadonlySet<Op> | undefined;
    // Loads come back in the order in which they were issued: who waits for one has all before it, and those behind it are back soon.
    let underWay: Instruction[] = [];
    for (const instruction of instructions) {
      const { op, opcode, uses } = instruction;
      if (underWay.some(({ defs }) => defs.some((def) => uses.includes(def)))) underWay = [];
      if (!op) continue;
      if (opcode.startsWith("LDG")) underWay.push(instruction);
      if (!opcode.startsWith("STG") || underWay.length === 0) continue;
      // What runs under a predicate belongs to another block.
      own ??= new Set(block.ops);
      if (!own.has(op)) continue;
      const loads = underWay.flatMap(({ op: load }) => (load && own?.has(load) ? [load] : []));
      if (loads.length > 0) found.set(op, loads);
    }
  }
  return found;
}
