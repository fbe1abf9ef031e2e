/** The messages between the server and its thread, and the server's end of them. */
import { Worker } from "node:worker_threads";
import type { FixProof } from "../lint.ts";
import type { OfferedRefactoring } from "../refactorings/offered.ts";
import { addStages, type StageTotal } from "../trace.ts";
import type { Imagined, WarpQuestion, WarpSeen, Written } from "../what-if/question.ts";
import {
  AnalysisError,
  type AnalysisWorker,
  type FileFindings,
  type Input,
  type SimulationMessage,
  type SimulationOrder,
  type WhatIf,
} from "./messages.ts";
import { NativeGate } from "./native-gate.ts";
import { Pulse } from "./pulse.ts";
import { Watchdog } from "./watchdog.ts";

export type Request =
  | { readonly does: "find" | "settle" | "headers"; readonly path: string }
  | { readonly does: "outdated" }
  | { readonly does: "simulate"; readonly path: string; readonly order: SimulationOrder }
  | { readonly does: "imagine" | "write"; readonly path: string; readonly question: WhatIf }
  | { readonly does: "watch"; readonly path: string; readonly question: WhatIf; readonly warp: WarpQuestion }
  | { readonly does: "tryRefactorings"; readonly path: string; readonly offers: readonly OfferedRefactoring[] };

/** It ends soon once another may run. */
const mayBeCancelled = ({ does }: Request): boolean => does !== "find" && does !== "headers" && does !== "outdated";

export type ToThread = { readonly input: Input } | { readonly id: number; readonly request: Request } | { readonly rest: true };

/**
 * The answer: `false` for a simulation that was cancelled, `true` for one that was told to its end; undefined for what was settled or
 * imagined no more.
 */
type Answer = FileFindings | readonly string[] | boolean | Imagined | WarpSeen | Written | readonly FixProof[] | undefined;

/** `stages`: what the request's stages took, when tracing is on. */
export type FromThread = { readonly id: number; readonly stages?: readonly StageTotal[] | undefined } & (
  | { readonly told: SimulationMessage }
  | { readonly answer: Answer }
  /** `error`: one line. */
  | { readonly error: string; readonly stage?: string | undefined; readonly details?: string | undefined }
);

/** What the thread is started with. */
export interface ThreadData {
  /** `running[0]` is the id of what may be cancelled and may run: any other is cancelled. */
  readonly running: Int32Array<SharedArrayBuffer>;
  /** The memory of its pulse. */
  readonly pulse: SharedArrayBuffer;
  /** That of the gate before its native libraries. */
  readonly gate: SharedArrayBuffer;
}

interface Waiting {
  readonly request: Request;
  readonly told: ((message: SimulationMessage) => void) | undefined;
  readonly end: (answer: Answer) => void;
  readonly fail: (error: AnalysisError) => void;
}

/** A thread that has been started, and why it ended, once it has. */
export interface StartedThread {
  readonly worker: Worker;
  readonly running: ThreadData["running"];
  readonly pulse: Pulse;
  readonly ended: Promise<string>;
  /** Ends it: at once, or as soon as it is in none of its native libraries. */
  end(): void;
}

/** What a thread may hold of JavaScript's memory. One that needs more ends, and takes nothing else with it. */
const mostMegabytes = 1024;

/** Starts a thread. @param script the bundled entry of the thread */
export function startThread(script: URL, megabytes = mostMegabytes): StartedThread {
  const running = new Int32Array(new SharedArrayBuffer(4));
  const pulse = new Pulse();
  const gate = new NativeGate();
  const data: ThreadData = { running, pulse: pulse.memory, gate: gate.memory };
  // A small young generation takes 40 MB off what the server needs with 20 files open (247 to 207 MB).
  const resourceLimits = { maxOldGenerationSizeMb: megabytes, maxYoungGenerationSizeMb: 8 };
  const worker = new Worker(script, { workerData: data, resourceLimits });
  const ended = new Promise<string>((end) => {
    worker.on("error", (error: NodeJS.ErrnoException) =>
      end(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? `out of memory: it may take ${megabytes} MB` : error.message),
    );
    worker.on("exit", (code) => end(`its thread ended with ${code}`));
  });
  // The process ends its threads when it ends itself.
  const close = (): void => gate.close();
  process.once("exit", close);
  worker.once("exit", () => process.off("exit", close));
  return {
    worker,
    running,
    pulse,
    ended,
    end() {
      gate.close();
      void worker.terminate();
    },
  };
}

/** Calls back at each tick of the watchdog until it is told to stop. */
export type Ticks = (tick: () => void) => { stop(): void };

/** One second each. */
const seconds: Ticks = (tick) => {
  const timer = setInterval(tick, 1000);
  timer.unref();
  return { stop: () => clearInterval(timer) };
};

export interface ThreadOptions {
  /** Starts a thread. */
  readonly start: () => StartedThread;
  /** What a new thread is told first. */
  readonly state: () => readonly Input[];
  /** A thread that has been started already, to be ready when it is asked. */
  readonly first?: StartedThread;
  readonly ticks?: Ticks;
}

/**
 * A worker in a thread. A thread that dies, or that has to be ended, fails what it was at; a new one takes over at once what else it
 * was asked, or else with the next request.
 */
export function threadWorker({ start, state, first = start(), ticks = seconds }: ThreadOptions): AnalysisWorker {
  let thread: StartedThread | undefined;
  let lastId = 0;
  /** In the order in which they were asked, which is that of the answers: the thread is at the first one. */
  const waiting = new Map<number, Waiting>();
  const watchdog = new Watchdog();
  let watching: ReturnType<Ticks> | undefined;
  let isDisposed = false;

  /** The thread goes on to the next request, if there is one. */
  const goOn = (): void => {
    const [next] = waiting.values();
    if (thread && next) {
      watchdog.begins(thread.pulse.beats, mayBeCancelled(next.request));
      watching ??= ticks(watch);
    } else {
      watching?.stop();
      watching = undefined;
    }
  };
  const watch = (): void => {
    const why = thread && watchdog.tick(thread.pulse.beats);
    if (!thread || why === undefined) return;
    const ended = thread;
    over(why);
    ended.end();
  };
  const over = (why: string): void => {
    const { stage, request = 0 } = thread?.pulse ?? {};
    thread = undefined;
    // Where it died before it began, or between two, somebody has to give way: it could happen again.
    const [culprit, failed] = [...waiting].find(([id]) => id === request) ?? [...waiting][0] ?? [];
    if (culprit !== undefined) waiting.delete(culprit);
    // Before its asker is told, who may ask again: the others were there first.
    if (waiting.size > 0) {
      thread = use(start());
      for (const [id, { request }] of waiting) put(thread, id, request);
    }
    goOn();
    failed?.fail(new AnalysisError(why, { stage, isEnd: true }));
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
    goOn();
    if ("error" in message) asked.fail(new AnalysisError(message.error, message));
    else asked.end(message.answer);
  };
  const post = ({ worker }: StartedThread, message: ToThread): void => worker.postMessage(message);
  const put = (to: StartedThread, id: number, request: Request): void => {
    if (mayBeCancelled(request)) Atomics.store(to.running, 0, id);
    post(to, { id, request });
  };
  const use = (started: StartedThread): StartedThread => {
    started.worker.on("message", (message: FromThread) => started === thread && receive(message));
    void started.ended.then((why) => started === thread && over(why));
    for (const input of state()) post(started, { input });
    return started;
  };
  const ask = (request: Request, told?: (message: SimulationMessage) => void): Promise<Answer> => {
    if (isDisposed) return Promise.reject(new AnalysisError("the server is shutting down"));
    const id = ++lastId;
    thread ??= use(start());
    const asked = thread;
    return new Promise((end, fail) => {
      waiting.set(id, { request, told, end, fail });
      put(asked, id, request);
      if (waiting.size === 1) goOn();
    });
  };

  thread = use(first);
  return {
    // A thread that is not there is told the state when it starts.
    tell: (input) => void (thread && post(thread, { input })),
    find: (path) => ask({ does: "find", path }) as Promise<FileFindings>,
    settle: (path) => ask({ does: "settle", path }) as Promise<FileFindings | undefined>,
    headers: (path) => ask({ does: "headers", path }) as Promise<readonly string[]>,
    outdated: () => ask({ does: "outdated" }) as Promise<readonly string[]>,
    simulate: (path, order, told) => ask({ does: "simulate", path, order }, told) as Promise<boolean>,
    imagine: (path, question) => ask({ does: "imagine", path, question }) as Promise<Imagined | undefined>,
    watch: (path, question, warp) => ask({ does: "watch", path, question, warp }) as Promise<WarpSeen | undefined>,
    write: (path, question) => ask({ does: "write", path, question }) as Promise<Written | undefined>,
    tryRefactorings: (path, offers) => ask({ does: "tryRefactorings", path, offers }) as Promise<readonly FixProof[] | undefined>,
    rest: () => void (thread && post(thread, { rest: true })),
    cancel() {
      if (!thread) return;
      Atomics.store(thread.running, 0, 0);
      watchdog.cancelled();
    },
    dispose() {
      isDisposed = true;
      const old = thread;
      thread = undefined;
      goOn();
      old?.end();
    },
  };
}
