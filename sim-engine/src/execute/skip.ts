/**
 * Skipping iterations. In a loop whose values advance steadily all iterations go the same way until some comparison changes
 * its outcome, and cost the same but for alignment, which comes round after a few. So a window of iterations is run; then
 * values are advanced as if many more had passed, to the last place where a window still goes the same way; and the window
 * is counted once for each time it would have run.
 */
import { type LoopSkip, type SkipState, type SteadyValue, warpSize } from "./program.ts";

/** Iterations run before a window is opened. */
export const firstWindow = 4;
/** Iterations that are worth skipping. */
const leastIterations = 16;
export const leastWindows = ({ window }: LoopSkip): number => Math.max(2, Math.ceil(leastIterations / window));

export const newState = (): SkipState => ({ iterations: 0, next: firstWindow, window: undefined, recordStart: 0, likely: 0 });

/** The values of one warp's lanes, i64 in two halves one after the other. */
export function readValues(values: readonly SteadyValue[], o: number): Float64Array[] {
  return values.map(({ slot }) => {
    if (slot.kind === "long") {
      const both = new Float64Array(2 * warpSize);
      both.set(slot.data.lo.subarray(o, o + warpSize));
      both.set(slot.data.hi.subarray(o, o + warpSize), warpSize);
      return both;
    }
    return Float64Array.from(slot.data.subarray(o, o + warpSize));
  });
}

/** Writes what `readValues` gave. */
export function writeValues(values: readonly SteadyValue[], o: number, read: readonly Float64Array[]): void {
  for (const [index, { slot }] of values.entries()) {
    const each = read[index]!;
    if (slot.kind === "long") {
      slot.data.lo.set(each.subarray(0, warpSize), o);
      slot.data.hi.set(each.subarray(warpSize), o);
    } else slot.data.set(each, o);
  }
}

const wide = (lo: number, hi: number): number => hi * 2 ** 32 + (lo >>> 0);

/**
 * Writes what the values will be `windows` windows after `after`, each of which adds what the window from `before` to
 * `after` added. False when a value would leave its type's range, or did not come round: then they do not advance steadily so far.
 */
export function advanceValues(
  values: readonly SteadyValue[],
  o: number,
  mask: number,
  before: readonly Float64Array[],
  after: readonly Float64Array[],
  windows: number,
): boolean {
  for (const [index, { slot, uniform, goesRound }] of values.entries()) {
    const a = before[index];
    const b = after[index];
    if (!a || !b) return false;
    for (let lane = 0; lane < warpSize; lane++) {
      if (!((mask >>> lane) & 1) && !(uniform && lane === 0)) continue;
      if (slot.kind === "long") {
        const last = wide(b[lane]!, b[warpSize + lane]!);
        const step = last - wide(a[lane]!, a[warpSize + lane]!);
        if (goesRound && step !== 0) return false;
        const value = last + windows * step;
        if (!Number.isSafeInteger(value)) return false;
        slot.data.lo[o + lane] = value % 2 ** 32;
        slot.data.hi[o + lane] = Math.floor(value / 2 ** 32);
      } else {
        const last = b[lane]!;
        if (goesRound && last !== a[lane]!) return false;
        const value = last + windows * (last - a[lane]!);
        if (slot.kind === "int" && Math.abs(value) > 0x7fffffff) return false;
        slot.data[o + lane] = value;
      }
    }
  }
  return true;
}
