/** The entry of the thread: one job after another. */
import { parentPort, workerData } from "node:worker_threads";
import { diskFiles } from "./files.ts";
import { loadGrammarFromDisk } from "./grammar.ts";
import { takeStages } from "./trace.ts";
import { JobRunner } from "./worker/run.ts";
import type { FromThread, ThreadData, ToThread } from "./worker/thread.ts";

const { running } = workerData as ThreadData;
const loaded = loadGrammarFromDisk();
const runner = new JobRunner(diskFiles);

parentPort?.on("message", async ({ id, does, job }: ToThread) => {
  let message: FromThread;
  try {
    await loaded;
    const answer = does === "find" ? runner.find(job) : runner.simulate(job, () => Atomics.load(running, 0) !== id);
    message = { id, answer, stages: takeStages() };
  } catch (error) {
    message = { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error), stages: takeStages() };
  }
  parentPort?.postMessage(message);
});
