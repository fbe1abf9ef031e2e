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

/** More than an nvcc is given. */
const compilerSeconds = 150;
/** Seconds between two looks at what an inspector does. */
const betweenLooks = 0.1;
/** How many times as long as it may work it may wait for something that does not come. */
const patience = 12;

/** How often one is started that does not come to its first file. */
const mostStarts = 3;
/** Seconds that it may take to start, however short the time of a file is: what a slow disk or machine takes is no file's fault. */
const leastStart = 30;

/** A file whose inspector was lost on it. */
export interface Lost {
  readonly failure: Failure;
  /** The outcome without simulation, as JSON, where it came to that. */
  readonly soFar: string | undefined;
}

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

  /** The answer, or why there is none, and what there is without. Rejects where no inspector can be started. */
  async inspect(job: Job): Promise<Answer | Lost> {
    let inspector = await this.#take();
    try {
      for (;;) {
        const used = inspector?.isFit ? inspector : undefined;
        if (!used && inspector) this.#end(inspector);
        inspector = used ?? (await this.#ready());
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

  async #watched(inspector: Inspector, job: Job): Promise<Answer | Lost | { readonly died: Lost }> {
    const { seconds } = this.#options;
    let stage: string | undefined;
    let soFar: string | undefined;
    const failure = (reason: string): Lost => ({ failure: { stage: stage ?? "inspection", reason }, soFar });
    const inspected = inspector
      .inspect(job, seconds, {
        entered(name) {
          stage = name;
        },
        soFar(outcome) {
          soFar = outcome;
        },
      })
      .catch((error: Error) => ({ died: failure(error.message) }));
    // A compiler has a limit of its own.
    const clock = new Clock(inspector, job.nvcc === undefined ? seconds : seconds + compilerSeconds);
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

  /** A new one. Rejects where none can be started: that another ended it as it was starting may be chance, and costs no file. */
  async #ready(): Promise<Inspector> {
    for (let left = mostStarts; ; left--) {
      const inspector = this.#options.start();
      this.#all.add(inspector);
      try {
        if (await this.#starts(inspector)) return inspector;
      } catch (error) {
        this.#end(inspector);
        if (left === 1) throw error;
        continue;
      }
      this.#end(inspector);
      throw new Error(`the process that inspects files does not start within ${this.#startSeconds} s`);
    }
  }

  get #startSeconds(): number {
    return Math.max(this.#options.seconds, leastStart);
  }

  /** Whether it comes to its first file in time: it may have been stopped. Rejects where it ends before. */
  async #starts(inspector: Inspector): Promise<boolean> {
    const clock = new Clock(inspector, this.#startSeconds);
    try {
      return await Promise.race([inspector.ready.then(() => true), clock.late.then(() => false)]);
    } finally {
      clock.stop();
    }
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

/** The time of a file: that in which a busy machine does something else does not count, where the system tells it. */
class Clock {
  /** Resolves when the file is over its time. */
  readonly late: Promise<void>;
  readonly #timer: NodeJS.Timeout;

  constructor(inspector: Inspector, seconds: number) {
    const started = performance.now();
    const before = inspector.usage()?.seconds ?? 0;
    let asleep = 0;
    let late = (): void => undefined;
    this.late = new Promise((resolve) => {
      late = resolve;
    });
    this.#timer = setInterval(() => {
      const usage = inspector.usage();
      if (usage?.isAsleep) asleep += betweenLooks;
      const worked = usage ? usage.seconds - before : (performance.now() - started) / 1000;
      if (worked >= seconds || asleep >= patience * seconds) late();
    }, 1000 * betweenLooks);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
