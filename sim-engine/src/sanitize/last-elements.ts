/**
 * Which blocks come to the last elements of what a grid goes through: turn by turn, or with blocks to spare behind them, that is none of
 * the grid's corners. Told by the indices that the first threads of the grid's first and last blocks compare with the bound.
 */
import type { Dim3, Op } from "../ir/kernel.ts";

/** The indices of a block's first thread, turn by turn: the first two. */
interface Turns {
  readonly first: number;
  second: number | undefined;
}

interface Seen {
  /** Of the first block, and of the last one along each axis. */
  start: Turns | undefined;
  readonly ends: (Turns | undefined)[];
  limit: number;
}

/** Blocks that are told at most. */
const mostBlocks = 4;

export class LastElements {
  readonly #grid: Dim3;
  readonly #guards = new Map<Op, Seen>();

  /** @param grid its blocks along each axis are looked at */
  constructor(grid: Dim3) {
    this.#grid = grid;
  }

  /** The first thread of a block compares an index; @param limit the least that does not pass */
  compares(guard: Op, block: Dim3, index: number, limit: number): void {
    const [axis, ...others] = [0, 1, 2].filter((each) => block[each] !== 0);
    if (others.length > 0) return;
    const seen = this.#guards.get(guard) ?? { start: undefined, ends: [], limit };
    this.#guards.set(guard, seen);
    seen.limit = limit;
    const turns = axis === undefined ? seen.start : seen.ends[axis];
    if (turns) turns.second ??= index;
    else if (axis === undefined) seen.start = { first: index, second: undefined };
    else if (block[axis] === this.#grid[axis]! - 1) seen.ends[axis] = { first: index, second: undefined };
  }

  get blocks(): readonly Dim3[] {
    const found = new Map<string, Dim3>();
    const last: [number, number, number] = [this.#grid[0] - 1, this.#grid[1] - 1, this.#grid[2] - 1];
    const add = (block: Dim3): void => void found.set(block.join(), block);
    for (const seen of this.#guards.values())
      for (const axis of [0, 1, 2]) {
        const at = this.#lastAlong(axis, seen);
        if (at === undefined) continue;
        add([0, 1, 2].map((each) => (each === axis ? at : 0)) as unknown as Dim3);
        last[axis] = Math.min(last[axis]!, at);
      }
    // Where all axes end.
    if (found.size > 0) add(last);
    return [...found.values()].slice(-mostBlocks);
  }

  #lastAlong(axis: number, { start, ends, limit }: Seen): number | undefined {
    const last = this.#grid[axis]! - 1;
    const end = ends[axis];
    if (!start || !end) return undefined;
    const each = (end.first - start.first) / last;
    if (!(each > 0)) return undefined;
    const goesOn = start.second !== undefined && start.second !== start.first;
    const step = goesOn ? start.second! - start.first : Number.POSITIVE_INFINITY;
    // Each block's part follows the one before it, and a turn goes on behind the last one's.
    if (goesOn && step !== each * (last + 1)) return undefined;
    const behind = limit - 1 - start.first;
    const block = Math.floor((goesOn ? behind % step : behind) / each);
    return block > 0 && block < last ? block : undefined;
  }
}
