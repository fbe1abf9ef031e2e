/** Asynchronous copies of each warp, in the groups they are committed in (cp.async.commit_group, PTX ISA). */

/** Groups told apart: what was committed before them is waited for in any case. */
const groups = 16;

export class Copies {
  /** When the copies since the last commit have arrived, by slot. */
  readonly #open: Float64Array;
  /** When the last groups have, a ring a slot; and all before them. */
  readonly #committed: Float64Array;
  readonly #before: Float64Array;
  readonly #count: Uint32Array;

  constructor(slots: number) {
    this.#open = new Float64Array(slots);
    this.#committed = new Float64Array(slots * groups);
    this.#before = new Float64Array(slots);
    this.#count = new Uint32Array(slots);
  }

  /** A warp begins; nothing is under way. */
  clear(slot: number): void {
    this.#open[slot] = 0;
    this.#before[slot] = 0;
    this.#count[slot] = 0;
    this.#committed.fill(0, slot * groups, (slot + 1) * groups);
  }

  /** A copy that arrives at `time`, in cycles. */
  begin(slot: number, time: number): void {
    this.#open[slot] = Math.max(this.#open[slot]!, time);
  }

  /** What was begun since the last time is a group. */
  commit(slot: number): void {
    const at = slot * groups + (this.#count[slot]! % groups);
    this.#before[slot] = Math.max(this.#before[slot]!, this.#committed[at]!);
    this.#committed[at] = this.#open[slot]!;
    this.#open[slot] = 0;
    this.#count[slot]!++;
  }

  /** When all but the last `pending` groups have arrived, in cycles; with none pending, what is not committed too. */
  there(slot: number, pending: number): number {
    const count = this.#count[slot]!;
    let time = pending === 0 ? Math.max(this.#before[slot]!, this.#open[slot]!) : this.#before[slot]!;
    for (let group = Math.max(0, count - groups); group < count - pending; group++)
      time = Math.max(time, this.#committed[slot * groups + (group % groups)]!);
    return time;
  }
}
