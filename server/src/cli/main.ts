#!/usr/bin/env node
/** The command line's entry. */
import { createInterface } from "node:readline";
import type { Io } from "./io.ts";
import { main } from "./run.ts";

const io: Io = {
  cwd: process.cwd(),
  env: process.env,
  isTerminal: process.stdout.isTTY === true,
  out: (text) => void process.stdout.write(text),
  error: (text) => void process.stderr.write(text),
  lines: () => createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY }),
  async serve() {
    // The server is a bundle of its own; it reads `--stdio` from the process's arguments.
    await import(new URL("server.js", import.meta.url).href);
    await new Promise(() => undefined);
  },
};

// A reader that has seen enough (`| head`) is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 2));
process.exitCode = await main(process.argv.slice(2), io);
