/** Characters of a word that may be misspelt: the comparison costs their square. */
const longest = 100;

/** "Did you mean": the known word nearest to a misspelt one, by edits. Undefined when none is near. */
export function suggest(word: string, known: readonly string[]): string | undefined {
  if (word.length > longest) return undefined;
  const limit = Math.max(1, Math.floor(word.length / 3));
  let best: { word: string; distance: number } | undefined;
  for (const candidate of known) {
    if (candidate.length > longest) continue;
    // So many letters must be put in, or taken out.
    if (Math.abs(candidate.length - word.length) > limit && !candidate.startsWith(word)) continue;
    const distance = candidate.startsWith(word) && word !== "" ? 1 : editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance <= limit && (!best || distance < best.distance)) best = { word: candidate, distance };
  }
  return best?.word;
}

/** Insertions, deletions, replacements, and exchanges of neighbours. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const exchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? 0) + 1 : replaced;
      row.push(Math.min(replaced, exchanged, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    before = previous;
    previous = row;
  }
  return previous[b.length] ?? 0;
}
