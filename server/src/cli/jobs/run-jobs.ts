/** Many jobs: what is kept of them need not be done again, the rest is done several at a time. */
import type { OutcomeCache } from "../cache/outcome-cache.ts";
import type { Io } from "../io.ts";
import type { Job, Outcome } from "./job.ts";
import { InspectorPool } from "./pool.ts";

export interface RunSettings {
  /** Jobs at once. */
  readonly atOnce: number;
  /** For one job. */
  readonly seconds: number;
  readonly cache: OutcomeCache | undefined;
}

/**
 * The outcomes of jobs, in their order. A job that fails loses its own outcome, and says why.
 * @param done told of each that is done, in the order in which they are
 */
export async function runJobs(
  jobs: readonly Job[],
  { atOnce, seconds, cache }: RunSettings,
  start: Io["startInspector"],
  done: (job: Job) => void,
): Promise<Outcome[]> {
  const pool = new InspectorPool({ start, size: atOnce, seconds });
  const outcomeOf = async (job: Job): Promise<Outcome> => {
    const kept = cache?.get(job);
    if (kept !== undefined) return JSON.parse(kept) as Outcome;
    const answer = await pool.inspect(job);
    if ("failure" in answer) {
      const { failure, soFar } = answer;
      const known: Outcome = soFar === undefined ? { diagnostics: [], failures: [], notes: [] } : JSON.parse(soFar);
      return { ...known, failures: [...known.failures, failure] };
    }
    const outcome = JSON.parse(answer.outcome) as Outcome;
    if (outcome.failures.length === 0) cache?.put(job, answer);
    return outcome;
  };
  try {
    const outcomes: Promise<Outcome>[] = [];
    for (const job of jobs) {
      const outcome = outcomeOf(job).finally(() => done(job));
      // They are waited for below, all together.
      outcome.catch(() => undefined);
      outcomes.push(outcome);
      // While this one looks through what is kept the others go on with what they are told.
      await new Promise(setImmediate);
    }
    return await Promise.all(outcomes);
  } finally {
    pool.end();
    cache?.close();
  }
}
