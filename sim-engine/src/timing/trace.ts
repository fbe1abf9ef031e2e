/** Records what one warp runs, for the replay. */
import type { Repeat, WarpTrace } from "./summary.ts";

const grown = <T extends Uint16Array | Uint32Array | Float32Array>(old: T, larger: T): T => {
  larger.set(old);
  return larger;
};

/** Values a 16-bit entry can hold. */
const most = 0xffff;

export class TraceRecorder {
  readonly #length: readonly number[];
  readonly #limit: number;
  #entries = 0;
  #accessCount = 0;
  #instructions = 0;
  #dropped = 0;
  #full = false;
  readonly #repeats: Repeat[] = [];
  #blocks = new Uint32Array(64);
  #weights = new Float32Array(64);
  #starts = new Uint32Array(65);
  #accesses = new Uint16Array(192);

  /**
   * `length` is the number of instructions of each code block. Of a warp that issues more than `limit` instructions the first are
   * kept, and the second half of them stands for the rest.
   */
  constructor(length: readonly number[], limit = 4096) {
    this.#length = length;
    this.#limit = limit;
  }

  /** The warp runs a block of the code, an execution that stands for `weight` of them. */
  enter(block: number, weight = 1): void {
    const instructions = this.#length[block]!;
    if (instructions === 0) return;
    this.#full ||= this.#instructions >= this.#limit;
    if (this.#full) {
      this.#dropped += instructions * weight;
      return;
    }
    if (this.#entries === this.#blocks.length) {
      this.#blocks = grown(this.#blocks, new Uint32Array(this.#entries * 2));
      this.#weights = grown(this.#weights, new Float32Array(this.#entries * 2));
      this.#starts = grown(this.#starts, new Uint32Array(this.#entries * 2 + 1));
    }
    this.#blocks[this.#entries] = block;
    this.#weights[this.#entries] = weight;
    this.#starts[++this.#entries] = this.#accessCount;
    this.#instructions += instructions;
  }

  /** Entries so far: what the next `enter` will be. */
  get entries(): number {
    return this.#entries;
  }

  /** Entries `from` to `to` (excluded) stand for going through them `times` times; their weights say so too. */
  repeat(from: number, to: number, times: number): void {
    if (from < to) this.#repeats.push({ from, to, times });
  }

  /** A memory instruction of the block entered last (or of one predicated in it) does this; see `WarpTrace.accesses`. */
  access(site: number, cycles: number, amount: number): void {
    if (this.#full || this.#entries === 0) return;
    const at = this.#accessCount * 3;
    if (at + 3 > this.#accesses.length) this.#accesses = grown(this.#accesses, new Uint16Array(this.#accesses.length * 2));
    this.#accesses[at] = site;
    this.#accesses[at + 1] = Math.min(most, Math.max(1, Math.round(cycles)));
    this.#accesses[at + 2] = Math.min(most, amount);
    this.#starts[this.#entries] = ++this.#accessCount;
  }

  /** The trace so far. The recorder is done. */
  finish(): WarpTrace {
    const weights = this.#weights.slice(0, this.#entries);
    if (this.#dropped > 0) {
      const half = this.#entries >> 1;
      let standing = 0;
      for (let i = half; i < this.#entries; i++) standing += this.#length[this.#blocks[i]!]! * weights[i]!;
      if (standing > 0) {
        for (let i = half; i < this.#entries; i++) weights[i]! *= 1 + this.#dropped / standing;
        this.repeat(half, this.#entries, 1 + this.#dropped / standing);
      }
    }
    return {
      blocks: this.#blocks.slice(0, this.#entries),
      weights,
      repeats: this.#repeats,
      accesses: this.#accesses.slice(0, this.#accessCount * 3),
      accessStart: this.#starts.slice(0, this.#entries + 1),
    };
  }
}
