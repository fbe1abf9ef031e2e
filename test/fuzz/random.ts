/** Random choices that are the same for the same seed, on every machine. */

export class Random {
  #state: number;

  /** @param seeds the choices follow from all of them together */
  constructor(...seeds: readonly (number | string)[]) {
    this.#state = 0x9e3779b9;
    for (const character of seeds.join("\n")) {
      this.#state = Math.imul(this.#state ^ character.charCodeAt(0), 0x01000193);
      this.#next();
    }
  }

  /** 32 bits (mulberry32). */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t ^= t + Math.imul(t ^ (t >>> 7), 61 | t);
    return (t ^ (t >>> 14)) >>> 0;
  }

  /** A whole number from 0 to below `end`; 0 where there is none. */
  below(end: number): number {
    return end <= 0 ? 0 : Math.floor((this.#next() / 2 ** 32) * end);
  }

  /** True once in `n` times. */
  once(n: number): boolean {
    return this.below(n) === 0;
  }

  /** Throws where there is nothing to pick. */
  pick<T>(list: readonly T[]): T {
    const [chosen] = list.slice(this.below(list.length));
    if (chosen === undefined) throw new Error("nothing to pick from");
    return chosen;
  }
}
