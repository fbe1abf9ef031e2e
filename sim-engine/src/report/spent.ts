/** Where a launch's time is spent, in the source. */
import type { Op } from "../ir/kernel.ts";
import type { Instruction } from "../machine/machine.ts";
import type { StallShares } from "../timing/index.ts";
import type { LineTable } from "./lines.ts";

/** The launch's instructions, and what share of its warps' time each takes, by its index. */
export interface Spent {
  readonly instructions: readonly Instruction[];
  readonly shares: StallShares;
}

/** Adds to each line the time at its instructions. */
export function addTimes(lines: LineTable, { instructions, shares }: Spent): void {
  for (const [index, { span }] of instructions.entries()) lines.addTime(span, shares.at(index));
}

/** By memory operation, the share of the warps' time that they wait for it: for what it loads, and for its turn. */
export function waitsFor({ instructions, shares }: Spent): ReadonlyMap<Op, number> {
  const found = new Map<Op, number>();
  for (const [index, { op }] of instructions.entries()) if (op) found.set(op, (found.get(op) ?? 0) + shares.causedBy(index));
  return found;
}
