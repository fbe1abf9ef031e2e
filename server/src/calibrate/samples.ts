/** Samples of a figure, and what is made of them. */

/** By name, in the order they were measured. */
export type Samples = ReadonlyMap<string, readonly number[]>;

/** The lines that hold a number. */
export function samplesOf(lines: readonly (readonly [name: string, value: string])[]): Samples {
  const found = new Map<string, number[]>();
  for (const [name, text] of lines) {
    const value = Number(text);
    if (Number.isFinite(value)) found.set(name, [...(found.get(name) ?? []), value]);
  }
  return found;
}

/** The middle one of the samples, and how far the farthest lies from it, as a share of it. There is one sample or more. */
export function summarise(samples: readonly number[]): { readonly value: number; readonly error: number } {
  const sorted = [...samples].sort((a, b) => a - b);
  const value = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const farthest = Math.max(...sorted.map((sample) => Math.abs(sample - value)));
  return { value, error: farthest === 0 ? 0 : farthest / Math.abs(value) };
}
