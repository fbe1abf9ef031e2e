/** What a thread does while nobody asks anything of it, a step at a time. */

export class Rest {
  readonly #ready: Promise<unknown>;
  /** What is gone through, or is to be as soon as it can. */
  #steps: (() => Iterator<void>) | undefined;

  /** @param ready nothing begins before: nobody waits for it, and where it fails nothing does */
  constructor(ready: Promise<unknown>) {
    this.#ready = ready;
  }

  /** Goes through the steps, in place of what it went through, until it is stopped. What throws ends them: nobody asked for them. */
  begin(steps: () => Iterator<void>): void {
    this.#steps = steps;
    void this.#ready.then(
      () => {
        if (this.#steps === steps) this.#goOn(steps, steps());
      },
      () => undefined,
    );
  }

  stop(): void {
    this.#steps = undefined;
  }

  #goOn(steps: () => Iterator<void>, left: Iterator<void>): void {
    if (this.#steps !== steps) return;
    try {
      if (!left.next().done) setImmediate(() => this.#goOn(steps, left));
    } catch {
      // Whoever asks about that text is told.
      this.stop();
    }
  }
}
