/** How the blocks of a launch come onto the SMs: as many at once as these hold, wave after wave. */
import type { LaunchReport } from "@warplens/server/protocol";

export interface Waves {
  readonly blocks: number;
  readonly multiprocessors: number;
  /** Blocks that an SM holds, and all of them together. */
  readonly perSm: number;
  readonly atOnce: number;
  readonly count: number;
  /** Blocks of the last wave, 1 to `atOnce`. */
  readonly last: number;
}

/** Undefined where no block fits on an SM, or it is not known how many SMs there are. */
export function wavesOf({ grid, occupancy: { blocksPerSm } }: LaunchReport, multiprocessors: number | undefined): Waves | undefined {
  if (multiprocessors === undefined || !(blocksPerSm > 0)) return undefined;
  const blocks = grid[0] * grid[1] * grid[2];
  const atOnce = blocksPerSm * multiprocessors;
  const count = Math.ceil(blocks / atOnce);
  return { blocks, multiprocessors, perSm: blocksPerSm, atOnce, count, last: blocks - (count - 1) * atOnce };
}

/** Blocks of a wave, from 0 on. */
export const blocksOf = ({ count, atOnce, last }: Waves, wave: number): number => (wave < count - 1 ? atOnce : last);

/** Blocks that an SM holds in a wave, where they are dealt out one by one: SMs differ by one at most. */
export function blocksOn(waves: Waves, wave: number, sm: number): number {
  const blocks = blocksOf(waves, wave);
  return Math.floor(blocks / waves.multiprocessors) + (sm < blocks % waves.multiprocessors ? 1 : 0);
}
