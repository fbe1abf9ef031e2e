/**
 * Which block comes to the last elements of what a grid goes through turn by turn: that is none of the grid's corners, as a rule. Told by
 * the indices that the first threads of the grid's first and last block compare with the bound.
 */
import type { Dim3, Op } from "../ir/kernel.ts";

/** The indices of a block's first thread, turn by turn: the first two. */
interface Turns {
  readonly first: number;
  second: number | undefined;
}

interface Seen {
  readonly first: Map<number, Turns>;
  limit: number;
}

/** Blocks that are told at most. */
const mostBlocks = 2;

export class LastElements {
  readonly #blocks: number;
  readonly #guards = new Map<Op, Seen>();

  /** @param grid its blocks along x are looked at */
  constructor([blocks]: Dim3) {
    this.#blocks = blocks;
  }

  /** The first thread of a block compares an index; @param limit the least that does not pass */
  compares(guard: Op, [x, y, z]: Dim3, index: number, limit: number): void {
    if (y !== 0 || z !== 0) return;
    const seen = this.#guards.get(guard) ?? { first: new Map<number, Turns>(), limit };
    this.#guards.set(guard, seen);
    seen.limit = limit;
    const turns = seen.first.get(x);
    if (turns === undefined) seen.first.set(x, { first: index, second: undefined });
    else turns.second ??= index;
  }

  get blocks(): readonly Dim3[] {
    const last = this.#blocks - 1;
    const found = new Set<number>();
    for (const { first, limit } of this.#guards.values()) {
      const [start, end] = [first.get(0), first.get(last)];
      if (!start || !end || start.second === undefined) continue;
      const [step, each] = [start.second - start.first, (end.first - start.first) / last];
      // Each block's part follows the one before it, and a turn goes on behind the last one's.
      if (!(each > 0) || step !== each * this.#blocks) continue;
      const block = Math.floor(((limit - 1 - start.first) % step) / each);
      if (block > 0 && block < last) found.add(block);
    }
    return [...found].slice(0, mostBlocks).map((x): Dim3 => [x, 0, 0]);
  }
}
