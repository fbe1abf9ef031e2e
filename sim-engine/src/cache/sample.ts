/** Which blocks to log, and which part each plays in the estimate. */
import type { Dim3 } from "../ir/kernel.ts";

export interface LogPlan {
  /** The block everything is told from: in the middle of the grid. */
  readonly middle: number;
  /** Its neighbours along x, y and z, where the grid extends. */
  readonly neighbours: readonly (number | undefined)[];
  /** Blocks that share its SM, itself first. */
  readonly resident: readonly number[];
}

export function planLogs(grid: Dim3, blocksPerSm: number, smCount: number): LogPlan {
  const [gx, gy, gz] = grid;
  const total = gx * gy * gz;
  const [x, y, z] = grid.map((size) => Math.floor((size - 1) / 2)) as [number, number, number];
  const middle = x + gx * (y + gy * z);
  // Those before it: blocks that have nothing to do stand at a grid's far end.
  const neighbour = (size: number, place: number, stride: number): number | undefined =>
    size > 1 ? middle + (place > 0 ? -stride : stride) : undefined;
  const neighbours = [neighbour(gx, x, 1), neighbour(gy, y, gx), neighbour(gz, z, gx * gy)];
  // Blocks are dealt to the SMs in turn: an SM holds every smCount-th.
  const resident = [middle];
  for (let i = 1; resident.length < blocksPerSm && i < 2 * blocksPerSm; i++) {
    const [after, before] = [middle + i * smCount, middle - i * smCount];
    if (after < total) resident.push(after);
    if (before >= 0 && resident.length < blocksPerSm) resident.push(before);
  }
  return { middle, neighbours, resident };
}

/**
 * The blocks to execute with their accesses logged, the most telling first: whoever must stop early keeps the head of the list.
 * At most `limit`.
 */
export function blocksToLog(grid: Dim3, blocksPerSm: number, smCount: number, limit = 12): number[] {
  const { middle, neighbours, resident } = planLogs(grid, blocksPerSm, smCount);
  const blocks = [middle, ...neighbours.filter((block) => block !== undefined), ...resident];
  return [...new Set(blocks)].slice(0, limit);
}
