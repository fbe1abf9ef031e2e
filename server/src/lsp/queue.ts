/**
 * What the worker does next: one request at a time, the newest text of each document only. Findings go before what the user asks for,
 * that before a look at which other documents have changed with this one, a broken text's being settled, and simulations. A document is
 * put back when its simulation gives way; one that changes while it is simulated cancels that run. While the user types, the last three
 * are held: none that would only be cancelled by the next key is begun.
 */

import type { AnalysisWorker, FileFindings, SimulationMessage, SimulationOrder } from "../worker/messages.ts";

export type Does = "find" | "settle" | "simulate";

export interface QueueEvents {
  /** What to ask now, if anything: asked when the document's turn comes, so that it is never stale. */
  jobOf(uri: string, does: Does): { readonly path: string; readonly order: SimulationOrder } | undefined;
  found(uri: string, findings: FileFindings): void;
  told(uri: string, message: SimulationMessage): void;
  /** A simulation is over: told to its end, cancelled, or failed. @param isAskedAgain whether another one of the document waits */
  simulated(uri: string, isAskedAgain: boolean): void;
  /** These files' findings and figures are of older texts of other files. */
  outdated(paths: readonly string[]): void;
  failed(uri: string, does: Does, error: Error): void;
}

/** Something that the user waits for. */
export interface Wish<T = unknown> {
  readonly uri: string;
  /** Asked when its turn comes; undefined where it is not to be had any more. */
  ask(worker: AnalysisWorker): Promise<T | undefined> | undefined;
  /** Undefined: it was cancelled, or its document has changed. */
  done(answer: T | undefined): void;
  failed(error: unknown): void;
}

export class WorkQueue {
  readonly #worker: AnalysisWorker;
  readonly #events: QueueEvents;
  /** Newest request last: what the user just typed goes first. */
  readonly #waiting: { readonly [What in Does]: Set<string> } = { find: new Set(), settle: new Set(), simulate: new Set() };
  readonly #wishes: Wish[] = [];
  /** It gave way, and its turn comes again. */
  #postponed: Wish | undefined;
  #running: { readonly uri: string; readonly does: Does | Wish } | undefined;
  #isHeld = false;
  #looksForOutdated = false;

  constructor(worker: AnalysisWorker, events: QueueEvents) {
    this.#worker = worker;
    this.#events = events;
  }

  /** Asks for a document's findings; whatever is simulated gives way. */
  find(uri: string): void {
    // Its own document's simulation is asked for anew. What was wished for is not: where only other files have changed it still holds, and
    // where the text has it says so when its turn comes.
    this.#giveWay(uri);
    this.#ask("find", uri);
  }

  /** Asks for what the user waits for; what is simulated gives way. */
  wish(wish: Wish): void {
    if (typeof this.#running?.does === "string") this.#giveWay();
    this.#wishes.push(wish);
    void this.#next();
  }

  /** Nobody waits for it any more. */
  dropWish(wish: Wish): void {
    if (this.#postponed === wish) this.#postponed = undefined;
    if (this.#running?.does === wish) this.#worker.cancel();
    const at = this.#wishes.indexOf(wish);
    if (at < 0) return;
    this.#wishes.splice(at, 1);
    wish.done(undefined);
  }

  /** What can be cancelled is, and comes next again; but for what is done with this document. */
  #giveWay(uri?: string): void {
    if (!this.#running || this.#running.does === "find") return;
    const { uri: given, does } = this.#running;
    if (typeof does === "object") this.#postponed = does;
    else if (given !== uri) this.#putBack(given, does);
    this.#worker.cancel();
  }

  /** Asks for a document's findings once more, as if no other text of it had been seen. */
  settle(uri: string): void {
    this.#ask("settle", uri);
  }

  /** A document has changed: others may rest on it. */
  lookForOutdated(): void {
    this.#looksForOutdated = true;
  }

  /** Asks for a document's simulation; cancels the one under way for an older text or older settings of it. */
  simulate(uri: string): void {
    if (this.#isSimulating(uri)) this.#worker.cancel();
    this.#ask("simulate", uri);
  }

  /** Asks once more for what failed, when nothing else waits: it may fail again, and others have waited for it already. */
  again(uri: string, does: Does): void {
    this.#putBack(uri, does);
    void this.#next();
  }

  /** Begins nothing but findings and wishes until it is released; what is under way goes on. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    void this.#next();
  }

  /** Forgets a document that was closed. */
  drop(uri: string): void {
    this.#waiting.find.delete(uri);
    this.#waiting.settle.delete(uri);
    const { does } = this.#running?.uri === uri ? this.#running : {};
    if (typeof does === "object") this.dropWish(does);
    else if (does === "settle") this.#worker.cancel();
    for (const wish of this.#wishes.filter((each) => each.uri === uri)) this.dropWish(wish);
    this.dropSimulation(uri);
  }

  /** No simulation of this document is wanted. */
  dropSimulation(uri: string): void {
    this.#waiting.simulate.delete(uri);
    if (this.#isSimulating(uri)) this.#worker.cancel();
  }

  #isSimulating(uri: string): boolean {
    return this.#running?.does === "simulate" && this.#running.uri === uri;
  }

  #ask(does: Does, uri: string): void {
    this.#waiting[does].delete(uri);
    this.#waiting[does].add(uri);
    void this.#next();
  }

  /** First in line to be the last one asked for: others were asked for later. */
  #putBack(uri: string, does: Does): void {
    const waiting = this.#waiting[does];
    const rest = [...waiting].filter((each) => each !== uri);
    waiting.clear();
    for (const each of [uri, ...rest]) waiting.add(each);
  }

  async #next(): Promise<void> {
    if (this.#running) return;
    const wish = this.#waiting.find.size > 0 ? undefined : this.#wishes.shift();
    if (wish) return this.#grant(wish);
    if (this.#looksForOutdated && this.#waiting.find.size === 0 && !this.#isHeld) return this.#tellOutdated();
    const does = this.#turn();
    const uri = [...this.#waiting[does]].at(-1);
    if (uri === undefined) {
      this.#worker.rest();
      return;
    }
    this.#waiting[does].delete(uri);
    const asked = this.#events.jobOf(uri, does);
    if (asked) {
      this.#running = { uri, does };
      try {
        await this.#run(uri, does, asked);
      } catch (error) {
        this.#events.failed(uri, does, error instanceof Error ? error : new Error(String(error)));
      }
      this.#running = undefined;
      if (does === "simulate") this.#events.simulated(uri, this.#waiting.simulate.has(uri));
    }
    void this.#next();
  }

  async #tellOutdated(): Promise<void> {
    this.#looksForOutdated = false;
    this.#running = { uri: "", does: "find" };
    // A worker that failed is told everything anew; what was asked of it besides says so.
    const paths = await this.#worker.outdated().catch(() => []);
    this.#running = undefined;
    if (paths.length > 0) this.#events.outdated(paths);
    void this.#next();
  }

  #turn(): Does {
    if (this.#waiting.find.size > 0 || this.#isHeld) return "find";
    return this.#waiting.settle.size > 0 ? "settle" : "simulate";
  }

  async #grant(wish: Wish): Promise<void> {
    this.#running = { uri: wish.uri, does: wish };
    try {
      const answer = await wish.ask(this.#worker);
      if (answer === undefined && this.#postponed === wish) this.#wishes.unshift(wish);
      else wish.done(answer);
    } catch (error) {
      wish.failed(error);
    }
    this.#postponed = undefined;
    this.#running = undefined;
    void this.#next();
  }

  async #run(uri: string, does: Does, { path, order }: { readonly path: string; readonly order: SimulationOrder }): Promise<void> {
    if (does === "find") this.#events.found(uri, await this.#worker.find(path));
    else if (does === "settle") {
      const findings = await this.#worker.settle(path);
      if (findings) this.#events.found(uri, findings);
    } else await this.#worker.simulate(path, order, (message) => this.#events.told(uri, message));
  }
}
