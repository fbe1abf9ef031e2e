/** Small sets of integers that empty themselves in constant time: what one warp access touches. */

const slots = 256;

/** At most 128 distinct int32 keys between two calls of `clear`. */
export class DistinctSet {
  readonly #keys = new Int32Array(slots);
  readonly #stamps = new Int32Array(slots);
  readonly #counts = new Int32Array(slots);
  #stamp = 1;

  clear(): void {
    this.#stamp = (this.#stamp + 1) | 0;
  }

  /** True when the key was not in the set. */
  add(key: number): boolean {
    return this.count(key) === 1;
  }

  /** How often the key has been added, this time included. */
  count(key: number): number {
    let at = (Math.imul(key, 0x9e3779b1) >>> 24) & (slots - 1);
    while (this.#stamps[at] === this.#stamp) {
      if (this.#keys[at] === key) return ++this.#counts[at]!;
      at = (at + 1) & (slots - 1);
    }
    this.#stamps[at] = this.#stamp;
    this.#keys[at] = key;
    this.#counts[at] = 1;
    return 1;
  }
}

/** Bits set in a 32-bit mask. */
export function popcount(mask: number): number {
  let m = mask - ((mask >>> 1) & 0x55555555);
  m = (m & 0x33333333) + ((m >>> 2) & 0x33333333);
  return Math.imul((m + (m >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
