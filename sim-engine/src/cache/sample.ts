/** Which blocks to log, and which part each plays in the estimate. */
import type { Dim3 } from "../ir/kernel.ts";

/** Blocks after which what a block does may begin anew, by direction of the grid: see `Variation.rounds`. */
export type Rounds = readonly [x: readonly number[], y: readonly number[], z: readonly number[]];

const noRounds: Rounds = [[], [], []];

/** Blocks that stand equally far from each other along one direction, to tell how much they share. Linear indices. */
export interface Step {
  /** In blocks of that direction. */
  readonly distance: number;
  readonly pairs: readonly (readonly [from: number, to: number])[];
}

export interface LogPlan {
  /** The block everything is told from: in the middle of the grid. */
  readonly middle: number;
  /** Along x, y and z, where the grid extends: the next block first, then blocks farther away. */
  readonly steps: readonly [x: readonly Step[], y: readonly Step[], z: readonly Step[]];
  /** Blocks that share its SM, itself first. */
  readonly resident: readonly number[];
}

/** Distances that are looked at along one direction, beyond the next block. */
const mostRounds = 5;

export function planLogs(grid: Dim3, blocksPerSm: number, smCount: number, rounds: Rounds = noRounds): LogPlan {
  const [gx, gy, gz] = grid;
  const total = gx * gy * gz;
  const [x, y, z] = grid.map((size) => Math.floor((size - 1) / 2)) as [number, number, number];
  const middle = x + gx * (y + gy * z);
  const stepsAlong = (size: number, place: number, stride: number, round: readonly number[]): Step[] => {
    if (size === 1) return [];
    const at = (k: number): number => middle + (k - place) * stride;
    // Those before it: blocks that have nothing to do stand at a grid's far end.
    const before = (distance: number): (readonly [number, number])[] => (place >= distance ? [[middle, at(place - distance)]] : []);
    const after = (distance: number): (readonly [number, number])[] => (place + distance < size ? [[middle, at(place + distance)]] : []);
    const farther = distancesOf(round, size);
    const next = farther.length > 0 || place === 0 ? [...before(1), ...after(1)] : before(1);
    return [
      { distance: 1, pairs: next },
      ...farther.map((distance): Step => {
        const pairs = [...before(distance), ...after(distance)];
        return { distance, pairs: pairs.length > 0 ? pairs : [[at(0), at(distance)]] };
      }),
    ];
  };
  // Blocks are dealt to the SMs in turn: an SM holds every smCount-th.
  const resident = [middle];
  for (let i = 1; resident.length < blocksPerSm && i < 2 * blocksPerSm; i++) {
    const [after, before] = [middle + i * smCount, middle - i * smCount];
    if (after < total) resident.push(after);
    if (before >= 0 && resident.length < blocksPerSm) resident.push(before);
  }
  // Where the grid ends this SM may have fewer than most do: others stand for those that it lacks.
  const most = Math.min(blocksPerSm, Math.round(total / smCount));
  for (let k = 0; resident.length < most && k < 2 * most; k++) {
    const other = (middle + Math.floor((k + 0.5) * smCount)) % total;
    if (!resident.includes(other)) resident.push(other);
  }
  return {
    middle,
    steps: [stepsAlong(gx, x, 1, rounds[0]), stepsAlong(gy, y, gx, rounds[1]), stepsAlong(gz, z, gx * gy, rounds[2])],
    resident,
  };
}

/** Divisions may follow each other: rounds of rounds are looked at as well. The shortest, ascending, between 1 and `size`. */
function distancesOf(rounds: readonly number[], size: number): number[] {
  const all = new Set<number>();
  for (const [k, a] of rounds.entries()) for (const b of [1, ...rounds.slice(k + 1)]) all.add(a * b);
  return [...all]
    .filter((distance) => distance > 1 && distance < size)
    .sort((a, b) => a - b)
    .slice(0, mostRounds);
}

/**
 * The blocks to execute with their accesses logged, the most telling first: whoever must stop early keeps the head of the list.
 * At most `limit`.
 */
export function blocksToLog(grid: Dim3, blocksPerSm: number, smCount: number, limit = 12): number[] {
  const { middle, steps, resident } = planLogs(grid, blocksPerSm, smCount);
  return [...new Set([middle, ...blocksOf(steps), ...resident])].slice(0, limit);
}

/** The blocks of all pairs, each once. */
export const blocksOf = (steps: LogPlan["steps"]): number[] => [
  ...new Set(steps.flatMap((along) => along.flatMap(({ pairs }) => pairs.flat()))),
];
