/** Counters gathered by source line. */
import type { Kernel, Span } from "../ir/kernel.ts";
import type { LineCounters } from "./launch-report.ts";

const empty = (): LineCounters => ({
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
  add({ file, line }: Span, amounts: Partial<LineCounters>): void {
    if (line === 0) return;
    const table = file === 0 ? this.own : (this.others[this.#files[file] ?? ""] ??= {});
    const counters = (table[line] ??= empty());
    for (const key of Object.keys(amounts) as (keyof LineCounters)[]) counters[key] += amounts[key] ?? 0;
  }
}
