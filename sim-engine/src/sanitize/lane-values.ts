/** What operations came to, for a lane of the running warp, where that is computed. */
import type { Program } from "../execute/program.ts";
import { longToNumber } from "../execute/registers.ts";
import type { Op } from "../ir/kernel.ts";

/** @param from where the warp's registers begin; of 64-bit integers beyond 2^53 the nearest number */
export function laneValue({ registers, divergence }: Program, op: Op, from: number, lane: number): number {
  const at = divergence.isVarying(op) ? from + lane : from;
  const slot = registers.slot(op);
  if (slot.kind === "long") return longToNumber(slot.data.lo[at]!, slot.data.hi[at]!);
  return slot.data[at]!;
}
