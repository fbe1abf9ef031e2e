/** Changes to edges that keep predecessors and phi operands right. */
import type { Block, Op } from "../../ir/kernel.ts";

/** Takes one edge away from `to`, and the operands that came along it. The caller changes the terminator of `from`. */
export function removeEdge(from: Block, to: Block): void {
  const index = to.predecessors.indexOf(from);
  if (index < 0) return;
  to.predecessors.splice(index, 1);
  for (const phi of to.phis) phi.args.splice(index, 1);
}

/** Adds an edge whose phi operands `operand` gives. The caller changes the terminator of `from`. */
export function addEdge(from: Block, to: Block, operand: (phi: Op) => Op): void {
  to.predecessors.push(from);
  for (const phi of to.phis) phi.args.push(operand(phi));
}

/** Makes every edge of `from` that went to `old` go to `next`; predecessors are the caller's. */
export function retarget(from: Block, old: Block, next: Block): void {
  const { end } = from;
  if (end.kind === "jump" && end.to === old) end.to = next;
  else if (end.kind === "branch") {
    if (end.then === old) end.then = next;
    if (end.else === old) end.else = next;
  }
}

/** The operand `phi` of `block` takes when coming from `from`. */
export function incoming(block: Block, phi: Op, from: Block): Op | undefined {
  return phi.args[block.predecessors.indexOf(from)];
}
