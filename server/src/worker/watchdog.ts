/**
 * Tells a thread that is busy from one that is stuck. It is asked at regular ticks, and counts those that it was asked at: a machine
 * that slept, or a server that had no turn, does not count.
 */

/** Ticks that a thread may take. */
export interface Patience {
  /** Without a sign of life. */
  readonly silent: number;
  /** To come to the end of what is not wanted any more. */
  readonly unwanted: number;
  /** For what cannot be cancelled, and keeps everybody waiting. */
  readonly whole: number;
}

/**
 * In seconds. A text of 20,000 lines is silent for 0.3 s at most and done in 1 s, one of 100,000 lines for 2 s and in 5; a machine
 * may be ten times as slow, and do other things besides.
 */
export const patience: Patience = { silent: 20, unwanted: 20, whole: 90 };

export class Watchdog {
  readonly #patience: Patience;
  #beats = 0;
  #silent = 0;
  /** Since it began what cannot be cancelled, or since what it does is not wanted; undefined where it may take its time. */
  #counted: { readonly most: number; ticks: number } | undefined;

  constructor(most: Patience = patience) {
    this.#patience = most;
  }

  /** It has been given something to do. @param beats of its pulse */
  begins(beats: number, mayBeCancelled: boolean): void {
    this.#beats = beats;
    this.#silent = 0;
    this.#counted = mayBeCancelled ? undefined : { most: this.#patience.whole, ticks: 0 };
  }

  /** What it does, and may be cancelled, is not wanted any more. */
  cancelled(): void {
    this.#counted ??= { most: this.#patience.unwanted, ticks: 0 };
  }

  /** A tick has passed in which it was at work. @returns why it must be ended, once it must */
  tick(beats: number): string | undefined {
    this.#silent = beats === this.#beats ? this.#silent + 1 : 0;
    this.#beats = beats;
    if (this.#counted) this.#counted.ticks++;
    if (this.#silent >= this.#patience.silent) return `no sign of life for ${this.#patience.silent} s`;
    const { ticks = 0, most = 1 } = this.#counted ?? {};
    return ticks >= most ? `no answer within ${most} s` : undefined;
  }
}
