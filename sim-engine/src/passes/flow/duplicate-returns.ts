/** Every way out of the kernel ends in a return of its own, as each ends in an EXIT of its own on the device. */
import { createBlock } from "../../ir/builder.ts";
import type { Kernel } from "../../ir/kernel.ts";
import { retarget } from "../edit/edges.ts";

export function duplicateReturns(kernel: Kernel): void {
  for (const block of [...kernel.blocks]) {
    if (block.end.kind !== "return" || block.ops.length > 0 || block.phis.length > 0 || block === kernel.blocks[0]) continue;
    for (const from of [...new Set(block.predecessors)].slice(1)) {
      const copy = createBlock(kernel);
      retarget(from, block, copy);
      copy.predecessors = block.predecessors.filter((each) => each === from);
      block.predecessors = block.predecessors.filter((each) => each !== from);
    }
  }
}
