/** The messages between the server and its thread, and the server's end of them. */
import { Worker } from "node:worker_threads";
import { addStages, type StageTotal } from "../trace.ts";
import type { FileFindings, FileSimulation, FileWorker, Job } from "./job.ts";

export interface ToThread {
  readonly id: number;
  readonly does: "find" | "simulate";
  readonly job: Job;
}

type Answer = FileFindings | FileSimulation | undefined;

/** `stages`: what the job's stages took, when tracing is on. */
export type FromThread = { readonly id: number; readonly stages: readonly StageTotal[] | undefined } & (
  | { readonly answer: Answer }
  | { readonly error: string }
);

/** What the thread is started with. `running[0]` is the id of the simulation that may run: any other is cancelled. */
export interface ThreadData {
  readonly running: Int32Array<SharedArrayBuffer>;
}

/**
 * A worker in a thread. A thread that dies fails the job it was at, and the next job starts a new one.
 * @param script the bundled entry of the thread
 */
export function threadWorker(script: URL): FileWorker {
  const running = new Int32Array(new SharedArrayBuffer(4));
  let thread: Worker | undefined;
  let lastId = 0;
  let waiting: { id: number; end: (answer: Answer) => void; fail: (error: Error) => void } | undefined;

  const fail = (message: string): void => {
    thread = undefined;
    waiting?.fail(new Error(message));
    waiting = undefined;
  };
  const start = (): Worker => {
    const data: ThreadData = { running };
    // A small young generation takes 40 MB off what the server needs with 20 files open (247 to 207 MB).
    const resourceLimits = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 8 };
    const worker = new Worker(script, { workerData: data, resourceLimits });
    worker.on("message", (message: FromThread) => {
      addStages(message.stages ?? []);
      if (message.id !== waiting?.id) return;
      const { end, fail: reject } = waiting;
      waiting = undefined;
      if ("error" in message) reject(new Error(message.error));
      else end(message.answer);
    });
    worker.on("error", (error) => worker === thread && fail(error.message));
    worker.on("exit", (code) => worker === thread && fail(`the thread ended with ${code}`));
    return worker;
  };
  const run = (does: ToThread["does"], job: Job): Promise<Answer> => {
    const id = ++lastId;
    Atomics.store(running, 0, id);
    thread ??= start();
    const message: ToThread = { id, does, job };
    return new Promise((end, reject) => {
      waiting = { id, end, fail: reject };
      thread?.postMessage(message);
    });
  };

  return {
    find: (job) => run("find", job) as Promise<FileFindings>,
    simulate: (job) => run("simulate", job) as Promise<FileSimulation | undefined>,
    cancel: () => void Atomics.store(running, 0, 0),
    dispose() {
      const old = thread;
      thread = undefined;
      void old?.terminate();
    },
  };
}
