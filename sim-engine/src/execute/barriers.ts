/** Which barriers warps really wait at. */
import type { Loop } from "../ir/graph.ts";
import type { Block, Kernel, Op } from "../ir/kernel.ts";
import { meetsOthers } from "../ir/operations.ts";
import type { Slice } from "./slice.ts";

/** Something in these blocks changes memory, or tells other warps. */
export const acting = (blocks: Iterable<Block>, slice: Slice): boolean =>
  [...blocks].some((block) => block.ops.some((op) => slice.acts(op) || meetsOthers(op)));

/**
 * The barriers that warps must really wait at: those that order effects on memory, or share a predicate. A warp may run
 * through the others alone. Within a loop that has no effect on memory, so do all its iterations.
 */
export function waitingBarriers(kernel: Kernel, slice: Slice, loops: readonly Loop[]): ReadonlySet<Op> {
  const barriers = new Set<Op>();
  const shares = (op: Op): boolean => op.action.kind === "barrier" && slice.needs(op);
  const matters = (blocks: Iterable<Block>): boolean => acting(blocks, slice) || [...blocks].some((block) => block.ops.some(shares));
  if (!matters(kernel.blocks)) return barriers;
  const idle = loops.filter((loop) => !matters(loop.blocks));
  for (const block of kernel.blocks) {
    if (idle.some((loop) => loop.blocks.has(block))) continue;
    for (const op of block.ops) if (op.action.kind === "barrier") barriers.add(op);
  }
  return barriers;
}

/** Every barrier of the block. */
export function allBarriers(kernel: Kernel): ReadonlySet<Op> {
  return new Set(kernel.blocks.flatMap((block) => block.ops.filter(({ action }) => action.kind === "barrier")));
}
