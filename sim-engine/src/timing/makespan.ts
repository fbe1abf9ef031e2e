/**
 * How much longer a launch takes than its SMs have work for on average, as its blocks differ and none can be shared out: those of a triangle's
 * rows, of pixels that iterate on, of rows of a sparse matrix. SMs are given blocks in the order of their indices, the next as soon as one ends.
 */

import type { Work } from "../work.ts";
import { goldenRatio } from "./golden-ratio.ts";

export interface Machine {
  readonly sms: number;
  /** Blocks that are resident on an SM at most. */
  readonly resident: number;
  /** How many times faster a block runs alone than with all of them beside it: 1 to `resident`. Until the SM is full again, each of a few does. */
  readonly alone: number;
}

/** Beyond this the SM that was replayed, and what of its time is a launch's own, says nothing of the blocks that take longest. Assumed (DEVIATIONS.md). */
const mostStretch = 3;
/** Costs that differ by less, relative to their mean, are alike. */
const alike = 0.02;

/**
 * The time of blocks of these costs over that of an SM that has its share of each length, or of the blocks that one SM is known to have; 1 and more.
 * @param costs of all blocks, in the order of their indices, in any unit
 * @throws Cancelled
 */
export function stretchOf(costs: ArrayLike<number>, machine: Machine, dealt: readonly number[] | undefined, work: Work): number {
  const count = costs.length;
  let [sum, most] = [0, 0];
  for (let k = 0; k < count; k++) {
    sum += costs[k]!;
    most = Math.max(most, costs[k]!);
  }
  const mean = sum / count;
  if (!(mean > 0) || most <= mean * (1 + alike)) return 1;
  work.ask(count / 4);
  if (!(machine.resident >= 1) || !(machine.alone >= 1)) return 1;
  const one = { ...machine, sms: 1 };
  const usual = dealt ? makespan(dealt, one) : meanOf(evenDeals(costs, Math.ceil(count / machine.sms)).map((deal) => makespan(deal, one)));
  return Math.min(mostStretch, Math.max(1, makespan(costs, machine) / usual));
}

/** So many blocks as one SM may have of all, of each length its share, in several orders. */
function evenDeals(costs: ArrayLike<number>, count: number): Float64Array[] {
  const sorted = Float64Array.from(costs).sort();
  return Array.from({ length: deals }, (_, deal) =>
    Float64Array.from({ length: count }, (_, k) => sorted[Math.floor((((deal + 0.5) / deals + k * goldenRatio) % 1) * sorted.length)]!),
  );
}
const deals = 8;

const meanOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

/** Until the last block ends, where an SM with all its blocks does one unit of cost in one of time. */
function makespan(costs: ArrayLike<number>, { sms, resident, alone }: Machine): number {
  const rates = Float64Array.from({ length: resident + 1 }, (_, m) => Math.min(1, (m * alone) / resident) / Math.max(1, m));
  const left = new Float64Array(sms * resident);
  const counts = new Uint32Array(sms);
  const since = new Float64Array(sms);
  let next = 0;
  // What is alike does not end at one moment, or the first SM to end one would be given all that follow.
  const take = (): number => costs[next]! * (1 + alike * (((next++ + 1) * goldenRatio) % 1));
  // Block by block over the SMs, until they are full.
  for (let turn = 0; turn < resident; turn++)
    for (let sm = 0; sm < sms && next < costs.length; sm++) {
      left[sm * resident + turn] = take();
      counts[sm]!++;
    }
  const queue = new Soonest(sms);
  const enqueue = (sm: number): void => {
    const blocks = counts[sm]!;
    if (blocks === 0) return;
    let least = Number.POSITIVE_INFINITY;
    for (let k = 0; k < blocks; k++) least = Math.min(least, left[sm * resident + k]!);
    queue.add(sm, since[sm]! + least / rates[blocks]!);
  };
  for (let sm = 0; sm < sms; sm++) enqueue(sm);
  let end = 0;
  for (let sm = queue.first(); sm !== undefined; sm = queue.first()) {
    const now = queue.time;
    const first = sm * resident;
    const blocks = counts[sm]!;
    const done = (now - since[sm]!) * rates[blocks]!;
    let least = first;
    for (let k = first; k < first + blocks; k++) {
      left[k]! -= done;
      if (left[k]! < left[least]!) least = k;
    }
    since[sm] = now;
    end = now;
    if (next < costs.length) left[least] = take();
    else {
      left[least] = left[first + blocks - 1]!;
      counts[sm]!--;
    }
    enqueue(sm);
  }
  return end;
}

/** SMs by when their next block ends, each at most once: a heap. */
class Soonest {
  readonly #sms: Uint32Array;
  readonly #times: Float64Array;
  #size = 0;
  /** Of the one that was first. */
  time = 0;

  constructor(sms: number) {
    this.#sms = new Uint32Array(sms);
    this.#times = new Float64Array(sms);
  }

  add(sm: number, time: number): void {
    let at = this.#size++;
    for (let up = (at - 1) >> 1; at > 0 && this.#times[up]! > time; at = up, up = (at - 1) >> 1) this.#move(up, at);
    this.#sms[at] = sm;
    this.#times[at] = time;
  }

  first(): number | undefined {
    if (this.#size === 0) return undefined;
    const first = this.#sms[0]!;
    this.time = this.#times[0]!;
    this.#size--;
    const [sm, time] = [this.#sms[this.#size]!, this.#times[this.#size]!];
    let at = 0;
    for (;;) {
      let down = 2 * at + 1;
      if (down >= this.#size) break;
      if (down + 1 < this.#size && this.#times[down + 1]! < this.#times[down]!) down++;
      if (this.#times[down]! >= time) break;
      this.#move(down, at);
      at = down;
    }
    this.#sms[at] = sm;
    this.#times[at] = time;
    return first;
  }

  #move(from: number, to: number): void {
    this.#sms[to] = this.#sms[from]!;
    this.#times[to] = this.#times[from]!;
  }
}
