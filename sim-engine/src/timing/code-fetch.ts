/**
 * When an SM has the code that its warps come to. Lines of 128 bytes come one after the other, those that follow each other ahead of the
 * warps; the SM's own cache holds so many of them, the next one, which two SMs share, more (microbenchmarks/code.cu). A line that was
 * there is lost when as many others have come since it was used: a loop that is longer than the cache has none of its lines left.
 */
import type { GpuValues } from "../gpus/figures.ts";

const lineBytes = 128;

export class CodeFetch {
  readonly #gpu: GpuValues;
  /** By instruction. */
  readonly #line: Uint32Array;
  readonly #interval: number;
  /** By line, when it has come; -1 before it is asked for. */
  readonly #there: Float64Array;
  /** By line, how many had been fetched when it was used last. */
  readonly #used: Float64Array;
  #fetches = 0;
  /** Lines that have ever been there. */
  #met = 0;
  #lastLine = -1;
  #lastAt = 0;
  /** The line that was asked for last had never been there. */
  isFirst = false;

  /** @param activeSms SMs that the launch has blocks for */
  constructor(gpu: GpuValues, instructions: number, activeSms: number) {
    this.#gpu = gpu;
    this.#line = Uint32Array.from({ length: instructions }, (_, k) => Math.floor(k / gpu.codeLineInstructions));
    const lines = Math.floor(instructions / gpu.codeLineInstructions) + 1;
    this.#there = new Float64Array(lines).fill(-1);
    this.#used = new Float64Array(lines);
    // Blocks go to one of two SMs first.
    this.#interval = 2 * activeSms > gpu.smCount ? gpu.codeIntervalShared : gpu.codeInterval;
  }

  /** When the line of an instruction is there for a warp that comes to it at `at`. */
  at(instruction: number, at: number): number {
    const line = this.#line[instruction]!;
    const since = this.#fetches - this.#used[line]!;
    this.isFirst = this.#there[line]! < 0;
    if (this.isFirst || since * lineBytes >= this.#gpu.codeCacheBytes) this.#fetch(line, since, at);
    this.#used[line] = this.#fetches;
    return this.#there[line]!;
  }

  #fetch(line: number, since: number, at: number): void {
    const { codeLatency, codeFarInterval, codeStartBytes, codeNextCacheBytes } = this.#gpu;
    this.#fetches++;
    const before = this.#met;
    if (this.isFirst) this.#met++;
    // The first line is what a block's start waits for.
    if (before === 0) this.#lastAt = at;
    else if (this.isFirst) {
      // The later ones are fetched further ahead. Which of two SMs asks first is not known: one may find what the other was brought.
      const late = codeLatency * (Math.sqrt(before) - Math.sqrt(before - 1));
      const far = before * lineBytes >= codeStartBytes ? this.#lastAt + codeFarInterval : 0;
      this.#lastAt = Math.max(at + late, far);
    } else {
      const interval = since * lineBytes >= codeNextCacheBytes ? codeFarInterval : this.#interval;
      this.#lastAt = Math.max(line === this.#lastLine + 1 ? at : at + interval, this.#lastAt + interval);
    }
    this.#lastLine = line;
    this.#there[line] = this.#lastAt;
  }
}
