/** Removes what nothing needs: operations and phis whose values reach no effect and no branch. */

import type { Kernel, Op } from "../../ir/kernel.ts";
import { hasEffect } from "../../ir/operations.ts";
import type { Work } from "../../work.ts";

/** Returns whether anything went. Cycles of phis that only feed themselves go too. */
export function removeDeadCode(kernel: Kernel, work: Work): boolean {
  // By number.
  const live = new Uint8Array(kernel.nextId);
  const pending: Op[] = [];
  const need = (op: Op): void => {
    if (live[op.id] === 1) return;
    live[op.id] = 1;
    pending.push(op);
  };
  for (const block of kernel.blocks) {
    for (const op of block.ops) if (hasEffect(op)) need(op);
    if (block.end.kind === "branch") need(block.end.cond);
  }
  for (let op = pending.pop(); op; op = pending.pop()) {
    work.ask(1);
    for (const arg of op.args) need(arg);
  }
  const isLive = ({ id }: Op): boolean => live[id] === 1;
  let changed = false;
  for (const block of kernel.blocks) {
    work.ask(block.ops.length);
    const before = block.phis.length + block.ops.length;
    block.phis = block.phis.filter(isLive);
    block.ops = block.ops.filter(isLive);
    changed ||= block.phis.length + block.ops.length < before;
  }
  return changed;
}
