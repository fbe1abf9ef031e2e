/** What a buffer holds in a few words, from the elements that a sample of a launch's blocks stored. */
import type { LazyMemory } from "../execute/memory.ts";
import { type Content, type ScalarType, scalarBytes } from "../ir/kernel.ts";

const mostElements = 4096;

/** @param before what elements that are not stored hold */
export function summarise(memory: LazyMemory, element: ScalarType, before: Content): Content {
  const size = scalarBytes[element];
  const offsets: number[] = [];
  const values: number[] = [];
  for (const offset of memory.written(size)) {
    const value = Number(memory.read(offset, element));
    if (!Number.isFinite(value)) continue;
    offsets.push(offset / size);
    values.push(value);
    if (values.length >= mostElements) break;
  }
  const [first] = values;
  if (first === undefined) return before;
  const [lo, hi] = values.reduce<[number, number]>(
    ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
    [first, first],
  );
  if (lo === hi) return plain(before) === undefined || plain(before) === lo ? exactly(lo) : between(lo, lo, before, element);
  const slope = (values.at(-1)! - first) / ((offsets.at(-1) ?? 1) - (offsets[0] ?? 0));
  if (values.length > 2 && values.every((value, k) => value === first + slope * (offsets[k]! - offsets[0]!)))
    return { kind: "linear", stride: slope, start: first - slope * offsets[0]! };
  return between(lo, hi, before, element);
}

const exactly = (value: number): Content => (value === 0 ? { kind: "zero" } : { kind: "constant", value });

/** The one value that a content consists of. */
function plain(content: Content): number | undefined {
  return content.kind === "zero" ? 0 : content.kind === "constant" ? content.value : undefined;
}

function between(lo: number, hi: number, before: Content, element: ScalarType): Content {
  const other = plain(before);
  const [least, most] = other === undefined ? [lo, hi] : [Math.min(lo, other), Math.max(hi, other)];
  return { kind: "uniform", lo: least, hi: /^(f|bf)/.test(element) ? most : most + 1 };
}
