/** What work on one kernel may cost, and whether it is still wanted. */

/** Whoever asked no longer wants the answer. */
export class Cancelled extends Error {}

/** Operations looked at between two questions whether the answer is still wanted. */
const betweenQuestions = 50_000;

/** Counted in operations looked at, of which about two million take a second. */
export class Work {
  #left: number;
  #untilQuestion = betweenQuestions;
  readonly #isCancelled: (() => boolean) | undefined;

  constructor(operations: number, isCancelled?: () => boolean) {
    this.#left = operations;
    this.#isCancelled = isCancelled;
  }

  /** Throws `Cancelled`. */
  spend(operations: number): void {
    this.#left -= operations;
    this.#untilQuestion -= operations;
    if (this.#untilQuestion > 0) return;
    this.#untilQuestion = betweenQuestions;
    if (this.#isCancelled?.()) throw new Cancelled("cancelled");
  }

  /** What need not be done is to be left. */
  get isOver(): boolean {
    return this.#left <= 0;
  }
}
