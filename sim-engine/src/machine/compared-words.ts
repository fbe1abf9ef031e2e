/**
 * Integers that are the same for all lanes, and that stand in a thread's registers all the same, for a comparison reads them: ISETP has one
 * operand that may be uniform and one that may not, and its result is a predicate of the thread's, as branches and what runs under predicates
 * want it. None of 60 kernels whose counter and bound are the same for all threads compares on the datapath of the warp (UISETP;
 * validation/compiler/comparedWords.json).
 */
import { isConstant } from "../ir/constants.ts";
import type { Op } from "../ir/kernel.ts";
import { isLeaf } from "../ir/operations.ts";
import type { Shape } from "./shape.ts";

/** Numbers of 32 bits that stand in a thread's registers, parameters among them. */
export function findComparedWords(shape: Shape): Set<Op> {
  const found = new Set<Op>();
  const pending: Op[] = [];
  for (const { ops } of shape.kernel.blocks)
    for (const op of ops) {
      shape.work.ask(1);
      const [a, b] = op.args;
      if (op.action.kind === "icmp" && a?.type === "i32" && b) pending.push(...readByThreads(shape, op, a, b));
    }
  for (let op = pending.pop(); op; op = pending.pop()) {
    shape.work.ask(1);
    if (found.has(op) || isConstant(op)) continue;
    found.add(op);
    // A counter is counted where it stands.
    if (op.action.kind === "phi") pending.push(...op.args.filter((arg) => !isLeaf(arg)));
    else pending.push(...op.args.filter(({ action }) => action.kind === "phi"));
  }
  return found;
}

/** Of a comparison's operands that are the same for all lanes, those that stand in a thread's registers. */
function readByThreads(shape: Shape, comparison: Op, a: Op, b: Op): readonly Op[] {
  const uniform = [a, b].filter((each) => !isConstant(each) && shape.isUniform(each));
  // Beside a thread's own number the other is read as it is.
  if (uniform.length < 2) return isConstant(a) || isConstant(b) ? uniform : [];
  return [isKept(shape, comparison, a) ? a : isKept(shape, comparison, b) ? b : a];
}

/** The loop around the comparison does not change it. */
function isKept(shape: Shape, comparison: Op, value: Op): boolean {
  const at = shape.home(comparison);
  const loop = at && shape.loopOf(at);
  const home = shape.home(value);
  return loop !== undefined && (home === undefined || !loop.blocks.has(home));
}
