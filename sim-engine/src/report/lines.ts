/** Counters gathered by source line. */
import type { Kernel, Span } from "../ir/kernel.ts";
import type { LineCounters, WaitKind } from "./launch-report.ts";

type Counts = Omit<LineCounters, "timeShare" | "waits">;

const empty = (): Counts => ({
  instructions: 0,
  threadInstructions: 0,
  globalRequests: 0,
  globalSectors: 0,
  globalSectorsIdeal: 0,
  sharedWavefronts: 0,
  sharedWavefrontsIdeal: 0,
  divergentBranches: 0,
});

export class LineTable {
  readonly #files: readonly string[];
  /** Lines of the kernel's own file. */
  readonly own: Record<string, LineCounters> = {};
  /** Lines of other files, by path. */
  readonly others: Record<string, Record<string, LineCounters>> = {};

  constructor(kernel: Kernel) {
    this.#files = kernel.files;
  }

  /** Adds to the counters of a line; what has no place in the source (line 0) is nobody's. */
  add(place: Span, amounts: Partial<Counts>): void {
    const counters = this.#at(place);
    if (counters) for (const key of Object.keys(amounts) as (keyof Counts)[]) counters[key] += amounts[key] ?? 0;
  }

  /** Adds to the time that is spent at a line: shares of the launch's, by what is waited for. */
  addTime(place: Span, shares: Partial<Record<WaitKind, number>>): void {
    const counters = this.#at(place);
    if (counters) addWaits(counters, shares);
  }

  #at({ file, line }: Span): LineCounters | undefined {
    if (line === 0) return undefined;
    const table = file === 0 ? this.own : (this.others[this.#files[file] ?? ""] ??= {});
    return (table[line] ??= empty());
  }
}

/** Two lines' counters, as one line's. */
export function sumOfLines(a: LineCounters, b: LineCounters): LineCounters {
  const total = { ...a, ...(a.waits ? { waits: { ...a.waits } } : {}) };
  for (const key of Object.keys(empty()) as (keyof Counts)[]) total[key] += b[key];
  if (b.waits) addWaits(total, b.waits);
  return total;
}

function addWaits(counters: LineCounters, shares: Partial<Record<WaitKind, number>>): void {
  const waits = (counters.waits ??= {});
  for (const [kind, share] of Object.entries(shares) as [WaitKind, number][]) {
    waits[kind] = (waits[kind] ?? 0) + share;
    counters.timeShare = (counters.timeShare ?? 0) + share;
  }
}
