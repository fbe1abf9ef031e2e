/** What an atomic operation is to the units that do it: which lanes are done as one, and how long one takes. */
import type { Op } from "../ir/kernel.ts";
import { isPure } from "../ir/operations.ts";

/**
 * Whether the compiler sends one operation for all lanes of a warp: 32-bit integer sums, extremes and logic at an address that it
 * can see to be the same for all (a vote and a count, or REDUX).
 */
export function isUnited({ action, type, args }: Op): boolean {
  if (action.kind !== "atomic" || type !== "i32" || !args[0]) return false;
  return /^(add|sub|and|or|xor|min\.[su]|max\.[su])$/.test(action.op) && isSameForAll(args[0], 0);
}

/** Whether a floating-point unit does it, which takes longer than the integer one. */
export function isFloatSum({ action, type }: Op): boolean {
  return action.kind === "atomic" && action.op === "add" && !type.startsWith("i");
}

/** Whether it stores only where memory holds what is expected. */
export const isSwap = ({ action }: Op): boolean => action.kind === "atomic" && action.op === "cas";

/**
 * Bytes that one pass does, where that is less than a sector: two doubles (h200-wide-sums.txt: rows of them take 2.34 cycles a sector, of
 * floats and of integers of 64 bits 1.2).
 */
export const bytesOfPass = (op: Op): number | undefined => (isFloatSum(op) && op.type === "f64" ? 16 : undefined);

/** Arithmetic that an address is looked through. */
const deepest = 16;

/** Whether an address is computed from what all threads of a block have in common. */
function isSameForAll(op: Op, depth: number): boolean {
  const { action } = op;
  if (action.kind === "special") return /^(ctaid|nctaid|ntid)/.test(action.register);
  return depth < deepest && isPure(op) && op.args.every((arg) => isSameForAll(arg, depth + 1));
}
