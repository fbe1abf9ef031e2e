/** A worker without a thread, for a browser: a job runs when the requests that wait have been answered. */
import type { FileHost } from "../analysis/facts.ts";
import type { FileWorker } from "./job.ts";
import { JobRunner } from "./run.ts";

/** The longest a simulation may keep requests waiting, in milliseconds. */
const budget = 1500;

export function inlineWorker(files: FileHost): FileWorker {
  const runner = new JobRunner(files);
  const turn = () => new Promise<void>((resolve) => setTimeout(resolve));
  let current = 0;
  return {
    async find(job) {
      await turn();
      return runner.find(job);
    },
    async simulate(job) {
      const id = ++current;
      await turn();
      if (id !== current) return undefined;
      const started = Date.now();
      return runner.simulate(job, () => id !== current || Date.now() - started > budget);
    },
    cancel() {
      current++;
    },
    dispose() {
      current++;
    },
  };
}
