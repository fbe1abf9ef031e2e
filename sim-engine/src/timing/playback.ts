/**
 * A warp's trace as it is replayed. Where a few iterations of a loop stand for many, they are gone through again and again, so
 * that queues fill as they would; a loop too long for that keeps the rest as weight.
 */
import type { ReplayCode } from "./code.ts";
import type { Repeat, WarpTrace } from "./summary.ts";

/** A trace and how its repeats are gone through. */
export interface Playback {
  readonly trace: WarpTrace;
  /** How many executions each replayed one stands for, by entry; absent where each stands for itself. */
  readonly weights: Float32Array | undefined;
  /** By entry: the first of the repeats that end with it, -1 where none does. */
  readonly ends: Int32Array | undefined;
  /** By repeat, inner ones before outer ones: where it begins, times it is replayed, the next that ends with the same entry (or -1). */
  readonly from: readonly number[];
  readonly times: readonly number[];
  readonly next: readonly number[];
}

/** A loop to be replayed, with those inside it. */
interface Nest extends Repeat {
  readonly inner: Nest[];
}

/** `most`: warp instructions the replay may take, unless the trace itself has more. */
export function playback(trace: WarpTrace, code: ReplayCode, most: number): Playback {
  const { blocks, weights, repeats } = trace;
  const none: Playback = { trace, weights, ends: undefined, from: [], times: [], next: [] };
  if (!repeats || repeats.length === 0 || !weights) return none;
  let instructions = 0;
  for (const block of blocks) instructions += code.length[block]!;
  const room = most / Math.max(1, instructions);
  if (room < 2) return none;
  const rest = Float32Array.from(weights);
  const ends = new Int32Array(blocks.length).fill(-1);
  const [from, times, next]: [number[], number[], number[]] = [[], [], []];
  const unfold = (nest: Nest, factor: number): void => {
    const here = Math.max(1, Math.floor(Math.min(nest.times, factor)));
    for (const inner of nest.inner) unfold(inner, factor / here);
    if (here === 1) return;
    for (let entry = nest.from; entry < nest.to; entry++) rest[entry]! /= here;
    // Those that end here already are inside this one: it comes after them.
    let last = ends[nest.to - 1]!;
    while (last >= 0 && next[last]! >= 0) last = next[last]!;
    if (last >= 0) next[last] = from.length;
    else ends[nest.to - 1] = from.length;
    from.push(nest.from);
    times.push(here);
    next.push(-1);
  };
  for (const nest of nested(repeats)) unfold(nest, room);
  return { trace, weights: rest, ends, from, times, next };
}

/** Repeats by what lies inside what; one that overlaps another without lying inside it is left out. */
function nested(repeats: readonly Repeat[]): Nest[] {
  const outermost: Nest[] = [];
  const open: Nest[] = [];
  for (const repeat of repeats.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    while (open.length > 0 && open[open.length - 1]!.to <= repeat.from) open.pop();
    const around = open[open.length - 1];
    if (repeat.to <= repeat.from || (around && repeat.to > around.to)) continue;
    const nest: Nest = { ...repeat, inner: [] };
    (around ? around.inner : outermost).push(nest);
    open.push(nest);
  }
  return outermost;
}

/** How far each warp of an SM is in what it replays. */
export class Cursors {
  readonly playback: (Playback | undefined)[];
  /** Entry of the trace, and how many executions it stands for. */
  readonly position: Uint32Array;
  readonly weight: Float64Array;
  readonly #code: ReplayCode;
  // The instruction of its block that comes next, and the end of the block.
  readonly #next: Uint32Array;
  readonly #end: Uint32Array;
  /** By slot and repeat: rounds still to go. */
  readonly #left: Uint32Array;
  readonly #repeats: number;

  constructor(slots: number, repeats: number, code: ReplayCode) {
    this.playback = new Array<Playback | undefined>(slots);
    this.position = new Uint32Array(slots);
    this.weight = new Float64Array(slots);
    this.#code = code;
    this.#next = new Uint32Array(slots);
    this.#end = new Uint32Array(slots);
    this.#repeats = repeats;
    this.#left = new Uint32Array(slots * repeats);
  }

  begin(slot: number, playback: Playback): void {
    this.playback[slot] = playback;
    for (let r = 0; r < playback.times.length; r++) this.#left[slot * this.#repeats + r] = playback.times[r]! - 1;
    this.#enter(slot, playback, 0);
  }

  /** Number of the next instruction; -1 when there is none. */
  next(slot: number): number {
    while (this.#next[slot] === this.#end[slot]) {
      const playback = this.playback[slot]!;
      if (this.position[slot]! >= playback.trace.blocks.length) return -1;
      this.#enter(slot, playback, this.#behind(slot, playback));
    }
    return this.#next[slot]!++;
  }

  /** The entry that comes behind the present one: the start of a repeat that is not over, or the next. */
  #behind(slot: number, { ends, from, times, next }: Playback): number {
    const position = this.position[slot]!;
    for (let r = ends?.[position] ?? -1; r >= 0; r = next[r]!) {
      const at = slot * this.#repeats + r;
      if (this.#left[at]! > 0) {
        this.#left[at]!--;
        return from[r]!;
      }
      this.#left[at] = times[r]! - 1;
    }
    return position + 1;
  }

  #enter(slot: number, { trace: { blocks }, weights }: Playback, entry: number): void {
    this.position[slot] = entry;
    this.weight[slot] = weights?.[entry] ?? 1;
    const { start, length } = this.#code;
    const block = blocks[entry];
    this.#next[slot] = block === undefined ? 0 : start[block]!;
    this.#end[slot] = block === undefined ? 0 : start[block]! + length[block]!;
  }
}
