/** `-Xptxas -dlcm=cg`: loads of global memory that do not say where they are cached are cached in the L2 alone. */
import type { Kernel } from "../../ir/kernel.ts";

export function bypassL1({ blocks }: Kernel): void {
  for (const { ops } of blocks)
    for (const op of ops) {
      const { action } = op;
      if (action.kind === "load" && action.space === "global" && !action.cache) op.action = { ...action, cache: "cg" };
    }
}
