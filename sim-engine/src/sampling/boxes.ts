/** Boxes of the places of a lattice, how they are cut, and places in them. */
import type { Dim3 } from "../ir/kernel.ts";

/** One number for each digit. */
export type Place = readonly number[];

export interface Box {
  readonly low: Place;
  readonly high: Place;
  /** Digits whose rims have been cut off, as bits. */
  readonly peeled: number;
}

/** Up to this many digits all corners of a box are looked at; of more, two opposite ones and the neighbours of the lower. */
const mostCornered = 3;

export const volume = ({ low, high }: Box): number => low.reduce((product, from, k) => product * (high[k]! - from + 1), 1);

export const middle = ({ low, high }: Box): Place => low.map((from, k) => Math.floor((from + high[k]!) / 2));

export function cornersOf({ low, high }: Box): Place[] {
  const long = [...low.keys()].filter((k) => low[k] !== high[k]);
  if (long.length > mostCornered) return [low, ...long.map((k) => low.with(k, high[k]!)), high];
  let corners: Place[] = [low];
  for (const k of long) corners = [...corners, ...corners.map((corner) => corner.with(k, high[k]!))];
  return corners;
}

/** In one dimension: its rims cut off, or, once that is done, its halves. */
export function cutBox({ low, high, peeled }: Box, choice: number): Box[] {
  const part = (from: number, to: number, mark: number): Box => ({
    low: low.with(choice, from),
    high: high.with(choice, to),
    peeled: mark,
  });
  const [from, to] = [low[choice]!, high[choice]!];
  if (!((peeled >> choice) & 1) && to - from > 2) {
    const mark = peeled | (1 << choice);
    return [part(from, from, mark), part(from + 1, to - 1, mark), part(to, to, mark)];
  }
  const half = Math.floor((from + to) / 2);
  return [part(from, half, peeled), part(half + 1, to, peeled)];
}

/** The points, by number, of a sequence that fills a cube of so many dimensions evenly however many are taken, in [0, 1) (Roberts' R sequence). */
export function evenly(dimensions: number): (k: number) => number[] {
  const root = rootFor(dimensions);
  return (k) => Array.from({ length: dimensions }, (_, each) => (0.5 + (k + 1) / root ** (each + 1)) % 1);
}

/** The positive root of x^(d+1) = x + 1. */
function rootFor(dimensions: number): number {
  let root = 2;
  for (let round = 0; round < 50; round++) root = (1 + root) ** (1 / (dimensions + 1));
  return root;
}

/** The place in a box that lies at these shares of its sides, of those longer than 1, in their order. */
export function placeIn({ low, high }: Box, shares: readonly number[]): Place {
  let used = 0;
  return low.map((from, k) => (from === high[k] ? from : from + Math.floor(shares[used++]! * (high[k]! - from + 1))));
}

/** The shares of the place that lies opposite, about the middle. */
export const opposite = (shares: readonly number[]): number[] => shares.map((share) => Math.min(1 - share, 1 - Number.EPSILON));

/** Negative if `a` lies before `b` in the grid: the last digits are the slowest. */
export function orderOf(a: Place, b: Place): number {
  const k = a.findLastIndex((digit, each) => digit !== b[each]);
  return k < 0 ? 0 : a[k]! - b[k]!;
}

/** Sides of a box longer than 1. */
export const dimensionsOf = ({ low, high }: Box): number => low.filter((from, k) => from !== high[k]).length;

/** The block of a linear index, x fastest. */
export function placeOf([nx, ny]: Dim3, index: number): Dim3 {
  return [index % nx, Math.floor(index / nx) % ny, Math.floor(index / (nx * ny))];
}
