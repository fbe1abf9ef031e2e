#!/usr/bin/env node
/** The command line's entry. */
import { createInterface } from "node:readline";
import { buildDigest } from "./build-digest.ts";
import { cacheHome } from "./cache/cache-folder.ts";
import type { Io } from "./io.ts";
import { processInspector } from "./jobs/process.ts";
import { main } from "./run.ts";

const io: Io = {
  cwd: process.cwd(),
  env: process.env,
  cacheHome: cacheHome(process.env, process.platform),
  isTerminal: process.stdout.isTTY === true,
  out: (text) => void process.stdout.write(text),
  error: (text) => void process.stderr.write(text),
  lines: () => createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY }),
  startInspector: () => processInspector(new URL("inspector.js", import.meta.url)),
  build: () => buildDigest(new URL(".", import.meta.url)),
  ...(process.stderr.isTTY && { progress: showProgress }),
  async serve() {
    // A client that reads no more has gone.
    process.stdout.once("error", () => process.exit(1));
    // The server is a bundle of its own; it reads `--stdio` from the process's arguments.
    await import(new URL("server.js", import.meta.url).href);
    await new Promise(() => undefined);
  },
};

/** One line, rewritten. */
function showProgress(line: string): void {
  process.stderr.write(`\r\u001B[K${line.slice(0, (process.stderr.columns || 80) - 1)}`);
}

/** Something of the answer is lost that somebody wants to read. */
let isCutShort = false;
// A reader that has seen enough (`| head`) is no failure, and takes nothing from what was found.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  isCutShort ||= error.code !== "EPIPE";
  if (isCutShort) process.exitCode = 2;
});
// Of what nobody reads nothing can be told; the exit code says the same.
process.stderr.on("error", () => undefined);
const code = await main(process.argv.slice(2), io);
process.exitCode = isCutShort ? 2 : code;
