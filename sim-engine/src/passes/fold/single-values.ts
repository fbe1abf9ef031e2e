/**
 * Phis and selections that can only be one value: all that comes to them from elsewhere is the same, as what a loop loads again on some
 * ways round leaves them. They are taken to have no value until an operand shows one, so that those around a loop need not wait for
 * each other.
 */
import type { Kernel, Op } from "../../ir/kernel.ts";
import type { Work } from "../../work.ts";
import type { Substitution } from "../edit/substitution.ts";

/** Puts that value in their place. */
export function replaceSingleValues(kernel: Kernel, substitution: Substitution, work: Work): void {
  const choices = kernel.blocks.flatMap(({ phis, ops }) => [...phis, ...ops.filter(({ action }) => action.kind === "select")]);
  /** What each can only be, as far as is known; itself where it may be several. */
  const values = new Map<Op, Op | undefined>(choices.map((op) => [op, undefined]));
  for (let changed = true; changed; ) {
    changed = false;
    for (const op of choices) {
      const before = values.get(op);
      if (before === op) continue;
      work.ask(op.args.length / 4);
      const value = singleOf(op, values);
      if (value === before) continue;
      values.set(op, value);
      changed = true;
    }
  }
  for (const [op, value] of values) if (value !== undefined && value !== op) substitution.replace(op, value);
}

function singleOf(op: Op, values: ReadonlyMap<Op, Op | undefined>): Op | undefined {
  let single: Op | undefined;
  for (const arg of op.action.kind === "select" ? op.args.slice(1) : op.args) {
    const value = values.has(arg) ? values.get(arg) : arg;
    if (value === undefined || value === single) continue;
    if (single !== undefined) return op;
    single = value;
  }
  return single;
}
