/** The entry of the simulation thread: one job after another. */
import { parentPort, workerData } from "node:worker_threads";
import { diskFiles } from "./files.ts";
import { loadGrammarFromDisk } from "./grammar.ts";
import { runJob } from "./worker/run.ts";
import type { FromThread, ThreadData, ToThread } from "./worker/thread.ts";

const { running } = workerData as ThreadData;
const loaded = loadGrammarFromDisk();

parentPort?.on("message", async ({ id, job }: ToThread) => {
  let answer: FromThread;
  try {
    await loaded;
    answer = { id, simulation: runJob(job, diskFiles, () => Atomics.load(running, 0) !== id) };
  } catch (error) {
    answer = { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  parentPort?.postMessage(answer);
});
