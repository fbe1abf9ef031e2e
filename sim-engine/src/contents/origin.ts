/** Which warps of a launch store to a place: a store's address, taken the other way round. */

import type { Environment } from "../execute/environment.ts";
import { warpSize } from "../execute/program.ts";
import type { Dim3 } from "../ir/kernel.ts";
import type { Form } from "./forms.ts";
import { localParts, placedParts } from "./values-at.ts";

export interface WarpPlace {
  readonly block: Dim3;
  /** Position in its block. */
  readonly warp: number;
}

/** Steps taken to find who stores to one place. */
const mostSteps = 256;
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
  /** What iterations of loops add that step between the places of neighbouring threads: largest first. */
  readonly #inner: readonly number[];
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
    const gap = leastGap(threads);
    this.#inner = form.loops.flatMap(({ step }) => (step > 0 && step < gap ? [step] : [])).sort((x, y) => y - x);
    for (const { step } of form.loops)
      if (step < 0 || step >= gap) terms.push({ each: step, last: Math.ceil(reach / Math.abs(step)), axis: undefined });
    this.#terms = terms.filter(({ each, last }) => each !== 0 && last > 0).sort((x, y) => Math.abs(y.each) - Math.abs(x.each));
    this.#free = blocks ? [] : [0, 1, 2].filter((axis) => form.block[axis] === 0 && (grid[axis] ?? 1) > 1);
    const least = [threads[0]?.part ?? 0];
    const most = [this.#inner.length > 0 ? reach : (threads.at(-1)?.part ?? 0) + width - 1];
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
  *warpsAt(address: number): Generator<WarpPlace> {
    const left = address - this.#start;
    const search = { steps: 0 };
    if (!this.#blocks) {
      yield* this.#search(0, left, [0, 0, 0], search);
      return;
    }
    const [columns, rows] = this.#grid;
    for (const { part, index } of between(this.#blocks, left - (this.#most[0] ?? 0), left - (this.#least[0] ?? 0))) {
      const row = Math.floor(index / columns);
      yield* this.#search(0, left - part, [index % columns, row % rows, Math.floor(row / rows)], search);
    }
  }

  *#search(k: number, left: number, at: Dim3, search: { steps: number }): Generator<WarpPlace> {
    if (++search.steps > mostSteps) return;
    const term = this.#terms[k];
    if (!term) {
      const warps = new Set<number>();
      for (const { part, index } of between(
        this.#threads,
        this.#inner.length > 0 ? Number.NEGATIVE_INFINITY : left - this.#width + 1,
        left,
      )) {
        if (++search.steps > mostSteps) return;
        const warp = Math.floor(index / warpSize);
        if (warps.has(warp) || !this.#reaches(left - part)) continue;
        warps.add(warp);
        for (const block of this.#blocksAt(at)) yield { block, warp };
      }
      return;
    }
    // left - each * q has to be within reach of the rest.
    const [a, b] = [(left - (this.#most[k + 1] ?? 0)) / term.each, (left - (this.#least[k + 1] ?? 0)) / term.each];
    const low = Math.max(0, Math.ceil(Math.min(a, b)));
    const high = Math.min(term.last, Math.floor(Math.max(a, b)));
    for (let q = high; q >= low && search.steps <= mostSteps; q--)
      yield* this.#search(k + 1, left - term.each * q, term.axis === undefined ? at : replaced(at, term.axis, q), search);
  }

  /** An iteration of the inner loops covers the byte that is so far behind the first. */
  #reaches(behind: number): boolean {
    return this.#inner.reduce((rest, step) => rest % step, behind) < this.#width;
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

/** The least distance of two threads' places. */
function leastGap(entries: readonly Entry[]): number {
  let gap = Number.POSITIVE_INFINITY;
  for (let k = 1; k < entries.length; k++) {
    const distance = (entries[k]?.part ?? 0) - (entries[k - 1]?.part ?? 0);
    if (distance > 0 && distance < gap) gap = distance;
  }
  return Number.isFinite(gap) ? gap : 0;
}

/** Entries with low <= part <= high, the highest first. */
function* between(entries: readonly Entry[], low: number, high: number): Generator<Entry> {
  let from = 0;
  let to = entries.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((entries[middle]?.part ?? 0) <= high) from = middle + 1;
    else to = middle;
  }
  for (let k = from - 1; k >= 0; k--) {
    const entry = entries[k];
    if (!entry || entry.part < low) return;
    yield entry;
  }
}
