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

/** A thread that has been started, and why it ended, once it has. */
export interface StartedThread extends ThreadData {
  readonly worker: Worker;
  readonly ended: Promise<string>;
}

/** Starts a thread. @param script the bundled entry of the thread */
export function startThread(script: URL): StartedThread {
  const running = new Int32Array(new SharedArrayBuffer(4));
  const data: ThreadData = { running };
  // A small young generation takes 40 MB off what the server needs with 20 files open (247 to 207 MB).
  const resourceLimits = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 8 };
  const worker = new Worker(script, { workerData: data, resourceLimits });
  const ended = new Promise<string>((end) => {
    worker.on("error", (error) => end(error.message));
    worker.on("exit", (code) => end(`the thread ended with ${code}`));
  });
  return { worker, running, ended };
}

/**
 * A worker in a thread. A thread that dies fails what it was asked; the next request starts a new one.
 * @param start starts a thread
 * @param state what a new thread is told first
 * @param first a thread that has been started already, to be ready when it is asked
 */
export function threadWorker(start: () => StartedThread, state: () => readonly Input[], first = start()): AnalysisWorker {
  let thread: StartedThread | undefined;
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
      if (thread && Atomics.load(thread.running, 0) === message.id) asked.told?.(message.told);
      return;
    }
    addStages(message.stages ?? []);
    waiting.delete(message.id);
    if ("error" in message) asked.fail(new Error(message.error));
    else asked.end(message.answer);
  };
  const post = ({ worker }: StartedThread, message: ToThread): void => worker.postMessage(message);
  const use = (started: StartedThread): StartedThread => {
    started.worker.on("message", receive);
    void started.ended.then((why) => started === thread && fail(why));
    for (const input of state()) post(started, { input });
    return started;
  };
  const ask = (request: Request, told?: (message: SimulationMessage) => void): Promise<Answer> => {
    const id = ++lastId;
    thread ??= use(start());
    const asked = thread;
    if (request.does === "simulate") Atomics.store(asked.running, 0, id);
    return new Promise((end, reject) => {
      waiting.set(id, { told, end, fail: reject });
      post(asked, { id, request });
    });
  };

  thread = use(first);
  return {
    // A thread that is not there is told the state when it starts.
    tell: (input) => void (thread && post(thread, { input })),
    find: (path) => ask({ does: "find", path }) as Promise<FileFindings>,
    headers: (path) => ask({ does: "headers", path }) as Promise<readonly string[]>,
    simulate: (path, order, told) => ask({ does: "simulate", path, order }, told) as Promise<boolean>,
    cancel: () => void (thread && Atomics.store(thread.running, 0, 0)),
    dispose() {
      const old = thread;
      thread = undefined;
      void old?.worker.terminate();
    },
  };
}
