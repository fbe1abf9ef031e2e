/**
 * How deep questions about meaning may lead, and which answers were cut short by that.
 *
 * Each answer rests on others, and a program can make that go on for ever (templates, mostly). So there is an end to it, behind which
 * everything is unknown. An answer that rests on one cut short is no answer for good: asked from elsewhere, with less below it, it may
 * be known. It is remembered for as long as the outermost question is under way, so that no question asks anything twice.
 */

/** Deeper than this is "unknown". */
export const deepestMeaning = 200;

/** The outermost question under way: what was cut short in it is not looked into again before the next. */
export class Question {
  readonly number: number;
  constructor(number: number) {
    this.number = number;
  }
}

export class Recursion {
  #level = 0;
  #nested = 0;
  #question = new Question(0);
  #cut = 0;
  #ended = 0;

  get level(): number {
    return this.#level;
  }

  get question(): Question {
    return this.#question;
  }

  /** How many answers were cut short so far: because of the depth, or because they would have rested on themselves. */
  get cut(): number {
    return this.#cut;
  }

  /** How often it was the depth, or the steps of a constant. */
  get ended(): number {
    return this.#ended;
  }

  /** An answer would have rested on itself. */
  cutShort(): void {
    this.#cut++;
  }

  /** A budget has ended: what was asked for is unknown, and the user is told that something is. */
  end(): void {
    this.#cut++;
    this.#ended++;
  }

  /** Runs `work` as a part of the question under way, or as a question of its own. */
  ask<T>(work: () => T): T {
    this.#nested++;
    try {
      return work();
    } finally {
      if (--this.#nested === 0) this.#question = new Question(this.#question.number + 1);
    }
  }

  /** Runs `work` one level deeper; gives undefined where that is too deep. */
  deeper<T>(work: () => T | undefined): T | undefined {
    if (this.#level >= deepestMeaning) {
      this.end();
      return undefined;
    }
    this.#level++;
    try {
      return this.ask(work);
    } finally {
      this.#level--;
    }
  }
}
