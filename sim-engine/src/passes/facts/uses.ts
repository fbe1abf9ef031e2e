/** Who uses what. */
import type { Kernel, Op } from "../../ir/kernel.ts";

/** The operations that use each value, a user once for each operand; branch conditions under `branches`. */
export interface Uses {
  readonly by: ReadonlyMap<Op, readonly Op[]>;
  readonly branches: ReadonlySet<Op>;
}

export function findUses(kernel: Kernel): Uses {
  const by = new Map<Op, Op[]>();
  const branches = new Set<Op>();
  const add = (user: Op): void => {
    for (const arg of user.args) {
      const list = by.get(arg);
      if (list) list.push(user);
      else by.set(arg, [user]);
    }
  };
  for (const block of kernel.blocks) {
    block.phis.forEach(add);
    block.ops.forEach(add);
    if (block.end.kind === "branch") branches.add(block.end.cond);
  }
  return { by, branches };
}
