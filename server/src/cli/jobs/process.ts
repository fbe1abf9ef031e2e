/**
 * Inspectors in processes of their own. Threads would be lighter, but an allocation beyond a thread's limit, or a fault in a library,
 * ends them all and the run with them; and a thread stops only where it looks whether it should.
 */
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Answer, Inspector, Listener } from "./inspector.ts";
import type { Job } from "./job.ts";
import type { FromProcess, ToProcess } from "./messages.ts";
import { usageOf } from "./usage.ts";

/** MB of objects that a process may hold before it is out of memory. */
const usualHeap = 512;
/**
 * MB that a process may have grown to and still be given another file. What it rightly keeps comes to 400 in time: the parser's memory,
 * tokens of headers, its own compiled code. The last costs the next process seconds of compiling.
 */
const wornOut = 550;
/**
 * MB of objects that are new: what is made of a file lives until the file is done, and is copied over and over where this is V8's own
 * 1 to 16. With the interrupt budget of the process it takes a quarter of the processor time off a run over many files.
 */
const youngHeap = 32;
/** Characters of what a dying process says that are kept: the reason is among the last. */
const lastWords = 8192;

const outOfMemory = /heap out of memory|heap limit|Fatal (?:process|JavaScript) [^\n]{0,40}out of memory/i;

const running = new Set<ChildProcess>();
let watched = false;

/** No process outlives this one, whichever way it ends. */
function endWithThis(child: ChildProcess): void {
  running.add(child);
  child.once("exit", () => running.delete(child));
  if (watched) return;
  watched = true;
  process.once("exit", () => {
    for (const each of running) each.kill("SIGKILL");
  });
  for (const [signal, number] of [
    ["SIGHUP", 1],
    ["SIGINT", 2],
    ["SIGTERM", 15],
  ] as const)
    process.once(signal, () => process.exit(128 + number));
}

/**
 * @param script the bundled entry of the process
 * @param heap MB of objects that it may hold
 */
export function processInspector(script: URL, heap = usualHeap): Inspector {
  const child = fork(fileURLToPath(script), {
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    execArgv: [`--max-old-space-size=${heap}`, `--min-semi-space-size=${youngHeap}`, `--max-semi-space-size=${youngHeap}`],
  });
  endWithThis(child);
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-lastWords);
  });

  const ready = new Deferred<void>();
  // Where nobody waits for it nobody need know.
  ready.promise.catch(() => undefined);
  let ended: string | undefined;
  let megabytes = 0;
  let asked: { readonly listener: Listener; readonly answer: Deferred<Answer> } | undefined;
  const fail = (reason: string): void => {
    ended = reason;
    ready.reject(new Error(`the process that inspects files does not start: ${reason}\n${said}`));
    asked?.answer.reject(new Error(reason));
  };
  child.on("message", (message: FromProcess) => {
    if ("ready" in message) ready.resolve();
    else if ("entered" in message) asked?.listener.entered(message.entered);
    else if ("soFar" in message) asked?.listener.soFar(message.soFar);
    else {
      megabytes = message.megabytes;
      asked?.answer.resolve(message.answer);
    }
  });
  child.once("error", (error) => fail(error.message));
  child.once("close", (code, signal) =>
    fail(outOfMemory.test(said) ? `it needs more than ${heap} MB of memory` : reasonOf(code, signal, said)),
  );

  return {
    ready: ready.promise,
    inspect(job: Job, seconds, listener) {
      const answer = new Deferred<Answer>();
      asked = { listener, answer };
      if (ended !== undefined) answer.reject(new Error(ended));
      else child.send({ job, seconds } satisfies ToProcess, (error) => error && child.kill("SIGKILL"));
      return answer.promise;
    },
    usage: () => (child.pid === undefined ? undefined : usageOf(child.pid)),
    get isFit() {
      return ended === undefined && !child.killed && megabytes < wornOut;
    },
    end: () => void child.kill("SIGKILL"),
  };
}

/** A promise that others settle. */
class Deferred<T> {
  resolve: (value: T) => void = () => undefined;
  reject: (error: Error) => void = () => undefined;
  readonly promise = new Promise<T>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });
}

function reasonOf(code: number | null, signal: NodeJS.Signals | null, said: string): string {
  const fault = said.split("\n").find((line) => /^[\w.]*(?:Error|Exception)\b/.test(line));
  return fault ?? `its process ended with ${signal ?? `exit code ${code}`}`;
}
