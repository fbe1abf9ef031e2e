/** The server's state for a bug report, as Markdown: versions, counts and reasons; no source text and no paths. */
import type { Workspace } from "./workspace.ts";

export function bugReport({ gpu, documents }: ReturnType<Workspace["facts"]>): string {
  const lines = [`- GPU: ${gpu.name} (${gpu.id}, compute capability ${gpu.computeCapability})`, `- open documents: ${documents.length}`];
  for (const { lines: count, launches, notSimulated } of documents) {
    lines.push(`  - ${count} lines, ${launches === undefined ? "not simulated yet" : `${launches} launches`}`);
    for (const reason of notSimulated) lines.push(`    - not simulated: ${reason}`);
  }
  return lines.join("\n");
}
