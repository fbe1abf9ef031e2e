/** Blocks whose last warp has lanes that are no threads. */
import { type Program, warpSize } from "../execute/program.ts";
import type { Cause } from "./costs.ts";

/**
 * What is left is as many warps as the threads need, all their lanes busy. Where the SMs hold all blocks at once, fewer warps would not be
 * done sooner: each would wait as long as now.
 * @param blocksAtOnce those that the SMs hold
 */
export function partialWarps({ launch, kernel }: Program, blocksAtOnce: number): Cause[] {
  const [x, y, z] = launch.block;
  const threads = x * y * z;
  const warps = Math.ceil(threads / warpSize);
  if (threads % warpSize === 0 || launch.grid[0] * launch.grid[1] * launch.grid[2] <= blocksAtOnce) return [];
  const share = threads / (warpSize * warps);
  return [{ kind: "partial warps", ops: [], executed: new Map(kernel.blocks.map((block) => [block, share])) }];
}
