/** The last of what is sorted by where it starts that starts at an offset or before; it may end before it, too. */
export function lastUpTo<T>(sorted: readonly T[], offset: number, startOf: (each: T) => number): T | undefined {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (startOf(sorted[middle] as T) <= offset) low = middle + 1;
    else high = middle;
  }
  return sorted[low - 1];
}
