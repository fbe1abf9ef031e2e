/** What a warp's part of a group's matrix product reads of shared memory. */
import { type GroupProduct, groupDepthBytes, groupRows, type Op } from "../ir/kernel.ts";
import type { AccessCounter } from "./accesses.ts";
import type { Running } from "./effects.ts";
import type { Registers, Step } from "./registers.ts";

const wavefrontBytes = 128;

/**
 * Wavefronts of a whole group: each operand once, without conflicts whatever its layout (measured on an H200: 48 for 64 by 128 by 16
 * halves, 16 fewer with A in registers).
 */
const groupWavefronts = ({ columns, aIn }: GroupProduct): number =>
  ((aIn === "shared" ? groupRows : 0) + columns) * (groupDepthBytes / wavefrontBytes);

/** Counts the share of the warp among its group's four. */
export function groupReadsStep(op: Op, product: GroupProduct, registers: Registers, counter: AccessCounter, running: Running): Step {
  const [warp] = op.args;
  const all = groupWavefronts(product);
  const upTo = Array.from({ length: 5 }, (_, warps) => Math.floor((warps * all) / 4));
  const ranks = warp && registers.ints(warp);
  return (o, mask) => {
    const rank = (ranks?.[o] ?? 0) & 3;
    counter.countWhole(mask, upTo[rank + 1]! - upTo[rank]!, running.weight);
  };
}
