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
  /** By turn: work by slice, of all warps observed. */
  readonly #turns: Map<number, number>[] = [];
  /** Turns taken, by warp of the present block. */
  #taken: number[] = [];

  constructor({ atomicTurnsApart }: GpuValues) {
    this.#turnsApart = atomicTurnsApart;
  }

  /** Another block is observed. */
  begin(): void {
    this.#taken = [];
  }

  /** A warp's next request: what takes its work by slice; undefined where so many are not told apart. */
  next(warp: number): Map<number, number> | undefined {
    const turn = this.#taken[warp] ?? 0;
    this.#taken[warp] = turn + 1;
    if (turn >= mostTurns) return undefined;
    return (this.#turns[turn] ??= new Map());
  }

  /**
   * How much longer the busiest slice takes than its work, as it waits for warps that are at others: 1 where each turn is spread over
   * slices as all are together.
   * @param isMet whether a slice is one at which most blocks meet
   * @param notRun how many turns each that was observed stands for
   * @param goesOn whether they are at places beside those observed, rather than the same again
   */
  factor(isMet: (slice: number) => boolean, notRun: number, goesOn: boolean, { blocks, atOnce }: Resident): number {
    const seen = this.#turns.map((bySlice) => [...bySlice].filter(([slice]) => isMet(slice))).filter((met) => met.length > 0);
    const turns = seen.length * (goesOn ? notRun : 1);
    if (turns <= 1) return 1;
    const shareOf = (window: number): number =>
      window <= seen.length ? busiestShare(seen, window) : (busiestShare(seen, seen.length) * seen.length) / window;
    const overall = shareOf(turns);
    const all = seen.length * notRun * Math.max(1, blocks / atOnce);
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
function busiestShare(turns: readonly (readonly (readonly [slice: number, work: number])[])[], window: number): number {
  const whole = Math.floor(window);
  const part = window - whole;
  const places = turns.length - Math.ceil(window) + 1;
  const work = new Map<number, number>();
  const add = (turn: number, times: number): void => {
    for (const [slice, amount] of turns[turn] ?? []) work.set(slice, (work.get(slice) ?? 0) + times * amount);
  };
  for (let turn = 0; turn < whole; turn++) add(turn, 1);
  let sum = 0;
  for (let from = 0; from < places; from++) {
    add(from + whole, part);
    let [most, all] = [0, 0];
    for (const amount of work.values()) {
      most = Math.max(most, amount);
      all += amount;
    }
    sum += most / all;
    add(from + whole, 1 - part);
    add(from, -1);
  }
  return sum / places;
}
