import type { SimulatedLaunch } from "../rule.ts";

/** SMs of the GPU, from the waves that the blocks come in. */
export function smsOf({ report: { grid, occupancy } }: SimulatedLaunch): number | undefined {
  const { blocksPerSm, wavesPerSm } = occupancy;
  return blocksPerSm > 0 && wavesPerSm > 0 ? Math.round((grid[0] * grid[1] * grid[2]) / (wavesPerSm * blocksPerSm)) : undefined;
}
