/** Processor time of other processes. */
import { readFileSync } from "node:fs";
import type { Usage } from "./inspector.ts";

/** Clock ticks a second, in which Linux counts processor time. */
const ticks = 100;

/** As Linux tells it; elsewhere nobody does without being asked at length. */
export function usageOf(pid: number): Usage | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    const status = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name, which comes first, may hold anything but ends with the last parenthesis.
    const fields = status.slice(status.lastIndexOf(")") + 2).split(" ");
    return { seconds: (Number(fields[11]) + Number(fields[12])) / ticks, isAsleep: fields[0] !== "R" };
  } catch {
    return undefined;
  }
}
