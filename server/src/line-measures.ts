/** By what a launch's lines are compared: where its time goes, its instructions, its sectors of global memory, its shared wavefronts. */
import type { LineCounters } from "@warplens/sim-engine";

export const lineMeasures = ["time", "instructions", "sectors", "wavefronts"] as const;
export type LineMeasure = (typeof lineMeasures)[number];

export const lineCounters: Readonly<Record<LineMeasure, (line: LineCounters) => number>> = {
  time: ({ timeShare = 0 }) => timeShare,
  instructions: ({ instructions }) => instructions,
  sectors: ({ globalSectors }) => globalSectors,
  wavefronts: ({ sharedWavefronts }) => sharedWavefronts,
};

/** What a line has of all, 0 to 1: of the time that of the launch, whatever other files' lines take of it; else of these lines. */
export function lineShares(measure: LineMeasure, lines: Readonly<Record<string, LineCounters>>): (line: LineCounters) => number {
  const counter = lineCounters[measure];
  const total = measure === "time" ? 1 : Object.values(lines).reduce((sum, line) => sum + counter(line), 0);
  return (line) => (total > 0 ? counter(line) / total : 0);
}
