/** Several inspectors at work. Each is watched: one that dies or takes too long loses its file, and is replaced. */
import type { Answer, Inspector } from "./inspector.ts";
import { type Failure, type Job, tookTooLong } from "./job.ts";

export interface PoolOptions {
  start(): Inspector;
  /** Inspectors at once. */
  readonly size: number;
  /** For one file. */
  readonly seconds: number;
}

/** On a busy machine a file gets its time of the processor; how many times as long it may take, lest it wait for ever. */
const patience = 12;
/** Milliseconds between two looks at the clock. */
const betweenLooks = 100;

export class InspectorPool {
  readonly #options: PoolOptions;
  readonly #all = new Set<Inspector>();
  /** Those with nothing to do. */
  readonly #idle: Inspector[] = [];
  /** How many more may be started. */
  #left: number;
  readonly #waiting: ((idle: Inspector | undefined) => void)[] = [];

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#left = options.size;
  }

  /** The answer, or why there is none. Rejects where no inspector can be started. */
  async inspect(job: Job): Promise<Answer | Failure> {
    let inspector = await this.#take();
    try {
      for (;;) {
        const used = inspector?.isFit ? inspector : undefined;
        if (!used && inspector) this.#end(inspector);
        inspector = used ?? this.#start();
        await inspector.ready;
        const answer = await this.#watched(inspector, job);
        // What the files before it left behind is not its fault.
        if ("died" in answer && used) continue;
        return "died" in answer ? answer.died : answer;
      }
    } finally {
      if (inspector && !inspector.isFit) {
        this.#end(inspector);
        inspector = undefined;
      }
      this.#give(inspector);
    }
  }

  end(): void {
    for (const inspector of this.#all) this.#end(inspector);
  }

  async #watched(inspector: Inspector, job: Job): Promise<Answer | Failure | { readonly died: Failure }> {
    const { seconds } = this.#options;
    let stage: string | undefined;
    const failure = (reason: string): Failure => ({ stage: stage ?? "inspection", reason });
    const inspected = inspector
      .inspect(job, seconds, (entered) => {
        stage = entered;
      })
      .catch((error: Error) => ({ died: failure(error.message) }));
    const clock = new Clock(inspector, seconds);
    const late = clock.late.then(() => {
      inspector.end();
      return failure(tookTooLong(seconds));
    });
    try {
      return await Promise.race([inspected, late]);
    } finally {
      clock.stop();
    }
  }

  #start(): Inspector {
    const inspector = this.#options.start();
    this.#all.add(inspector);
    return inspector;
  }

  #end(inspector: Inspector): void {
    this.#all.delete(inspector);
    inspector.end();
  }

  /** One with nothing to do, or undefined where another may be started. */
  #take(): Promise<Inspector | undefined> | Inspector | undefined {
    const idle = this.#idle.pop();
    if (idle) return idle;
    if (this.#left > 0) return void this.#left--;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #give(inspector: Inspector | undefined): void {
    const next = this.#waiting.shift();
    if (next) next(inspector);
    else if (inspector) this.#idle.push(inspector);
    else this.#left++;
  }
}

/** How long an inspector has been at a file. */
class Clock {
  /** Resolves when it is over its time. */
  readonly late: Promise<void>;
  readonly #timer: NodeJS.Timeout;

  constructor(inspector: Inspector, seconds: number) {
    const started = performance.now();
    const before = inspector.processorSeconds();
    let late = (): void => undefined;
    this.late = new Promise((resolve) => {
      late = resolve;
    });
    this.#timer = setInterval(() => {
      const waited = (performance.now() - started) / 1000;
      if (waited < seconds) return;
      const now = inspector.processorSeconds();
      const used = before === undefined || now === undefined ? waited : now - before;
      if (used >= seconds || waited >= patience * seconds) late();
    }, betweenLooks);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
