/** Which warps of a launch store to a place: a store's address, taken the other way round. */

import type { Environment } from "../execute/environment.ts";
import { warpSize } from "../execute/program.ts";
import type { Dim3 } from "../ir/kernel.ts";
import { Work } from "../work.ts";
import type { Form } from "./forms.ts";
import { localParts, placedParts } from "./values-at.ts";

/** Shown a block and the position of a warp in it; true ends the search. */
type Visit = (block: Dim3, warp: number) => boolean;

interface Search {
  steps: number;
  readonly most: number;
  readonly isEnough: Visit;
}

/** Steps taken to find who stores to one place, where no others are said. */
const usualSteps = 256;
/** Blocks of a grid that are listed, where their indices are not simply multiplied. */
const mostListed = 1 << 16;

interface Term {
  readonly each: number;
  /** Values of what is counted: from 0 up to this. */
  readonly last: number;
  /** Dimension of the grid; absent for a loop. */
  readonly axis: number | undefined;
}

/** In the order of what they add. */
interface Entries {
  readonly parts: Float64Array;
  /** Linear index of a thread in its block, or of a block in the grid. */
  readonly indices: Int32Array;
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
  readonly #threads: Entries;
  readonly #blocks: Entries | undefined;

  private constructor(form: Form, width: number, threads: Entries, blocks: Entries | undefined, grid: Dim3, reach: number) {
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
    const least = [threads.parts[0] ?? 0];
    const most = [this.#inner.length > 0 ? reach : (threads.parts.at(-1) ?? 0) + width - 1];
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
  static of(form: Form, width: number, environment: Environment, reach: number, work = new Work()): StoreOrigin | undefined {
    const { grid } = environment.launch;
    const threads = localParts(form, environment, work);
    if (!threads) return undefined;
    if (form.placed.length === 0) return new StoreOrigin(form, width, ordered(threads), undefined, grid, reach);
    const [columns, rows, layers] = grid;
    const blocks = columns * rows * layers > mostListed ? undefined : placedParts(form, environment, work);
    if (!blocks) return undefined;
    const [x, y, z] = form.block;
    for (let index = 0; index < blocks.length; index++) {
      const row = Math.floor(index / columns);
      blocks[index]! += x * (index % columns) + y * (row % rows) + z * Math.floor(row / rows);
    }
    return new StoreOrigin(form, width, ordered(threads), ordered(blocks), grid, reach);
  }

  /**
   * Shows the warps that may store to a byte, the likeliest first, until one is enough. Of blocks that all store there, the first
   * and the last.
   * @param most steps
   * @returns steps taken
   */
  search(address: number, isEnough: Visit, most = usualSteps): number {
    const left = address - this.#start;
    const search: Search = { steps: 0, most, isEnough };
    const blocks = this.#blocks;
    if (!blocks) {
      this.#search(0, left, [0, 0, 0], search);
      return search.steps;
    }
    const [columns, rows] = this.#grid;
    const [high, low] = [left - (this.#least[0] ?? 0), left - (this.#most[0] ?? 0)];
    for (let k = countUpTo(blocks.parts, high) - 1; k >= 0 && blocks.parts[k]! >= low; k--) {
      const index = blocks.indices[k]!;
      const row = Math.floor(index / columns);
      if (this.#search(0, left - blocks.parts[k]!, [index % columns, row % rows, Math.floor(row / rows)], search)) break;
    }
    return search.steps;
  }

  /** Whether one was enough. */
  #search(k: number, left: number, at: Dim3, search: Search): boolean {
    if (++search.steps > search.most) return false;
    const term = this.#terms[k];
    if (!term) return this.#threadsAt(left, at, search);
    // left - each * q has to be within reach of the rest.
    const [a, b] = [(left - (this.#most[k + 1] ?? 0)) / term.each, (left - (this.#least[k + 1] ?? 0)) / term.each];
    const low = Math.max(0, Math.ceil(Math.min(a, b)));
    const high = Math.min(term.last, Math.floor(Math.max(a, b)));
    for (let q = high; q >= low && search.steps <= search.most; q--)
      if (this.#search(k + 1, left - term.each * q, term.axis === undefined ? at : replaced(at, term.axis, q), search)) return true;
    return false;
  }

  #threadsAt(left: number, at: Dim3, search: Search): boolean {
    const { parts, indices } = this.#threads;
    const low = this.#inner.length > 0 ? Number.NEGATIVE_INFINITY : left - this.#width + 1;
    const warps: number[] = [];
    for (let k = countUpTo(parts, left) - 1; k >= 0 && parts[k]! >= low; k--) {
      if (++search.steps > search.most) return false;
      const warp = Math.floor(indices[k]! / warpSize);
      if (warps.includes(warp) || !this.#reaches(left - parts[k]!)) continue;
      warps.push(warp);
      for (const block of this.#blocksAt(at)) if (search.isEnough(block, warp)) return true;
    }
    return false;
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

function ordered(parts: Float64Array): Entries {
  const indices = Int32Array.from(parts, (_, index) => index).sort((a, b) => parts[a]! - parts[b]! || a - b);
  return { parts: Float64Array.from(indices, (index) => parts[index]!), indices };
}

/** The least distance of two threads' places. */
function leastGap({ parts }: Entries): number {
  let gap = Number.POSITIVE_INFINITY;
  for (let k = 1; k < parts.length; k++) {
    const distance = parts[k]! - parts[k - 1]!;
    if (distance > 0 && distance < gap) gap = distance;
  }
  return Number.isFinite(gap) ? gap : 0;
}

/** Of numbers in order, how many are not above `high`. */
function countUpTo(parts: Float64Array, high: number): number {
  let from = 0;
  let to = parts.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (parts[middle]! <= high) from = middle + 1;
    else to = middle;
  }
  return from;
}
