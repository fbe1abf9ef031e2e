/** How far means are known of what is drawn one after another. */
export class Spread {
  count = 0;
  /** By position in the vectors that were added. */
  readonly sums: Float64Array;
  readonly #squares: Float64Array;

  constructor(length: number) {
    this.sums = new Float64Array(length);
    this.#squares = new Float64Array(length);
  }

  add(vector: Float64Array): void {
    this.count++;
    for (let k = 0; k < vector.length; k++) {
      const value = vector[k]!;
      this.sums[k]! += value;
      this.#squares[k]! += value * value;
    }
  }

  /** The largest relative standard error of the means. */
  error(): number {
    let worst = 0;
    for (const [k, sum] of this.sums.entries()) {
      if (sum === 0) continue;
      const mean = sum / this.count;
      const variance = Math.max(0, this.#squares[k]! / this.count - mean * mean);
      worst = Math.max(worst, Math.sqrt(variance / this.count) / mean);
    }
    return worst;
  }
}
