/** Lines of a text found again in the text that edits made of it. */

interface Line {
  /** 1-based. */
  readonly line: number;
  readonly text: string;
}

/**
 * Which line of before each line is: those that read alike, in their order, as many as there are; of the others, which were written anew,
 * those that stand as far behind the line before them as they did.
 * @returns by the number of a line, the line that it was
 */
export function earlierLines<Before extends Line>(before: readonly Before[], now: readonly Line[]): Map<number, Before> {
  const found = new Map<number, Before>();
  const alike = longestCommon(before, now);
  for (const [was, is] of alike) found.set(is.line, was);
  const taken = new Set(found.values());
  const numbers = new Set(now.map(({ line }) => line));
  for (const was of before) {
    if (taken.has(was)) continue;
    const nearest = alike.findLast(([other]) => other.line < was.line) ?? alike[0];
    const moved = nearest ? nearest[1].line - nearest[0].line : 0;
    const line = was.line + moved;
    if (numbers.has(line) && !found.has(line)) found.set(line, was);
  }
  return found;
}

function longestCommon<Before extends Line>(before: readonly Before[], now: readonly Line[]): (readonly [Before, Line])[] {
  const width = now.length + 1;
  // Of what begins at each pair of lines, how many are alike.
  const lengths = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      lengths[i * width + j] = before[i]?.text === now[j]?.text ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const pairs: (readonly [Before, Line])[] = [];
  for (let i = 0, j = 0; ; ) {
    const [was, is] = [before[i], now[j]];
    if (!was || !is) return pairs;
    if (was.text === is.text) {
      pairs.push([was, is]);
      i++;
      j++;
    } else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
}
