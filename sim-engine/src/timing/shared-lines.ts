/** Lines that warps of an SM ask the first constant cache for, each the same as the others: who comes soon behind another finds its lines there. */
import { constantLines as held } from "../memory/constant-cache.ts";

export class SharedLines {
  /** By slot: the number of the warp in it, and lines that it has asked for. */
  readonly #warps: number[] = [];
  readonly #asked: number[] = [];
  /** Of the last lines, which each is in the order of those who ask, and when it is there. */
  readonly #order = new Float64Array(held).fill(-1);
  readonly #there = new Float64Array(held);
  #next = 0;

  /** When the next line of a warp is there, as far as another has asked for it not long ago. */
  ask(slot: number, warp: number): number | undefined {
    this.#next = this.#warps[slot] === warp ? this.#asked[slot]! : 0;
    this.#warps[slot] = warp;
    this.#asked[slot] = this.#next + 1;
    return this.#order[this.#next % held] === this.#next ? this.#there[this.#next % held]! : undefined;
  }

  /** The line that was asked for last is there at `time`. */
  bring(time: number): void {
    this.#order[this.#next % held] = this.#next;
    this.#there[this.#next % held] = time;
  }
}
