/** Cycles of one bucket. */
const width = 16;
/** Buckets that are kept: what is asked for further ahead waits as if nothing else did. */
const kept = 1024;

/**
 * Something that serves requests in the order in which they can begin, not in which they are made: what is asked for now may begin long before
 * what was asked for earlier, as data of the L1 does beside what memory has yet to bring.
 */
export class Calendar {
  /** Of the buckets from the oldest on, a ring: cycles taken. */
  readonly #taken = new Float64Array(kept);
  /** The bucket that each holds. */
  readonly #of = new Float64Array(kept).fill(-1);

  /** Takes so many cycles from `at` on, as they are free; returns when the last ends. */
  serve(at: number, cycles: number): number {
    let bucket = Math.floor(at / width);
    let from = at - bucket * width;
    let left = cycles;
    for (;;) {
      const slot = bucket % kept;
      if (this.#of[slot]! < bucket) {
        this.#of[slot] = bucket;
        this.#taken[slot] = 0;
      }
      // A bucket of a round later lies there already: beyond what is kept nobody waits for others.
      if (this.#of[slot]! > bucket) return at + cycles;
      const taken = Math.max(0, Math.min(left, width - this.#taken[slot]!, width));
      this.#taken[slot]! += taken;
      left -= taken;
      if (left <= 0) return Math.max(at + cycles, bucket * width + Math.max(from + taken, this.#taken[slot]!));
      bucket++;
      from = 0;
    }
  }
}
