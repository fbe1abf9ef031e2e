/** A simulator without a thread, for a browser's worker: a job runs when the requests that wait have been answered. */
import type { FileHost } from "../analysis/facts.ts";
import type { Simulator } from "./job.ts";
import { runJob } from "./run.ts";

/** The longest a job may keep requests waiting, in milliseconds. */
const budget = 1500;

export function inlineSimulator(files: FileHost): Simulator {
  let current = 0;
  return {
    async run(job) {
      const id = ++current;
      await new Promise<void>((resolve) => setTimeout(resolve));
      if (id !== current) return undefined;
      const started = Date.now();
      return runJob(job, files, () => id !== current || Date.now() - started > budget);
    },
    cancel() {
      current++;
    },
    dispose() {
      current++;
    },
  };
}
