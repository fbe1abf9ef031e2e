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
  const several = new Set<Op>();
  for (let round = 0; round < mostRounds; round++) {
    const values = onlyValues(choices, several, work);
    const heldBy = (arg: Op): Op | undefined => (values.has(arg) ? values.get(arg) : arg);
    const before = several.size;
    for (const op of choices)
      if (!several.has(op) && chosen(op).some((arg) => heldBy(arg) !== undefined && heldBy(arg) !== values.get(op))) several.add(op);
    if (several.size > before) continue;
    for (const [op, value] of values) if (value !== undefined && value !== op) substitution.replace(op, value);
    return;
  }
}

/** In each at least one more is found to be several values; of nests deeper than that nothing is replaced. */
const mostRounds = 16;

const chosen = ({ action, args }: Op): readonly Op[] => (action.kind === "select" ? args.slice(1) : args);

/** What each can only be if it is one value: the first that comes to it, itself where it is known to be several, undefined where none comes. */
function onlyValues(choices: readonly Op[], several: ReadonlySet<Op>, work: Work): Map<Op, Op | undefined> {
  const values = new Map<Op, Op | undefined>(choices.map((op) => [op, several.has(op) ? op : undefined]));
  for (let changed = true; changed; ) {
    changed = false;
    for (const op of choices) {
      if (values.get(op) !== undefined) continue;
      work.ask(op.args.length / 4);
      for (const arg of chosen(op)) {
        const value = values.has(arg) ? values.get(arg) : arg;
        if (value === undefined) continue;
        values.set(op, value);
        changed = true;
        break;
      }
    }
  }
  return values;
}
