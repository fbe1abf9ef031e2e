/** Which warps of a launch store to a place: a store's address, taken the other way round. */
import { warpSize } from "../execute/compile.ts";
import type { Environment } from "../execute/environment.ts";
import type { Dim3 } from "../kernel.ts";
import type { Form } from "./forms.ts";
import { localParts, placedParts } from "./values-at.ts";

export interface WarpPlace {
  readonly block: Dim3;
  /** Position in its block. */
  readonly warp: number;
}

/** Warps named for one place at most, and steps taken to find them. */
const mostPlaces = 32;
const mostSteps = 512;
/** Blocks of a grid that are listed, where their indices are not simply multiplied. */
const mostListed = 1 << 16;

interface Term {
  readonly each: number;
  /** Values of what is counted: from 0 up to this. */
  readonly last: number;
  /** Dimension of the grid; absent for a loop. */
  readonly axis: number | undefined;
}

interface Entry {
  readonly part: number;
  /** Linear index of a thread in its block, or of a block in the grid. */
  readonly index: number;
}

export class StoreOrigin {
  readonly #start: number;
  readonly #width: number;
  readonly #grid: Dim3;
  /** Largest first. */
  readonly #terms: readonly Term[];
  /** Dimensions of the grid that the address does not depend on. */
  readonly #free: readonly number[];
  /** What the terms from position k on, and the thread's part, add at the least and at the most. */
  readonly #least: readonly number[];
  readonly #most: readonly number[];
  /** By what they add, in order. */
  readonly #threads: readonly Entry[];
  readonly #blocks: readonly Entry[] | undefined;

  private constructor(
    form: Form,
    width: number,
    threads: readonly Entry[],
    blocks: readonly Entry[] | undefined,
    grid: Dim3,
    reach: number,
  ) {
    this.#start = form.constant;
    this.#width = width;
    this.#grid = grid;
    this.#threads = threads;
    this.#blocks = blocks;
    const terms: Term[] = blocks ? [] : form.block.map((each, axis) => ({ each, last: (grid[axis] ?? 1) - 1, axis }));
    for (const { step } of form.loops) terms.push({ each: step, last: Math.ceil(reach / Math.abs(step)), axis: undefined });
    this.#terms = terms.filter(({ each, last }) => each !== 0 && last > 0).sort((a, b) => Math.abs(b.each) - Math.abs(a.each));
    this.#free = blocks ? [] : [0, 1, 2].filter((axis) => form.block[axis] === 0 && (grid[axis] ?? 1) > 1);
    const least = [threads[0]?.part ?? 0];
    const most = [(threads.at(-1)?.part ?? 0) + width - 1];
    for (const { each, last } of [...this.#terms].reverse()) {
      least.unshift((least[0] ?? 0) + Math.min(0, each * last));
      most.unshift((most[0] ?? 0) + Math.max(0, each * last));
    }
    this.#least = least;
    this.#most = most;
  }

  /**
   * @param width bytes of the store
   * @param reach bytes of the memory stored to
   * @returns undefined where what threads or blocks add is not known, or the blocks are too many to be listed
   */
  static of(form: Form, width: number, environment: Environment, reach: number): StoreOrigin | undefined {
    const { grid } = environment.launch;
    const threads = localParts(form, environment);
    if (!threads) return undefined;
    if (form.placed.length === 0) return new StoreOrigin(form, width, ordered(threads), undefined, grid, reach);
    const [columns, rows, layers] = grid;
    const blocks = columns * rows * layers > mostListed ? undefined : placedParts(form, environment);
    if (!blocks) return undefined;
    const [x, y, z] = form.block;
    for (let index = 0; index < blocks.length; index++) {
      const row = Math.floor(index / columns);
      blocks[index]! += x * (index % columns) + y * (row % rows) + z * Math.floor(row / rows);
    }
    return new StoreOrigin(form, width, ordered(threads), ordered(blocks), grid, reach);
  }

  /** Warps that may store to a byte, the likeliest first. Of blocks that all store there, the first and the last. */
  warpsAt(address: number): WarpPlace[] {
    const left = address - this.#start;
    const found: WarpPlace[] = [];
    if (!this.#blocks) this.#search(0, left, [0, 0, 0], { found, steps: 0 });
    else {
      const search = { found, steps: 0 };
      const [columns, rows] = this.#grid;
      for (const { part, index } of between(this.#blocks, left - (this.#most[0] ?? 0), left - (this.#least[0] ?? 0))) {
        const row = Math.floor(index / columns);
        this.#search(0, left - part, [index % columns, row % rows, Math.floor(row / rows)], search);
      }
    }
    return found;
  }

  #search(k: number, left: number, at: readonly [number, number, number], search: { readonly found: WarpPlace[]; steps: number }): void {
    if (search.found.length >= mostPlaces || ++search.steps > mostSteps) return;
    const term = this.#terms[k];
    if (!term) {
      const warps = new Set<number>();
      for (const { index } of between(this.#threads, left - this.#width + 1, left)) warps.add(Math.floor(index / warpSize));
      for (const warp of warps) for (const block of this.#blocksAt(at)) search.found.push({ block, warp });
      return;
    }
    // left - each * q has to be within reach of the rest.
    const [a, b] = [(left - (this.#most[k + 1] ?? 0)) / term.each, (left - (this.#least[k + 1] ?? 0)) / term.each];
    const low = Math.max(0, Math.ceil(Math.min(a, b)));
    const high = Math.min(term.last, Math.floor(Math.max(a, b)));
    for (let q = high; q >= low && search.found.length < mostPlaces && search.steps <= mostSteps; q--)
      this.#search(k + 1, left - term.each * q, term.axis === undefined ? at : replaced(at, term.axis, q), search);
  }

  #blocksAt(at: Dim3): Dim3[] {
    return this.#free.reduce<Dim3[]>(
      (blocks, axis) => blocks.flatMap((block) => [block, replaced(block, axis, (this.#grid[axis] ?? 1) - 1)]),
      [at],
    );
  }
}

function replaced([x, y, z]: Dim3, axis: number, value: number): [number, number, number] {
  return [axis === 0 ? value : x, axis === 1 ? value : y, axis === 2 ? value : z];
}

const ordered = (parts: Float64Array): Entry[] =>
  Array.from(parts, (part, index) => ({ part, index })).sort((a, b) => a.part - b.part || a.index - b.index);

/** Entries with low <= part <= high. */
function* between(entries: readonly Entry[], low: number, high: number): Generator<Entry> {
  let from = 0;
  let to = entries.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((entries[middle]?.part ?? 0) < low) from = middle + 1;
    else to = middle;
  }
  for (let k = from; k < entries.length; k++) {
    const entry = entries[k];
    if (!entry || entry.part > high) return;
    yield entry;
  }
}
