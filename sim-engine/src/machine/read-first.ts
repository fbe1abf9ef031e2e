/** Operations that read a value moved ahead of the one that takes its register, as the compiler issues them. */
import type { Block, Op } from "../ir/kernel.ts";
import { isPure } from "../ir/operations.ts";
import type { Work } from "../work.ts";
import type { Displacement } from "./phis.ts";

/**
 * The operations of a block in an order in which each value is read before its register is taken. Where what reads it waits for memory that
 * is accessed later, they stay where they are.
 * @param isPartOfOther whether an operation is done by the instruction of the one that reads it
 */
export function readFirst(
  { ops }: Block,
  displacements: readonly Displacement[],
  isPartOfOther: (op: Op) => boolean,
  work: Work,
): readonly Op[] {
  let order: readonly Op[] = ops;
  for (const displacement of displacements) {
    work.ask(order.length / 4);
    order = moved(order, displacement, isPartOfOther) ?? order;
  }
  return order;
}

function moved(order: readonly Op[], { value, by }: Displacement, isPartOfOther: (op: Op) => boolean): readonly Op[] | undefined {
  const at = order.indexOf(by);
  if (at < 0) return undefined;
  const later = order.slice(at + 1);
  const read = new Set([value]);
  const ahead = new Set<Op>();
  for (const op of later) {
    if (!op.args.some((arg) => read.has(arg))) continue;
    if (isPartOfOther(op)) read.add(op);
    ahead.add(op);
  }
  if (ahead.size === 0) return undefined;
  // With what they are computed from.
  const own = new Set(later);
  for (const op of ahead) {
    if (op === by || !isPure(op)) return undefined;
    for (const arg of op.args) if (own.has(arg) || arg === by) ahead.add(arg);
  }
  return [...order.slice(0, at), ...later.filter((op) => ahead.has(op)), by, ...later.filter((op) => !ahead.has(op))];
}
