/**
 * Atomics of warps that go through memory in step. Where all warps come to the same places in the same order, as along a row of sums, those
 * that began together want the same slice of the L2 together, and the other slices wait for them. They drift apart as some SMs get on
 * faster than others (measured: microbenchmarks/h200-sums-in-step.txt).
 */
import type { GpuValues } from "../gpus/figures.ts";
import type { Resident } from "./atomic-regions.ts";

/** Turns that are told apart: of longer ways the first ones stand for all. */
const mostTurns = 256;
/** Between the windows that are looked at, in turns. */
const growth = 1.25;

export class InStep {
  readonly #turnsApart: number;
  readonly #slices: number;
  /** By turn: work by slice, of all warps observed. */
  readonly #turns: Float64Array[] = [];
  /** Turns taken, by warp of the present block; and by the warp that takes most. */
  #taken: number[] = [];
  #longest = 0;

  constructor({ atomicTurnsApart, atomicSlices }: GpuValues) {
    this.#turnsApart = atomicTurnsApart;
    this.#slices = atomicSlices;
  }

  /** Another block is observed. */
  begin(): void {
    this.#taken = [];
  }

  /** A warp's next request: what takes its work by slice (`sliceOf`); undefined where so many are not told apart. */
  next(warp: number): Float64Array | undefined {
    const turn = this.#taken[warp] ?? 0;
    this.#taken[warp] = turn + 1;
    this.#longest = Math.max(this.#longest, turn + 1);
    if (turn >= mostTurns) return undefined;
    return (this.#turns[turn] ??= new Float64Array(this.#slices));
  }

  /** The slice of one of the parts of memory that slices do, counted through it: there are only so many. */
  sliceOf(part: number): number {
    return part % this.#slices;
  }

  /**
   * How much longer the busiest slice takes than its work, as it waits for warps that are at others: 1 where each turn is spread over
   * slices as all are together.
   * @param notRun how many turns each that was observed stands for
   * @param goesOn whether they are at places beside those observed, rather than the same again
   */
  factor(notRun: number, goesOn: boolean, { blocks, atOnce }: Resident): number {
    const seen = this.#turns.length;
    const turnsOfEach = (notRun * this.#longest) / Math.max(1, seen);
    const turns = seen * (goesOn ? turnsOfEach : 1);
    if (!(turns > 1)) return 1;
    const together = busiestShare(this.#turns, seen);
    const shareOf = (window: number): number =>
      window < seen ? busiestShare(this.#turns, window) : Math.max(1 / this.#slices, (together * seen) / window);
    const overall = shareOf(turns);
    const all = seen * turnsOfEach * Math.max(1, blocks / atOnce);
    // All begin at the same turn, and then spread over a window that grows.
    let [sum, at, window] = [0, 0, 1];
    for (let share = shareOf(window); window < turns && at < all; ) {
      const wider = Math.min(turns, window * growth);
      const until = Math.min(all, (wider - 1) / this.#turnsApart);
      const next = shareOf(wider);
      sum += ((share + next) / 2) * (until - at);
      [at, share, window] = [until, next, wider];
    }
    return (sum + overall * (all - at)) / (all * overall);
  }
}

/** Of the work in so many turns that follow each other, the busiest slice's part, on average over where they begin. */
function busiestShare(turns: readonly Float64Array[], window: number): number {
  const whole = Math.floor(window);
  const part = window - whole;
  const places = turns.length - Math.ceil(window) + 1;
  const work = new Float64Array(turns[0]!.length);
  const add = (turn: number, times: number): void => {
    const bySlice = turns[turn];
    if (bySlice && times !== 0) for (let slice = 0; slice < work.length; slice++) work[slice]! += times * bySlice[slice]!;
  };
  for (let turn = 0; turn < whole; turn++) add(turn, 1);
  let sum = 0;
  for (let from = 0; from < places; from++) {
    add(from + whole, part);
    sum += Math.max(...work) / work.reduce((all, amount) => all + amount);
    add(from + whole, 1 - part);
    add(from, -1);
  }
  return sum / places;
}
