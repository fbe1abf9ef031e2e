/** What warps wait for, in words. */
import type { WaitKind } from "@warplens/sim-engine";
import { formatPercent } from "./units.ts";

/** What warps wait for at a line, by kind, after "waits for". */
const waits = {
  memory: "memory",
  shared: "shared memory",
  constant: "constants",
  atomics: "atomics",
  barrier: "a barrier",
  call: "a call",
  pipe: "a busy pipe",
  dependence: "results of arithmetic",
  code: "its code",
} as const;

/** "waits for memory 38 %, issues 3 %": what a line's time is spent with, what takes most first and what comes to little left out. Shares are 0 to 1. */
export function formatWaits(shares: Readonly<Partial<Record<WaitKind, number>>>): string {
  const all = (Object.entries(shares) as [WaitKind, number][]).sort((a, b) => b[1] - a[1]);
  const told = all.filter(([, share], index) => index === 0 || share >= 0.01);
  return told
    .map(([kind, share]) => `${kind === "issue" ? "issues" : `waits for ${waits[kind]}`} ${formatPercent(100 * share)}`)
    .join(", ");
}
