/** Runs inputs in another process, which is ended where it does not answer, and replaced. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { usageOf } from "../../server/src/cli/jobs/usage.ts";
import type { Tally } from "./kind.ts";
import type { KindName } from "./kinds/index.ts";

export interface ToProcess {
  readonly kind: KindName;
  readonly input: unknown;
}

export type FromProcess = { readonly ready: true } | { readonly tally: Tally; readonly megabytes: number } | { readonly fault: string };

/** What came of an input. */
export type Verdict = { readonly tally: Tally } | { readonly fault: string; readonly isEndless?: boolean };

/** Seconds of processor time without an answer: many times what any input may take. */
const patience = 30;
/** Times as long it may take on the clock: other programs use the machine too, and an input may wait for what never comes. */
const clockPatience = 20;
/** MB that a process may have grown to and still be given another input. */
const wornOut = 900;
/** Characters of what a dying process says that are kept. */
const lastWords = 8192;

export class Watched {
  readonly #script: string;
  #child: ChildProcess | undefined;
  #said = "";

  /** @param script the bundled process */
  constructor(script: string) {
    this.#script = script;
  }

  async run(kind: KindName, input: unknown, seconds = patience): Promise<Verdict> {
    const child = (this.#child ??= await this.#start());
    const verdict = await new Promise<Verdict>((resolve) => {
      const started = performance.now();
      const before = this.#usage() ?? 0;
      const settle = (verdict: Verdict): void => {
        clearInterval(timer);
        child.off("message", told);
        child.off("close", ended);
        resolve(verdict);
      };
      const told = (message: FromProcess): void => {
        if ("fault" in message) settle(message);
        else if ("tally" in message) {
          if (message.megabytes > wornOut) this.end();
          settle(message);
        }
      };
      const ended = (code: number | null, signal: string | null): void => {
        this.#child = undefined;
        settle({ fault: reasonOf(this.#said) ?? `the process ended with ${signal ?? `exit code ${code}`}` });
      };
      const timer = setInterval(() => {
        const clock = (performance.now() - started) / 1000;
        if ((this.#usage() ?? clock) - before < seconds && clock < clockPatience * seconds) return;
        this.end();
        settle({ fault: `no answer within ${seconds} s`, isEndless: true });
      }, 500);
      child.on("message", told);
      child.once("close", ended);
      child.send({ kind, input } satisfies ToProcess);
    });
    return verdict;
  }

  /** Seconds of processor time so far, where the system tells it. */
  #usage(): number | undefined {
    return this.#child?.pid === undefined ? undefined : usageOf(this.#child.pid)?.seconds;
  }

  end(): void {
    this.#child?.kill("SIGKILL");
    this.#child = undefined;
  }

  async #start(): Promise<ChildProcess> {
    const child = fork(this.#script, {
      serialization: "advanced",
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      execArgv: ["--max-old-space-size=1024"],
    });
    this.#said = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#said = (this.#said + text).slice(-lastWords);
    });
    await Promise.race([once(child, "message"), once(child, "close").then(() => Promise.reject(new Error(this.#said)))]);
    return child;
  }
}

/** From the error that a process says it ended with, on. */
function reasonOf(said: string): string | undefined {
  const lines = said.split("\n");
  const at = lines.findIndex((line) => /^(?:[\w.]*(?:Error|Exception|Fault)\b|FATAL)/.test(line));
  return at < 0 ? undefined : lines.slice(at, at + 6).join("\n");
}
