/** Arrays of a thread's own that become values when a loop is unrolled. */
import type { Loop } from "../../ir/graph.ts";
import type { Op } from "../../ir/kernel.ts";
import { isPure } from "../../ir/operations.ts";
import { answerOf } from "../../ir/origins.ts";

/** Whether what changes from turn to turn chooses elements of an array of the thread's own. */
export function indexesLocalArray(loop: Loop): boolean {
  const counted = new Map<Op, boolean>();
  const isCounted = (index: Op): boolean =>
    // Loops of values go through phis, which end the search.
    answerOf(
      index,
      counted,
      false,
      (op) => (isPure(op) ? op.args : []),
      (op) => loop.header.phis.includes(op) || (isPure(op) && op.args.some((arg) => counted.get(arg) === true)),
    );
  for (const block of loop.blocks)
    for (const { action, args } of block.ops) {
      const [base, index] = args;
      if (action.kind === "gep" && base && index && isLocalArray(base) && isCounted(index)) return true;
    }
  return false;
}

function isLocalArray(pointer: Op): boolean {
  let object = pointer;
  while (object.action.kind === "gep" && object.args[0]) object = object.args[0];
  return object.action.kind === "alloca";
}
