/** Cycles of one bucket. */
const width = 16;
/** Buckets from now on that are kept: what is asked for further ahead than some 16,000 cycles waits for nothing that lies there. */
const kept = 1024;

/**
 * Something that serves requests in the order in which they can begin, not in which they are made: what is asked for now may begin long before
 * what was asked for earlier, as data of the L1 does beside what memory has yet to bring.
 */
export class Calendar {
  /** Cycles taken of each bucket, a ring. */
  readonly #taken = new Float64Array(kept);
  /** The bucket that each place of the ring holds. */
  readonly #of = new Float64Array(kept).fill(-1);

  /**
   * Takes so many cycles from `at` on, as they are free; returns when the last ends, in cycles.
   * @param now when it is asked, not before 0 and not after `at`: nothing is asked for before that any more
   */
  serve(now: number, at: number, cycles: number): number {
    const end = Math.floor(now / width) + kept;
    let bucket = Math.floor(at / width);
    let from = at - bucket * width;
    let left = cycles;
    for (; bucket < end; bucket++) {
      const place = bucket % kept;
      if (this.#of[place] !== bucket) {
        this.#of[place] = bucket;
        this.#taken[place] = 0;
      }
      const taken = Math.min(left, width - this.#taken[place]!);
      this.#taken[place]! += taken;
      left -= taken;
      if (!(left > 0)) return Math.max(at + cycles, bucket * width + Math.max(from + taken, this.#taken[place]!));
      from = 0;
    }
    return Math.max(at + cycles, bucket * width + left);
  }
}
