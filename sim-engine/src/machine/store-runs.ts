/**
 * Runs of stores: those with nothing between them in the code but a few instructions, none of which loads. What they write to the same
 * sectors the L1 may hand on as one, but where one waits for a load that those before it do not need. (Of advanceAoS of validation/h200,
 * whose members are loaded one behind the other, the L2 gets nine stores in ten.)
 */
import type { Op } from "../ir/kernel.ts";
import type { MachineKernel, Register } from "./machine.ts";

/**
 * Instructions between two stores of a run, at most: nvcc 13.0 has 15 between those that were measured to be merged (fused_classifier_kernel2
 * of llm.c, h200-measured), and hundreds between those that were not (dct8, divergeByLane of validation/h200*).
 */
const mostBetween = 16;

export interface InRun {
  /** The number of the run. */
  readonly run: number;
  /** It waits for a load behind those that the store before it needs. */
  readonly awaits: boolean;
}

/** By store to global or local memory, its run; absent for one that stands alone. */
export function storeRuns({ blocks }: MachineKernel): ReadonlyMap<Op, InRun> {
  const runs = new Map<Op, InRun>();
  let count = 0;
  let last: Op | undefined;
  let between = 0;
  let lastNeeds = -1;
  for (const { instructions } of blocks.values()) {
    /** The last of the block's loads that a value comes from, by where it stands. */
    const from = new Map<Register, number>();
    for (const [at, { op, opcode, uses, defs }] of instructions.entries()) {
      const needs = Math.max(-1, ...uses.map((use) => from.get(use) ?? -1));
      for (const def of defs) from.set(def, opcode.startsWith("LDG") ? at : needs);
      if (/^(STG|STL)/.test(opcode) && op) {
        if (last && between <= mostBetween) {
          if (!runs.has(last)) runs.set(last, { run: count++, awaits: false });
          runs.set(op, { run: runs.get(last)!.run, awaits: needs > lastNeeds });
        }
        last = op;
        lastNeeds = needs;
        between = 0;
      } else if (/^(LDG|LDL|LD\b|ATOM|RED|BAR|MEMBAR)/.test(opcode)) last = undefined;
      else between++;
    }
  }
  return runs;
}
