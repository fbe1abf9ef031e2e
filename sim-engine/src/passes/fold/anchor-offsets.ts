/**
 * Constant offsets of an address stand right behind the address itself: they cost nothing, and accesses in any branch then share
 * them.
 */

import { intConstant } from "../../ir/constants.ts";
import type { Block, Kernel, Op } from "../../ir/kernel.ts";
import { isLeaf } from "../../ir/operations.ts";
import type { Work } from "../../work.ts";

export function anchorOffsets(kernel: Kernel, work: Work): void {
  const entry = kernel.blocks[0];
  if (!entry) return;
  const moved = new Map<Op, Op[]>();
  for (const block of kernel.blocks) {
    work.ask(block.ops.length);
    block.ops = block.ops.filter((op) => {
      const [base] = op.args;
      if (op.action.kind !== "gep" || !base || intConstant(op.args[1]) === undefined) return true;
      const list = moved.get(base);
      if (list) list.push(op);
      else moved.set(base, [op]);
      return false;
    });
  }
  if (moved.size === 0) return;
  // Index constants are leaves, and stand at the head of the entry block.
  for (const block of kernel.blocks) {
    work.ask(block.ops.length);
    block.ops = [...block.phis.flatMap((phi) => take(moved, phi)), ...interleave(block, entry, moved)];
  }
}

function interleave(block: Block, entry: Block, moved: Map<Op, Op[]>): Op[] {
  if (block !== entry) return block.ops.flatMap((op) => [op, ...take(moved, op)]);
  const leaves = block.ops.filter(isLeaf);
  const others = block.ops.filter((op) => !isLeaf(op));
  return [...leaves, ...leaves.flatMap((op) => take(moved, op)), ...others.flatMap((op) => [op, ...take(moved, op)])];
}

/** The offsets from `base`, and from those. */
function take(moved: Map<Op, Op[]>, base: Op): Op[] {
  const list = moved.get(base);
  if (!list) return [];
  moved.delete(base);
  return list.flatMap((op) => [op, ...take(moved, op)]);
}
