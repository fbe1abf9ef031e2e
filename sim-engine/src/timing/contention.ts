/** Lanes of a warp that want the same address. */
import type { GpuValues } from "../gpus/figures.ts";

/** Cycles that a shared atomic with so many lanes on one address takes longer than with one: as measured, else by what each adds. */
export const sharedContention = ({ sharedAtomicContended, sharedAtomicInterval }: GpuValues, lanes: number): number =>
  contention(sharedAtomicContended, sharedAtomicInterval, lanes);

/** The same of an atomic in the L2. */
export const globalContention = ({ globalAtomicContended, atomicInterval }: GpuValues, lanes: number): number =>
  contention(globalAtomicContended, atomicInterval, lanes);

/** @param measured latencies with 1, 2, 4, 8, 16 and 32 lanes on one address: between them a straight line, and from the last on */
function contention(measured: readonly number[] | undefined, interval: number, lanes: number): number {
  if (lanes <= 1) return 0;
  if (measured === undefined) return (lanes - 1) * interval;
  const above = Math.min(Math.ceil(Math.log2(lanes)), measured.length - 1);
  const [low, high, least] = [measured[above - 1] ?? 0, measured[above] ?? 0, measured[0] ?? 0];
  const share = (lanes - 2 ** (above - 1)) / 2 ** (above - 1);
  return low + share * (high - low) - least;
}
