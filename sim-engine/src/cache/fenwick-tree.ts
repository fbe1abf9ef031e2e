/** Sums over ranges of a row of numbers that change (P. Fenwick, A new data structure for cumulative frequency tables, 1994). */
export class FenwickTree {
  readonly #sums: Float64Array;
  #total = 0;

  /** Of `length` zeros. */
  constructor(length: number) {
    this.#sums = new Float64Array(length + 1);
  }

  add(index: number, amount: number): void {
    this.#total += amount;
    for (let i = index + 1; i < this.#sums.length; i += i & -i) this.#sums[i]! += amount;
  }

  /** Of all that stand behind `index`. */
  sumAfter(index: number): number {
    let sum = this.#total;
    for (let i = index + 1; i > 0; i -= i & -i) sum -= this.#sums[i]!;
    return sum;
  }
}
