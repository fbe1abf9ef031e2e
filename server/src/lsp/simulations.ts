/**
 * The queue of simulations: one at a time, the newest text of each document only. A document that changes while it is
 * simulated cancels that run. Results come with the version they are of; an older one never replaces a newer.
 */
import type { FileSimulation, Job, Simulator } from "../worker/job.ts";

export interface Done {
  readonly version: number;
  /** The text that was simulated. */
  readonly text: string;
  readonly simulation: FileSimulation;
}

export interface QueueEvents {
  /** What to simulate now: asked when the document's turn comes, so that it is never stale. */
  jobOf(uri: string): { readonly version: number; readonly job: Job } | undefined;
  done(uri: string, done: Done): void;
  failed(uri: string, error: Error): void;
  /** The number of documents that wait or run has changed. */
  busy(count: number): void;
}

export class SimulationQueue {
  readonly #simulator: Simulator;
  readonly #events: QueueEvents;
  /** Newest request last: what the user just typed goes first. */
  readonly #waiting = new Set<string>();
  #running: string | undefined;

  constructor(simulator: Simulator, events: QueueEvents) {
    this.#simulator = simulator;
    this.#events = events;
  }

  /** Asks for a document's simulation; cancels the one under way for an older text of it. */
  request(uri: string): void {
    this.#waiting.delete(uri);
    this.#waiting.add(uri);
    if (this.#running === uri) this.#simulator.cancel();
    this.#tell();
    void this.#next();
  }

  /** Forgets a document that was closed. */
  drop(uri: string): void {
    this.#waiting.delete(uri);
    if (this.#running === uri) this.#simulator.cancel();
    this.#tell();
  }

  #tell(): void {
    this.#events.busy(this.#waiting.size + (this.#running !== undefined && !this.#waiting.has(this.#running) ? 1 : 0));
  }

  async #next(): Promise<void> {
    if (this.#running !== undefined) return;
    const uri = [...this.#waiting].at(-1);
    if (uri === undefined) return;
    this.#waiting.delete(uri);
    const asked = this.#events.jobOf(uri);
    if (asked) {
      this.#running = uri;
      try {
        const simulation = await this.#simulator.run(asked.job);
        if (simulation) this.#events.done(uri, { version: asked.version, text: asked.job.text, simulation });
      } catch (error) {
        this.#events.failed(uri, error instanceof Error ? error : new Error(String(error)));
      }
      this.#running = undefined;
    }
    this.#tell();
    void this.#next();
  }
}
