/** Boxes of cells of a grid, how they are cut, and places in it. */
import type { Dim3 } from "../ir/kernel.ts";

export interface Box {
  readonly low: Dim3;
  readonly high: Dim3;
  /** Dimensions whose rims have been cut off. */
  readonly peeled: number;
}

export const volume = ({ low, high }: Box): number => (high[0] - low[0] + 1) * (high[1] - low[1] + 1) * (high[2] - low[2] + 1);

export const middle = ({ low, high }: Box): Dim3 =>
  [0, 1, 2].map((k) => Math.floor(((low[k] ?? 0) + (high[k] ?? 0)) / 2)) as unknown as Dim3;

const replaced = (place: Dim3, k: number, value: number): Dim3 =>
  place.map((each, index) => (index === k ? value : each)) as unknown as Dim3;

export function cornersOf({ low, high }: Box): Dim3[] {
  const corners: Dim3[] = [];
  const ends = (k: number): number[] => (low[k] === high[k] ? [low[k] ?? 0] : [low[k] ?? 0, high[k] ?? 0]);
  for (const z of ends(2)) for (const y of ends(1)) for (const x of ends(0)) corners.push([x, y, z]);
  return corners;
}

/** In one dimension: its rims cut off, or, once that is done, its halves. */
export function cutBox({ low, high, peeled }: Box, choice: number): Box[] {
  const part = (from: number, to: number, mark: number): Box => ({
    low: replaced(low, choice, from),
    high: replaced(high, choice, to),
    peeled: mark,
  });
  const [from, to] = [low[choice] ?? 0, high[choice] ?? 0];
  if (!((peeled >> choice) & 1) && to - from > 2) {
    const mark = peeled | (1 << choice);
    return [part(from, from, mark), part(from + 1, to - 1, mark), part(to, to, mark)];
  }
  const half = Math.floor((from + to) / 2);
  return [part(from, half, peeled), part(half + 1, to, peeled)];
}

/** The k-th point of a sequence that fills a grid evenly however many are taken (Roberts' R sequence). */
export function evenly(grid: Dim3, k: number): Dim3 {
  const dimensions = grid.filter((length) => length > 1).length;
  // The positive root of x^(d+1) = x + 1.
  const root = [1.618033988749895, 1.618033988749895, 1.324717957244746, 1.2207440846057596][dimensions] ?? 1;
  let power = 1;
  return grid.map((length) => {
    if (length === 1) return 0;
    power /= root;
    return Math.floor(((0.5 + (k + 1) * power) % 1) * length);
  }) as unknown as Dim3;
}

/** The block of a linear index, x fastest. */
export function placeOf([nx, ny]: Dim3, index: number): Dim3 {
  return [index % nx, Math.floor(index / nx) % ny, Math.floor(index / (nx * ny))];
}
