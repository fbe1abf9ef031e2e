/**
 * Constant offsets of an address stand right behind the address itself: they cost nothing, and accesses in any branch then share
 * them.
 */

import { intConstant } from "../../ir/constants.ts";
import type { Block, Kernel, Op } from "../../ir/kernel.ts";
import { isLeaf } from "../../ir/operations.ts";
import type { Work } from "../../work.ts";
import { isInOrder, orderOf } from "../edit/order.ts";

/** Whether it moved any. */
export function anchorOffsets(kernel: Kernel, work: Work): "order" | false {
  const entry = kernel.blocks[0];
  if (!entry) return false;
  const before = orderOf(kernel);
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
  if (moved.size === 0) return false;
  for (const block of kernel.blocks) {
    work.ask(block.ops.length);
    block.ops = anchored(block, block === entry, moved);
  }
  return isInOrder(kernel, before) ? false : "order";
}

function anchored({ phis, ops }: Block, isEntry: boolean, moved: Map<Op, Op[]>): Op[] {
  const placed: Op[] = [];
  for (const phi of phis) take(moved, phi, placed);
  // Index constants are leaves, and stand at the head of the entry block.
  const leaves = isEntry ? ops.filter(isLeaf) : [];
  for (const leaf of leaves) placed.push(leaf);
  for (const leaf of leaves) take(moved, leaf, placed);
  for (const op of ops) {
    if (isEntry && isLeaf(op)) continue;
    placed.push(op);
    take(moved, op, placed);
  }
  return placed;
}

/** The offsets from `base`, and from those. */
function take(moved: Map<Op, Op[]>, base: Op, into: Op[]): void {
  const list = moved.get(base);
  if (!list) return;
  moved.delete(base);
  for (const op of list) {
    into.push(op);
    take(moved, op, into);
  }
}
