/** Something that serves one request after another: a data path, a share of a cache's or a memory's bandwidth. */
export class Server {
  /** When it is free again, in cycles. */
  free = 0;
  /** Cycles it was busy, in all, each counted as often as what it did stands for. */
  busy = 0;
  /** Busy share of the recent past, fading over `memory` cycles. */
  #load = 0;
  #last = 0;
  readonly #memory: number;

  constructor(memory: number) {
    this.#memory = memory;
  }

  /** Serves for `cycles` from `at` on or when it is free, which stands for `weight` times; returns when it begins. */
  serve(at: number, cycles: number, weight: number): number {
    const begin = Math.max(at, this.free);
    this.free = begin + cycles;
    this.busy += cycles * weight;
    this.#fade(begin);
    this.#load += cycles / this.#memory;
    return begin;
  }

  utilisation(at: number): number {
    this.#fade(at);
    return this.#load;
  }

  #fade(at: number): void {
    if (at <= this.#last) return;
    this.#load *= Math.exp((this.#last - at) / this.#memory);
    this.#last = at;
  }
}
