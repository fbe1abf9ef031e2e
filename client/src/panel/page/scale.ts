/** Axes: where values lie on them, and at which a tick stands. */

/** The least of 1, 2, 2.5, 5 times a power of ten that is at least so much. */
export function niceAbove(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  // Sums of tenths are not exact.
  return ([1, 2, 2.5, 5, 10].find((step) => step * power >= value * (1 - 1e-9)) ?? 10) * power;
}

/** From 0 to above the largest value, in two to five steps of a round number. */
export function linearTicks(largest: number): number[] {
  const step = niceAbove(largest / 4);
  const count = Math.max(1, Math.ceil((largest / step) * (1 - 1e-9)));
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

/** Multiples of a power of two between two values, with both ends: at most so many steps. */
export function binaryTicks(from: number, to: number, most = 4): number[] {
  const step = 2 ** Math.ceil(Math.log2(Math.max(1, (to - from) / most)));
  const first = Math.floor(from / step) + 1;
  const between = Array.from({ length: Math.max(0, Math.ceil(to / step) - first) }, (_, index) => (first + index) * step);
  return to > from ? [from, ...between, to] : [from];
}

/** Powers of a base from the one below the least to the one above the largest. */
export function logTicks(least: number, largest: number, base = 10): number[] {
  const log = (value: number): number => Math.log(value) / Math.log(base);
  const [from, to] = [Math.floor(log(least) + 1e-9), Math.ceil(log(largest) - 1e-9)];
  return Array.from({ length: to - from + 1 }, (_, index) => base ** (from + index));
}

/** Where a value lies between two others by its logarithm, 0 to 1. */
export const logShare = (value: number, from: number, to: number): number =>
  to > from ? (Math.log(value) - Math.log(from)) / (Math.log(to) - Math.log(from)) : 0.5;

/** Those of values at rising positions that stand at least so far apart, the first one and as many as there is room for. */
export function apart<T>(values: readonly T[], at: (value: T) => number, least: number): T[] {
  const kept: T[] = [];
  for (const value of values) {
    const last = kept.at(-1);
    if (last === undefined || at(value) - at(last) >= least) kept.push(value);
  }
  return kept;
}
