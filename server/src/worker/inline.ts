/** A worker without a thread, for a browser: requests that wait are answered between two launches. */
import type { FileHost } from "../analysis/settings.ts";
import { AnalysisError, type AnalysisWorker } from "./messages.ts";
import { JobRunner } from "./run.ts";

/**
 * The longest that something may keep requests waiting, in milliseconds: a launch, whose steps are bounded already, so that only a slow
 * machine comes to it, where no figures of the file would be worse than a pause; and what is tried in the panel.
 */
const [launchBudget, triedBudget] = [6000, 1500];

const tooLong = "it takes too long here";

function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw AnalysisError.of(error);
  }
}

/** Its caller tells it everything from the start: it never dies. */
export function inlineWorker(files: FileHost): AnalysisWorker {
  const runner = new JobRunner(files);
  const turn = () => new Promise<void>((resolve) => setTimeout(resolve));
  let current = 0;
  /** Undefined when it was cancelled before it began, as when its file was closed. */
  const wished = async <T>(ask: (isOver: () => boolean) => T | undefined, otherwise: T): Promise<T | undefined> => {
    const id = ++current;
    await turn();
    if (id !== current) return undefined;
    const started = Date.now();
    return attempt(() => ask(() => Date.now() - started > triedBudget)) ?? otherwise;
  };
  return {
    tell: (input) => runner.tell(input),
    async find(path) {
      await turn();
      return attempt(() => runner.find(path));
    },
    settle: (path) => wished(() => runner.settle(path, () => false), undefined),
    async headers(path) {
      await turn();
      return attempt(() => runner.headers(path));
    },
    async outdated() {
      await turn();
      return attempt(() => runner.outdated());
    },
    async simulate(path, order, told) {
      const id = ++current;
      await turn();
      if (id !== current) return false;
      let started = Date.now();
      const messages = runner.simulate(path, order, () => id !== current || Date.now() - started > launchBudget);
      let hasEnded = false;
      for (;;) {
        const { done, value } = attempt(() => messages.next());
        if (done) return hasEnded;
        told(value);
        hasEnded ||= value.type === "end";
        await turn();
        if (id !== current) return hasEnded;
        started = Date.now();
      }
    },
    imagine: (path, question) => wished((isOver) => runner.imagine(path, question, isOver), { reason: tooLong }),
    watch: (path, question, warp) => wished((isOver) => runner.watch(path, question, warp, isOver), { why: tooLong }),
    write: (path, question) => wished((isOver) => runner.write(path, question, isOver), { why: tooLong }),
    tryRefactorings: (path, offers) => wished((isOver) => runner.tryRefactorings(path, offers, isOver), []),
    // What has parsed a file here keeps its tree already.
    rest() {},
    cancel() {
      current++;
    },
    dispose() {
      current++;
    },
  };
}
