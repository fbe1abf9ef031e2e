/** The server's state for a bug report, as Markdown: versions, counts and reasons; no source text and no paths. */
import type { GpuModel } from "@warplens/sim-engine";

export interface BugReportFacts {
  readonly gpu: GpuModel;
  readonly documents: readonly {
    readonly lines: number;
    /** Absent until they are all known. */
    readonly launches: number | undefined;
    readonly notSimulated: readonly string[];
  }[];
}

export function bugReport({ gpu, documents }: BugReportFacts): string {
  const lines = [`- GPU: ${gpu.name} (${gpu.id}, compute capability ${gpu.computeCapability})`, `- open documents: ${documents.length}`];
  for (const { lines: count, launches, notSimulated } of documents) {
    lines.push(`  - ${count} lines, ${launches === undefined ? "not simulated yet" : `${launches} launches`}`);
    for (const reason of notSimulated) lines.push(`    - not simulated: ${reason}`);
  }
  return lines.join("\n");
}
