/** Windows of a loop run to see whether they go the way of one before. */
import type { LoopSkip } from "./program.ts";

/** What stands on a path in the place of a block: windows an inner loop skipped, lanes for which a comparison held. */
export const skipMark = -1;
export const comparisonMark = -2;

export interface Trial {
  readonly skip: LoopSkip;
  /** Arrivals at the header until the window is over. */
  arrivals: number;
  readonly path: readonly number[];
  /** How much of the path was gone the same way; -1 when it was left. */
  at: number;
  same: boolean;
}

/** The trial goes on along its path. */
export function follows(trial: Trial, block: number, mask: number): boolean {
  const { at, path } = trial;
  trial.at = at >= 0 && path[at] === block && path[at + 1] === mask ? at + 2 : -1;
  return trial.at >= 0;
}

/** The loop's header was reached as often as there were iterations, each time by the same lanes. */
export function sameLanes(path: readonly number[], header: number, mask: number, iterations: number): boolean {
  let arrivals = 0;
  for (let k = 0; k < path.length; k += 2) {
    if (path[k] !== header) continue;
    if (path[k + 1] !== mask) return false;
    arrivals++;
  }
  return arrivals === iterations;
}
