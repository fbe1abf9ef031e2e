/** The server's state for a bug report, as Markdown: versions, counts and reasons; no source text and no paths. */
import type { GpuModel } from "@warplens/sim-engine";
import { code, literal, prose } from "../foreign-text.ts";

export interface BugReportFacts {
  readonly gpu: GpuModel;
  readonly documents: readonly {
    readonly lines: number;
    /** Absent until they are all known. */
    readonly launches: number | undefined;
    readonly notSimulated: readonly string[];
  }[];
}

/** What stands between backquotes may be source text. */
const withoutSource = (reason: string): string => reason.replace(/`[^`]*`/g, "`…`");

export function bugReport({ gpu, documents }: BugReportFacts): string {
  const lines = [
    `- GPU: ${literal(gpu.name)} (${code(gpu.id)}, compute capability ${gpu.computeCapability})`,
    `- open documents: ${documents.length}`,
  ];
  for (const { lines: count, launches, notSimulated } of documents) {
    lines.push(`  - ${count} lines, ${launches === undefined ? "not simulated yet" : `${launches} launches`}`);
    for (const reason of notSimulated) lines.push(`    - not simulated: ${prose(withoutSource(reason))}`);
  }
  return lines.join("\n");
}
