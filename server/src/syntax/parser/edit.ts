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

/** Characters between two differences from which on they are told apart: what stands between them is not parsed again. */
const apart = 16;

/**
 * All replacements that turn a text into another one of the same length, in their order, none nearer to the next than a few
 * characters; one replacement where the lengths differ.
 */
export function differencesBetween(before: string, after: string): TextEdit[] {
  const whole = differenceBetween(before, after);
  if (!whole || before.length !== after.length) return whole ? [whole] : [];
  const found: TextEdit[] = [];
  for (let start = whole.start; start < whole.oldEnd; ) {
    let end = start + 1;
    for (let at = end; at < whole.oldEnd && at - end < apart; at++) if (before.charCodeAt(at) !== after.charCodeAt(at)) end = at + 1;
    found.push({ start, oldEnd: end, newEnd: end });
    start = end + apart;
    while (start < whole.oldEnd && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  }
  return found;
}

/** How much of `length` is the same, counted from its one end, by ever smaller stretches: a stretch is compared far faster than its characters. */
function commonLength(length: number, isSame: (from: number, to: number) => boolean): number {
  let common = 0;
  for (let stretch = 1 << Math.max(0, 31 - Math.clz32(length)); stretch >= 1; stretch >>= 1)
    if (common + stretch <= length && isSame(common, common + stretch)) common += stretch;
  return common;
}

/** Rows and columns (UTF-16) of offsets that rise. */
export function pointsIn(text: string): (offset: number) => { row: number; column: number } {
  let row = 0;
  let lineStart = 0;
  let next = text.indexOf("\n");
  return (offset) => {
    for (; next >= 0 && next < offset; next = text.indexOf("\n", lineStart)) {
      row++;
      lineStart = next + 1;
    }
    return { row, column: offset - lineStart };
  };
}
