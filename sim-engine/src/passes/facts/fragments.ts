/**
 * Loads and stores of a warp's fragments of matrices (`wmma`): in NVVM each is one operation on one address, in which no offset is taken up
 * and nothing is merged. What each lane adds to it ptxas makes, so that passes of NVVM are to leave it alone.
 */
import type { Kernel, Op } from "../../ir/kernel.ts";
import type { Work } from "../../work.ts";

export interface Fragments {
  /** A lane's own place behind the address of a fragment. */
  isLanes(gep: Op): boolean;
  /** The address of a fragment, and of nothing else. */
  isAddress(gep: Op): boolean;
}

export function findFragments(kernel: Kernel, work: Work): Fragments {
  const lanes = new Set<Op>();
  const addresses = new Set<Op>();
  const others = new Set<Op>();
  for (const { phis, ops } of kernel.blocks) {
    for (const op of [...phis, ...ops]) {
      work.ask(1);
      const { action, args } = op;
      const [base, index] = args;
      const isLanes = action.kind === "gep" && action.ofLane === true && base !== undefined && index !== undefined;
      if (isLanes) {
        lanes.add(op);
        addresses.add(base);
      }
      for (const arg of isLanes ? [index] : args) others.add(arg);
    }
  }
  return { isLanes: (gep) => lanes.has(gep), isAddress: (gep) => addresses.has(gep) && !others.has(gep) };
}
