/** Tells how far a simulation has come, once it takes long enough for somebody to ask: not for what is there at once. */

/** Milliseconds that a simulation may take without a word. */
const silence = 300;

/** One simulation's progress where the user sees it. */
export interface ProgressBar {
  /** Launches that are done, of how many; nothing is known of them at first. */
  report(done: number, of: number | undefined): void;
  end(): void;
}

export interface ProgressEvents {
  /** Shows a new bar. @param cancelled to be called when the user wants no more of it */
  begin(uri: string, cancelled: () => void): ProgressBar;
  cancelled(uri: string): void;
}

/** One simulation runs at a time. */
export class SimulationProgress {
  readonly #events: ProgressEvents;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #bar: ProgressBar | undefined;
  #uri: string | undefined;
  #done = 0;
  #of: number | undefined;

  constructor(events: ProgressEvents) {
    this.#events = events;
  }

  begin(uri: string): void {
    this.end();
    this.#uri = uri;
    this.#timer = setTimeout(() => {
      this.#bar = this.#events.begin(uri, () => this.cancel(uri));
      this.#bar.report(this.#done, this.#of);
    }, silence);
  }

  report(done: number, of: number | undefined): void {
    this.#done = done;
    this.#of = of;
    this.#bar?.report(done, of);
  }

  /** The user wants no more of it. @param uri only if it is that document's */
  cancel(uri = this.#uri): void {
    if (uri !== undefined && uri === this.#uri) this.#events.cancelled(uri);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#bar?.end();
    this.#bar = undefined;
    this.#uri = undefined;
    this.#done = 0;
    this.#of = undefined;
  }
}
