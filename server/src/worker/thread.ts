/** The messages between the server and its thread, and the server's end of them. */
import { Worker } from "node:worker_threads";
import { addStages, type StageTotal } from "../trace.ts";
import type { AnalysisWorker, FileFindings, Input, SimulationMessage, SimulationOrder } from "./messages.ts";

export type Request =
  | { readonly does: "find" | "headers"; readonly path: string }
  | { readonly does: "simulate"; readonly path: string; readonly order: SimulationOrder };

export type ToThread = { readonly input: Input } | { readonly id: number; readonly request: Request };

/** The answer: `false` for a simulation that was cancelled, `true` for one that was told to its end. */
type Answer = FileFindings | readonly string[] | boolean;

/** `stages`: what the request's stages took, when tracing is on. */
export type FromThread = { readonly id: number; readonly stages?: readonly StageTotal[] | undefined } & (
  | { readonly told: SimulationMessage }
  | { readonly answer: Answer }
  | { readonly error: string }
);

/** What the thread is started with. `running[0]` is the id of the simulation that may run: any other is cancelled. */
export interface ThreadData {
  readonly running: Int32Array<SharedArrayBuffer>;
}

interface Waiting {
  readonly told: ((message: SimulationMessage) => void) | undefined;
  readonly end: (answer: Answer) => void;
  readonly fail: (error: Error) => void;
}

/**
 * A worker in a thread. A thread that dies fails what it was asked; the next request starts a new one. The first starts at once, to be ready when it is asked.
 * @param script the bundled entry of the thread
 * @param state what a new thread is told first
 */
export function threadWorker(script: URL, state: () => readonly Input[]): AnalysisWorker {
  const running = new Int32Array(new SharedArrayBuffer(4));
  let thread: Worker | undefined;
  let lastId = 0;
  const waiting = new Map<number, Waiting>();

  const fail = (message: string): void => {
    thread = undefined;
    const all = [...waiting.values()];
    waiting.clear();
    for (const each of all) each.fail(new Error(message));
  };
  const receive = (message: FromThread): void => {
    const asked = waiting.get(message.id);
    if (!asked) return;
    if ("told" in message) {
      // What was on its way when its request was cancelled is not told any more.
      if (Atomics.load(running, 0) === message.id) asked.told?.(message.told);
      return;
    }
    addStages(message.stages ?? []);
    waiting.delete(message.id);
    if ("error" in message) asked.fail(new Error(message.error));
    else asked.end(message.answer);
  };
  const post = (worker: Worker, message: ToThread): void => worker.postMessage(message);
  const start = (): Worker => {
    const data: ThreadData = { running };
    // A small young generation takes 40 MB off what the server needs with 20 files open (247 to 207 MB).
    const resourceLimits = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 8 };
    const worker = new Worker(script, { workerData: data, resourceLimits });
    worker.on("message", receive);
    worker.on("error", (error) => worker === thread && fail(error.message));
    worker.on("exit", (code) => worker === thread && fail(`the thread ended with ${code}`));
    for (const input of state()) post(worker, { input });
    return worker;
  };
  const ask = (request: Request, told?: (message: SimulationMessage) => void): Promise<Answer> => {
    const id = ++lastId;
    if (request.does === "simulate") Atomics.store(running, 0, id);
    thread ??= start();
    const worker = thread;
    return new Promise((end, reject) => {
      waiting.set(id, { told, end, fail: reject });
      post(worker, { id, request });
    });
  };

  thread = start();
  return {
    // A thread that is not there is told the state when it starts.
    tell: (input) => void (thread && post(thread, { input })),
    find: (path) => ask({ does: "find", path }) as Promise<FileFindings>,
    headers: (path) => ask({ does: "headers", path }) as Promise<readonly string[]>,
    simulate: (path, order, told) => ask({ does: "simulate", path, order }, told) as Promise<boolean>,
    cancel: () => void Atomics.store(running, 0, 0),
    dispose() {
      const old = thread;
      thread = undefined;
      void old?.terminate();
    },
  };
}
