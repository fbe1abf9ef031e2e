/** Passes news on at once, and what follows soon after all together. */
export class Throttle {
  readonly #interval: number;
  readonly #tell: (key: string) => void;
  /** Since when something was told: a timer, and whether there is more to tell when it ends. */
  readonly #quiet = new Map<string, { readonly timer: ReturnType<typeof setTimeout>; hasMore: boolean }>();

  /** @param interval milliseconds between two times that the same key is told */
  constructor(interval: number, tell: (key: string) => void) {
    this.#interval = interval;
    this.#tell = tell;
  }

  news(key: string): void {
    const quiet = this.#quiet.get(key);
    if (quiet) {
      quiet.hasMore = true;
      return;
    }
    const timer = setTimeout(() => {
      const hasMore = this.#quiet.get(key)?.hasMore;
      this.#quiet.delete(key);
      if (hasMore) this.news(key);
    }, this.#interval);
    this.#quiet.set(key, { timer, hasMore: false });
    this.#tell(key);
  }

  /** Tells it now, whatever was told before. */
  last(key: string): void {
    this.drop(key);
    this.#tell(key);
  }

  drop(key: string): void {
    clearTimeout(this.#quiet.get(key)?.timer);
    this.#quiet.delete(key);
  }

  clear(): void {
    for (const key of [...this.#quiet.keys()]) this.drop(key);
  }
}
