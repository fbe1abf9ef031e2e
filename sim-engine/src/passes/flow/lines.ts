/**
 * Operations that stand for several source lines, or moved out of a loop, have none of their own. The compiler then writes no
 * line for them, and profilers show them at that of the instruction before.
 */
import type { Block, Kernel, Op, Span } from "../../ir/kernel.ts";
import { hasEffect, isLeaf } from "../../ir/operations.ts";

export function completeLines(kernel: Kernel): void {
  let before: Span | undefined;
  for (const block of kernel.blocks) {
    const test = testOf(block);
    let last: Span | undefined;
    for (const op of block.ops) {
      if (op.span.line === 0) {
        if (!isLeaf(op)) op.span = last ?? before ?? op.span;
        continue;
      }
      // What only the branch needs is written just before it, behind the rest.
      if (!test.has(op)) last = op.span;
    }
    before =
      block.end.kind === "branch" && block.end.span.line > 0
        ? block.end.span
        : (block.ops.findLast((op) => op.span.line > 0 && !isLeaf(op))?.span ?? before);
  }
}

/** The operations of the block that nothing but its branch needs, as far as one look tells. */
function testOf(block: Block): Set<Op> {
  const found = new Set<Op>();
  if (block.end.kind !== "branch") return found;
  const pending = [block.end.cond];
  const inBlock = new Set(block.ops);
  for (let op = pending.pop(); op; op = pending.pop()) {
    if (!inBlock.has(op) || found.has(op) || hasEffect(op) || op.action.kind === "load") continue;
    found.add(op);
    pending.push(...op.args);
  }
  return found;
}
