/**
 * From a report whose places are labels, which stay when declarations move, to one whose places are the user's: in a label's place
 * stand offsets of nodes, in its line the offset, and one more, of what stands first on that line (0: nowhere).
 */
import {
  type AccessReport,
  type BranchReport,
  type Kernel,
  type LaunchReport,
  type LineCounters,
  type LoopReport,
  sumOfLines,
} from "@warplens/sim-engine";
import type { Reading } from "../syntax/reading.ts";
import { reachWithPlacesBy, withPlacesBy } from "./violation-places.ts";

interface Spot {
  readonly file: number;
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

/** The report as the source stands now. */
export function placedReport(report: LaunchReport, reading: Reading): LaunchReport {
  const lines: Record<string, LineCounters> = {};
  const otherLines: Record<string, Record<string, LineCounters>> = {};
  for (const table of [report.lines, ...Object.values(report.otherLines)]) {
    for (const [line, counters] of Object.entries(table)) {
      const at = lineAt(Number(line), reading);
      const into = at.file === 0 ? lines : (otherLines[reading.files[at.file] ?? ""] ??= {});
      into[at.line] = into[at.line] ? sumOfLines(into[at.line] as LineCounters, counters) : counters;
    }
  }
  return {
    ...report,
    lines,
    otherLines,
    accesses: report.accesses.map((access): AccessReport => placed(access, reading)),
    branches: report.branches.map((branch): BranchReport => placed(branch, reading)),
    loops: report.loops.map((loop): LoopReport => placed(loop, reading)),
    ...(report.costs ? { costs: report.costs.map((cost) => ({ ...cost, at: cost.at.map((at) => placed(at, reading)) })) } : {}),
    ...(report.reach ? { reach: reachWithPlacesBy(report.reach, (at) => placed(at, reading)) } : {}),
    ...(report.violations ? { violations: report.violations.map((each) => withPlacesBy(each, (at) => placed(at, reading))) } : {}),
  };
}

/** The kernel with the places of its shared arrays as the source stands now; those of its operations stay labels. */
export const placedKernel = (kernel: Kernel, reading: Reading): Kernel => ({
  ...kernel,
  files: reading.files,
  shared: kernel.shared.map((array) => ({ ...array, span: placed(array.span, reading) })),
});

/** A part with its label's place, as the source stands now. */
export function placed<Part extends Spot>(part: Part, reading: Reading): Part {
  if (part.line === 0) return part;
  const { file, start, end } = reading.locate(part.start, part.end);
  return { ...part, file, start, end, line: lineAt(part.line, reading).line };
}

function lineAt(label: number, reading: Reading): { readonly file: number; readonly line: number } {
  const { file, start } = reading.locate(label - 1, label);
  return { file, line: reading.position(file, start).line + 1 };
}
