/**
 * When documents are analysed: findings at once; those of a broken text once more, and simulations, when they are there and the user has
 * paused. Takes what the worker tells to the documents' states, and says what of them has changed.
 */

import { formatTime } from "../units.ts";
import { AnalysisError, type AnalysisWorker, type FileFindings, type SimulationMessage, type SimulationOrder } from "../worker/messages.ts";
import type { DocumentState } from "./document-state.ts";
import { type ProgressBar, SimulationProgress } from "./progress.ts";
import type { StatusParams } from "./protocol.ts";
import { type Does, type Wish, WorkQueue } from "./queue.ts";
import { Throttle } from "./throttle.ts";

export interface ScheduleEvents {
  error(message: string): void;
  /** For the log. */
  note(message: string): void;
  /** The findings of a document are others than before. */
  findings(uri: string): void;
  /** The figures of a document are others than before. */
  figures(uri: string): void;
  /** How much is being simulated has changed. */
  running(): void;
  /** All of a document's launches are simulated. */
  simulated(uri: string): void;
  /** These files' findings and figures are of older texts of other files. */
  outdated(paths: readonly string[]): void;
  /** A document is set aside. */
  setAside(uri: string, failure: AnalysisError): void;
  /** Shows that the launches of a document are simulated on a GPU. @param cancelled to be called when the user wants no more of it */
  progress(gpu: string, cancelled: () => void): ProgressBar;
}

/** Typing that does not pause is not simulated; so many milliseconds after the findings are a pause. */
const pause = 120;
/** Milliseconds between two times that somebody is told of new figures of one document. */
const betweenFigures = 100;
/** The same of fixes that were tried: all findings are told with them. */
const betweenProofs = 500;

export class Schedule {
  readonly #stateOf: (uri: string) => DocumentState | undefined;
  readonly #events: ScheduleEvents;
  readonly #queue: WorkQueue;
  readonly #progress: SimulationProgress;
  readonly #figures: Throttle;
  readonly #proofs: Throttle;
  /** When the last simulation began, in milliseconds. */
  #began = 0;
  #pause: ReturnType<typeof setTimeout> | undefined;
  #running: Pick<StatusParams, "simulating" | "progress"> = { simulating: 0 };

  constructor(worker: AnalysisWorker, stateOf: (uri: string) => DocumentState | undefined, events: ScheduleEvents) {
    this.#stateOf = stateOf;
    this.#events = events;
    this.#queue = new WorkQueue(worker, {
      jobOf: (uri, does) => this.#job(uri, does),
      found: (uri, findings) => this.#found(uri, findings),
      told: (uri, message) => this.#told(uri, message),
      simulated: (uri, isAskedAgain) => this.#simulated(uri, isAskedAgain),
      outdated: (paths) => events.outdated(paths),
      failed: (uri, does, error) => this.#failed(uri, does, error),
    });
    this.#progress = new SimulationProgress({
      begin: (uri, cancelled) => this.#showProgress(uri, cancelled),
      cancelled: (uri) => this.#stop(uri),
    });
    this.#figures = new Throttle(betweenFigures, (uri) => events.figures(uri));
    this.#proofs = new Throttle(betweenProofs, (uri) => events.findings(uri));
  }

  dispose(): void {
    clearTimeout(this.#pause);
    this.#figures.clear();
    this.#proofs.clear();
    this.#progress.end();
  }

  /** What is being simulated. */
  get running(): Pick<StatusParams, "simulating" | "progress"> {
    return this.#running;
  }

  find(uri: string): void {
    this.#queue.find(uri);
  }

  simulate(uri: string): void {
    this.#queue.simulate(uri);
  }

  /** No simulation of this document is wanted. */
  dropSimulation(uri: string): void {
    this.#queue.dropSimulation(uri);
  }

  /** A document was opened, edited or closed: others that rest on it are looked for when the user pauses. */
  changed(): void {
    this.#queue.lookForOutdated();
  }

  /** The user types: whatever would be simulated waits. */
  typed(): void {
    this.#queue.hold();
    clearTimeout(this.#pause);
  }

  /**
   * What the user asks for besides. Simulations wait until no more has been asked for a moment: each would only give way to the next.
   * @param cancelled calls back when nobody waits any more
   */
  wish<T>(uri: string, ask: Wish<T>["ask"], cancelled: (callback: () => void) => void): Promise<T | undefined> {
    this.typed();
    return new Promise<T | undefined>((done, failed) => {
      const wish: Wish<T> = { uri, ask, done, failed };
      this.#queue.wish(wish as Wish);
      cancelled(() => this.#queue.dropWish(wish as Wish));
    }).finally(() => this.#simulateAfterPause());
  }

  /** What is shown of a document's figures does not hold any more. */
  figuresChanged(uri: string): void {
    this.#figures.last(uri);
  }

  /** Forgets a document that was closed. */
  drop(uri: string): void {
    this.#queue.drop(uri);
    this.#figures.drop(uri);
    this.#proofs.drop(uri);
    // Its findings, which others waited for, may never come.
    this.#simulateAfterPause();
  }

  /** The simulation under way is not wanted, until its text or settings change. */
  stop(): void {
    this.#progress.cancel();
  }

  #stop(uri: string): void {
    this.#stateOf(uri)?.stop();
    this.#queue.dropSimulation(uri);
    this.#figures.last(uri);
  }

  #job(uri: string, does: Does): { readonly path: string; readonly order: SimulationOrder } | undefined {
    const state = this.#stateOf(uri);
    if (!state?.attempts.allows(does) || (does === "find" && state.hasFindings)) return undefined;
    if (does === "settle" && !state.isUnsettled) return undefined;
    if (does !== "simulate") state.asksFindings();
    else {
      state.asksSimulation();
      this.#began = Date.now();
      this.#progress.begin(uri);
      this.#runs({ simulating: 1 });
    }
    return { path: state.path, order: state.order };
  }

  #runs(running: Pick<StatusParams, "simulating" | "progress">): void {
    this.#running = running;
    this.#events.running();
  }

  #showProgress(uri: string, cancelled: () => void): ProgressBar {
    // What lasts is marked now, if the client has not asked since the edit.
    this.#figures.last(uri);
    const bar = this.#events.progress(this.#stateOf(uri)?.held.gpu.name ?? "", cancelled);
    return {
      report: (done, of) => {
        bar.report(done, of);
        this.#runs({ simulating: 1, progress: { done, ...(of === undefined ? {} : { of }) } });
      },
      end: () => bar.end(),
    };
  }

  #found(uri: string, findings: FileFindings): void {
    for (const failure of findings.failures) this.#events.error(failure);
    this.#simulateAfterPause();
    const state = this.#stateOf(uri);
    if (!state) return;
    const { isAwaited } = state;
    const isFirst = state.figures.run === undefined;
    if (!state.found(findings)) return;
    if (state.isUnsettled) this.#queue.settle(uri);
    // Whoever waits has its answer.
    if (!isAwaited) this.#events.findings(uri);
    if (isFirst) this.#figures.last(uri);
  }

  #simulateAfterPause(): void {
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => this.#queue.release(), pause);
  }

  #failed(uri: string, does: Does, error: Error): void {
    const failure = AnalysisError.of(error);
    const what = does === "simulate" ? "simulation" : "analysis";
    this.#events.error(`The ${what} of ${uri} ${failure.isEnd ? "was ended" : "failed"}: ${failure.details ?? failure.message}`);
    this.#simulateAfterPause();
    const state = this.#stateOf(uri);
    if (!state) return;
    if (state.attempts.failed(does, failure, state.asksPresent(does))) {
      this.#queue.again(uri, does);
      return;
    }
    const { isAwaited } = state;
    if (does === "find") state.failed();
    state.stop();
    this.#figures.last(uri);
    if (!isAwaited) this.#events.findings(uri);
    this.#events.setAside(uri, failure);
  }

  #told(uri: string, message: SimulationMessage): void {
    const state = this.#stateOf(uri);
    if (!state?.told(message)) return;
    const { run } = state.figures;
    if (run) this.#progress.report(run.done, run.total);
    if (message.type === "findings") {
      for (const failure of message.failures) this.#events.error(failure);
      this.#events.findings(uri);
    } else if (message.type === "result") this.#figures.news(uri);
    if (message.type === "refactorings") for (const failure of message.failures) this.#events.error(failure);
    if (message.type === "proof") this.#tried(uri, state, message);
    if (message.type === "end") {
      this.#events.note(this.#account(uri, state));
      this.#progress.end();
      this.#runs({ simulating: 0 });
      this.#events.simulated(uri);
    }
  }

  /** `/w/a.cu: 5 launches simulated on NVIDIA H200 in 0.8 s; 1 not: k, line 12: …` */
  #account(uri: string, { figures, held }: DocumentState): string {
    const reasons = figures.launches.flatMap(({ place, result, now }) => {
      const reason = now?.reason ?? result?.result.reason;
      return reason === undefined ? [] : [`${place.kernelName}, line ${place.line}: ${reason}`];
    });
    const done = figures.launches.length - reasons.length;
    const simulated = `${uri}: ${done} launch${done === 1 ? "" : "es"} simulated on ${held.gpu.name} in ${formatTime(1e6 * (Date.now() - this.#began))}`;
    return reasons.length === 0 ? simulated : `${simulated}; ${reasons.length} not: ${reasons.join("; ")}`;
  }

  /** What is offered has changed; what is not offered is told in the log. */
  #tried(uri: string, state: DocumentState, { diagnostic: index, fix, proof }: SimulationMessage & { readonly type: "proof" }): void {
    const of = state.figures.diagnostics?.diagnostics[index];
    if (proof.verdict === "withheld" && of)
      this.#events.note(`${uri}:${of.range.start.line + 1}: ${of.ruleId}: not offered: ${of.fixes[fix]?.title}: ${proof.why}`);
    this.#proofs.news(uri);
  }

  #simulated(uri: string, isAskedAgain: boolean): void {
    this.#progress.end();
    this.#runs({ simulating: 0 });
    const state = this.#stateOf(uri);
    if (!state) return;
    // It failed, or was given up: nobody is at it any more.
    if (!isAskedAgain && !state.isSimulated) state.stop();
    this.#figures.last(uri);
  }
}
