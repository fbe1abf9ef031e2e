/** What an answer may cost, and whether it is still wanted. */

/** Whoever asked no longer wants the answer. */
export class Cancelled extends Error {
  constructor() {
    super("cancelled");
  }
}

/** Steps between two questions whether the answer is still wanted: some milliseconds on a slow machine. */
const betweenQuestions = 1000;

/** Whether the answer is still wanted: asked by a budget and all its shares together. */
interface Asker {
  readonly isCancelled: (() => boolean) | undefined;
  untilQuestion: number;
  taken: number;
}

/**
 * The budget of an answer. Whatever loops spends steps of it and so finds out in time that nobody wants the answer any more. A step
 * is a piece of work of about a microsecond or less: an operation looked at, a warp instruction executed. Steps are counted, never
 * timed, so that the same question always gets the same answer.
 */
export class Work {
  readonly #limit: number;
  readonly #whole: Work | undefined;
  readonly #asker: Asker;
  #spent = 0;

  /**
   * @param steps that may be spent; without, as many as it takes
   * @param isCancelled asked every few milliseconds, so it has to be cheap: true ends the work with `Cancelled`
   */
  constructor(steps = Number.POSITIVE_INFINITY, isCancelled?: () => boolean, whole?: Work) {
    this.#limit = steps;
    this.#whole = whole;
    this.#asker = whole ? whole.#asker : { isCancelled, untilQuestion: betweenQuestions, taken: 0 };
  }

  /**
   * A part of this budget, for one stage of the work: what it spends is spent here too, but for what goes beyond its own limit.
   * @param steps the most the stage may spend
   */
  share(steps: number): Work {
    return new Work(steps, undefined, this);
  }

  /**
   * Spends steps, though there be none left.
   * @returns steps left: negative when these were more than there were
   * @throws Cancelled
   */
  spend(steps: number): number {
    let left = this.#limit - this.#spent;
    let charged = steps;
    this.#spent += steps;
    let least = left - steps;
    for (let whole = this.#whole; whole; whole = whole.#whole) {
      if (left < charged) charged = Math.max(0, left);
      left = whole.#limit - whole.#spent;
      whole.#spent += charged;
      if (left - charged < least) least = left - charged;
    }
    this.ask(steps);
    return least;
  }

  /**
   * Notes steps that no budget bounds, because what was spent before bounds them: it asks only whether the answer is still wanted.
   * @throws Cancelled
   */
  ask(steps: number): void {
    this.#asker.taken += steps;
    this.goOn(steps);
  }

  /**
   * Asks, in the middle of something long that was spent at once, whether the answer is still wanted.
   * @param steps about as many of it as were taken since it was asked last
   * @throws Cancelled
   */
  goOn(steps: number): void {
    const asker = this.#asker;
    asker.untilQuestion -= steps;
    if (asker.untilQuestion > 0) return;
    asker.untilQuestion = betweenQuestions;
    if (asker.isCancelled?.()) throw new Cancelled();
  }

  /** Nobody wants the answer any more: for those who cannot be thrown out of what they do. */
  get isCancelled(): boolean {
    return this.#asker.isCancelled?.() ?? false;
  }

  /** Steps spent so far, by shares too. */
  get spent(): number {
    return this.#spent;
  }

  /** What the whole answer took so far: steps of this budget, of what it is a share of and of all its shares, bounded or not. */
  get taken(): number {
    return this.#asker.taken;
  }

  /** Steps that are left, here and in whatever this is a share of. */
  get left(): number {
    const own = this.#limit - this.#spent;
    return this.#whole ? Math.min(own, this.#whole.left) : own;
  }

  /** Nothing is left: what need not be done is to be left undone. */
  get isOver(): boolean {
    return this.left <= 0;
  }
}
