/**
 * What the worker does next: one request at a time, the newest text of each document only. Findings go before simulations, whose
 * document is put back when one gives way; a document that changes while it is simulated cancels that run.
 */
import type { AnalysisWorker, FileFindings, SimulationMessage, SimulationOrder } from "../worker/messages.ts";

export type Does = "find" | "simulate";

export interface QueueEvents {
  /** What to ask now, if anything: asked when the document's turn comes, so that it is never stale. */
  jobOf(uri: string, does: Does): { readonly path: string; readonly order: SimulationOrder } | undefined;
  found(uri: string, findings: FileFindings): void;
  told(uri: string, message: SimulationMessage): void;
  failed(uri: string, error: Error): void;
  /** The number of documents whose simulation waits or runs has changed. */
  busy(count: number): void;
}

export class WorkQueue {
  readonly #worker: AnalysisWorker;
  readonly #events: QueueEvents;
  /** Newest request last: what the user just typed goes first. */
  readonly #waiting: { readonly [What in Does]: Set<string> } = { find: new Set(), simulate: new Set() };
  #running: { readonly uri: string; readonly does: Does } | undefined;

  constructor(worker: AnalysisWorker, events: QueueEvents) {
    this.#worker = worker;
    this.#events = events;
  }

  /** Asks for a document's findings; whatever is simulated gives way. */
  find(uri: string): void {
    if (this.#running?.does === "simulate") {
      const { uri: given } = this.#running;
      // Its own document's simulation is asked for anew once the user pauses.
      if (given !== uri) this.#putBack(given);
      this.#worker.cancel();
    }
    this.#ask("find", uri);
  }

  /** Asks for a document's simulation; cancels the one under way for an older text of it. */
  simulate(uri: string): void {
    if (this.#running?.does === "simulate" && this.#running.uri === uri) this.#worker.cancel();
    this.#ask("simulate", uri);
  }

  /** Forgets a document that was closed. */
  drop(uri: string): void {
    this.#waiting.find.delete(uri);
    this.dropSimulation(uri);
  }

  /** No simulation of this document is wanted. */
  dropSimulation(uri: string): void {
    this.#waiting.simulate.delete(uri);
    if (this.#running?.does === "simulate" && this.#running.uri === uri) this.#worker.cancel();
    this.#tell();
  }

  #ask(does: Does, uri: string): void {
    this.#waiting[does].delete(uri);
    this.#waiting[does].add(uri);
    this.#tell();
    void this.#next();
  }

  /** First in line to be the last one asked for: others were asked for later. */
  #putBack(uri: string): void {
    const rest = [...this.#waiting.simulate].filter((each) => each !== uri);
    this.#waiting.simulate.clear();
    for (const each of [uri, ...rest]) this.#waiting.simulate.add(each);
  }

  #tell(): void {
    const { simulate } = this.#waiting;
    const running = this.#running?.does === "simulate" && !simulate.has(this.#running.uri) ? 1 : 0;
    this.#events.busy(simulate.size + running);
  }

  async #next(): Promise<void> {
    if (this.#running) return;
    const does: Does = this.#waiting.find.size > 0 ? "find" : "simulate";
    const uri = [...this.#waiting[does]].at(-1);
    if (uri === undefined) return;
    this.#waiting[does].delete(uri);
    const asked = this.#events.jobOf(uri, does);
    if (asked) {
      this.#running = { uri, does };
      try {
        await this.#run(uri, does, asked);
      } catch (error) {
        this.#events.failed(uri, error instanceof Error ? error : new Error(String(error)));
      }
      this.#running = undefined;
    }
    this.#tell();
    void this.#next();
  }

  async #run(uri: string, does: Does, { path, order }: { readonly path: string; readonly order: SimulationOrder }): Promise<void> {
    if (does === "find") this.#events.found(uri, await this.#worker.find(path));
    else await this.#worker.simulate(path, order, (message) => this.#events.told(uri, message));
  }
}
