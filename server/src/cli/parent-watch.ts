/**
 * The entry of a thread that ends its process when the one that started it is gone. The process itself is told so by its channel, but only when it
 * listens: not while it is busy.
 */
import { workerData } from "node:worker_threads";

/** Milliseconds between two looks. */
const betweenLooks = 500;
const parent = Number(workerData);

/** Where processes without a parent are given another one, and where they are not. */
function isGone(): boolean {
  if (process.ppid !== parent) return true;
  try {
    process.kill(parent, 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}

setInterval(() => isGone() && process.kill(process.pid, "SIGKILL"), betweenLooks);
