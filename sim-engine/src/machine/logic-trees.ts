/**
 * `LOP3` computes any function of three words, so a tree of and, or and xor with at most three different inputs is one instruction.
 * What several trees share is computed by each of them, where all that want it can.
 */

import { intConstant, isConstant } from "../ir/constants.ts";
import type { Op } from "../ir/kernel.ts";
import type { Shape } from "./shape.ts";

/** An instruction has three inputs, one of which may be a constant. */
const inputLimit = 3;
/** On the way to three there may be more, which meet further back: `(a & b) ^ (a & c) ^ (b & c)` has four. */
const spareInputs = 1;
/** Operations one instruction is tried to cover. */
const searchDepth = 6;

/** The operations that need no instruction, since every instruction that wants their value computes it itself. */
export function coveredLogic(shape: Shape): ReadonlySet<Op> {
  const covered = new Set<Op>();
  /** The instructions that make an operation, and what each covers. */
  const madeBy = new Map<Op, readonly Op[]>();
  const covers = new Map<Op, ReadonlySet<Op>>();
  for (const block of shape.kernel.blocks) {
    for (const op of block.ops.toReversed()) {
      if (!isLogic(op)) continue;
      const users = shape.users(op);
      const makers = [...new Set(users.flatMap((user) => (shape.home(user) === block ? (madeBy.get(user) ?? []) : [])))];
      const everyUser = users.every((user) => isLogic(user) && shape.home(user) === block);
      if (everyUser && makers.length > 0 && !shape.isCondition(op) && makers.every((maker) => covers.get(maker)?.has(op))) {
        covered.add(op);
        madeBy.set(op, makers);
      } else {
        madeBy.set(op, [op]);
        covers.set(op, largestTree(shape, op));
      }
    }
  }
  return covered;
}

const isLogic = ({ action, type }: Op): boolean =>
  action.kind === "int" && (action.op === "and" || action.op === "or" || action.op === "xor") && (type === "i32" || type === "i64");

/** The most operations behind `root` that one instruction can do with it. */
function largestTree(shape: Shape, root: Op): ReadonlySet<Op> {
  let best: ReadonlySet<Op> = new Set();
  const grow = (inner: ReadonlySet<Op>, inputs: readonly Op[], tried: ReadonlySet<Op>): void => {
    shape.work.ask(2);
    if (inner.size > best.size && fits(inputs, inputLimit)) best = inner;
    if (inner.size >= searchDepth || !fits(inputs, inputLimit + spareInputs)) return;
    const before = new Set(tried);
    for (const input of inputs) {
      // Each set of operations is reached in one order only.
      if (before.has(input) || !isLogic(input) || input.type !== root.type || shape.home(input) !== shape.home(root)) continue;
      before.add(input);
      const others = inputs.filter((each) => each !== input);
      grow(new Set([...inner, input]), [...new Set([...others, ...input.args])], before);
    }
  };
  grow(new Set(), [...new Set(root.args)], new Set());
  return best;
}

function fits(inputs: readonly Op[], limit: number): boolean {
  // To invert costs nothing.
  const wanted = inputs.filter((input) => intConstant(input) !== -1);
  return wanted.length <= limit && wanted.filter(isConstant).length <= 1;
}
