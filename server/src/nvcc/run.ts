/** Runs a program with limits on time and memory, without a shell. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";

export interface Limits {
  readonly seconds: number;
  /** Address space of each process; held where the system has `prlimit`. Absent: as much as it wants. */
  readonly megabytes?: number;
  /** Of what it prints, those that are kept; a megabyte where it is absent. */
  readonly characters?: number;
}

export interface RunResult {
  /** Absent when it could not be started or was stopped. */
  readonly code: number | undefined;
  /** Both streams, as they came. */
  readonly output: string;
  /** The standard output alone. */
  readonly printed: string;
  readonly problem?: string;
}

const prlimit = "/usr/bin/prlimit";
const usualCharacters = 1 << 20;

/** Never rejects. `signal` stops it. */
export function run(program: string, given: readonly string[], limits: Limits, signal?: AbortSignal): Promise<RunResult> {
  const most = process.platform === "linux" && existsSync(prlimit) ? limits.megabytes : undefined;
  const command = most === undefined ? program : prlimit;
  const line = most === undefined ? [...given] : [`--as=${most * 2 ** 20}`, "--", program, ...given];
  const longest = limits.characters ?? usualCharacters;
  return new Promise((resolve) => {
    let output = "";
    let printed = "";
    const child = spawn(command, line, {
      stdio: ["ignore", "pipe", "pipe"],
      shell: false,
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    const stop = (): void => {
      // nvcc starts others: the whole group goes.
      try {
        if (child.pid !== undefined && process.platform !== "win32") process.kill(-child.pid, "SIGKILL");
        else child.kill("SIGKILL");
      } catch {
        child.kill("SIGKILL");
      }
    };
    let problem: string | undefined;
    const timer = setTimeout(() => {
      problem = `stopped after ${limits.seconds} s`;
      stop();
    }, limits.seconds * 1000);
    const cancel = (): void => {
      problem = "cancelled";
      stop();
    };
    signal?.addEventListener("abort", cancel, { once: true });
    const collect = (chunk: string): void => {
      if (output.length < longest) output += chunk;
    };
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      collect(chunk);
      if (printed.length < longest) printed += chunk;
    });
    child.stderr.setEncoding("utf8").on("data", collect);
    const end = (code: number | undefined, why?: string): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
      const said = problem ?? why;
      resolve({ code: problem === undefined ? code : undefined, output, printed, ...(said === undefined ? {} : { problem: said }) });
    };
    child.on("error", (error) => end(undefined, error.message));
    child.on("close", (code) => end(code ?? undefined));
  });
}
