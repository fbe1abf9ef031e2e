/** One replacement that turns an old text into a new one. Offsets are UTF-16. */
export interface TextEdit {
  readonly start: number;
  readonly oldEnd: number;
  readonly newEnd: number;
}

/** The smallest single replacement between two texts, by common prefix and suffix; undefined when they are equal. */
export function differenceBetween(before: string, after: string): TextEdit | undefined {
  if (before === after) return undefined;
  const shortest = Math.min(before.length, after.length);
  const start = commonLength(shortest, (from, to) => before.slice(from, to) === after.slice(from, to));
  const suffix = commonLength(
    shortest - start,
    (from, to) => before.slice(before.length - to, before.length - from) === after.slice(after.length - to, after.length - from),
  );
  return { start, oldEnd: before.length - suffix, newEnd: after.length - suffix };
}

/** How much of `length` is the same, counted from its one end, by ever smaller stretches: a stretch is compared far faster than its characters. */
function commonLength(length: number, isSame: (from: number, to: number) => boolean): number {
  let common = 0;
  for (let stretch = 1 << Math.max(0, 31 - Math.clz32(length)); stretch >= 1; stretch >>= 1)
    if (common + stretch <= length && isSame(common, common + stretch)) common += stretch;
  return common;
}

/** Row and column (UTF-16) of an offset. */
export function pointAt(text: string, offset: number): { row: number; column: number } {
  let row = 0;
  let lineStart = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) {
    row++;
    lineStart = at + 1;
  }
  return { row, column: offset - lineStart };
}
