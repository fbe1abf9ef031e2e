/** Values that are the same for all threads of a block, or of a launch: who stores such a value twice changes nothing. */
import type { Op } from "../ir/kernel.ts";

/**
 * Whether all that a value is made of is the same among these threads.
 * @param changes whether the kernel writes to what an address may point into: then each may find something else there
 */
export function isAlike(value: Op, among: "block" | "launch", changes: (address: Op) => boolean): boolean {
  return everySource(value, (op) => {
    const { action } = op;
    switch (action.kind) {
      case "const":
      case "param":
      case "param.address":
      case "shared.address":
      case "global.address":
        return true;
      case "special":
        return among === "block" ? /^(ntid|ctaid|nctaid|cluster)/.test(action.register) : /^(ntid|nctaid)/.test(action.register);
      case "load":
        // Between two barriers a place in shared memory holds one value for all, or else there is a race of its own to tell.
        return (
          /^(param|constant)$/.test(action.space) ||
          (action.space === "shared" && among === "block") ||
          (action.space === "global" && op.args[0] !== undefined && !changes(op.args[0]))
        );
      default:
        return /^(int|float|fma|icmp|fcmp|select|convert|math|gep|extract)$/.test(action.kind);
    }
  });
}

/** Whether the block's index takes part in a value, through arithmetic and the addresses of loads; what goes through memory is not seen. */
export const dependsOnBlock = (value: Op): boolean =>
  !everySource(value, ({ action }) => !(action.kind === "special" && action.register.startsWith("ctaid")));

/** Whether global memory takes part in a value. */
export const goesByData = (value: Op): boolean =>
  !everySource(value, ({ action }) => !(action.kind === "load" && action.space !== "local"));

/** Whether it holds for a value and all that it is made of. Without recursion: sums have thousands of terms. */
function everySource(value: Op, holds: (op: Op) => boolean): boolean {
  const seen = new Set<Op>([value]);
  for (const op of seen) {
    if (!holds(op)) return false;
    for (const arg of op.args) seen.add(arg);
  }
  return true;
}
