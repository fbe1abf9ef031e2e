/**
 * What is kept of an Nsight Compute report: figures by launch and by line of source, plain data. No text of a source is in it. A figure
 * that a report does not have is absent.
 */
import type { Dim3 } from "@warplens/sim-engine";

/** Figures of a launch, in the units of `figures.ts`. */
export type FigureName =
  | "time"
  | "dramGBs"
  | "theoreticalOccupancy"
  | "achievedOccupancy"
  | "registers"
  | "staticShared"
  | "dynamicShared"
  | "dramRead"
  | "dramWritten"
  | "l2Hits"
  | "l1Hits"
  | "loadSectors"
  | "storeSectors"
  | "sharedLoads"
  | "sharedStores"
  | "warpInstructions"
  | "threadInstructions";

export type Figures = Readonly<Partial<Record<FigureName, number>>>;

/** Figures of a line: counts, and how often the profiler found a warp there. */
export type LineFigureName = "samples" | "instructions" | "threadInstructions" | "globalSectors" | "sharedWavefronts";

export interface MeasuredLine {
  /** 1-based, in the text that was measured. */
  readonly line: number;
  /** `digestOf` the line's text; absent where the report does not have it. */
  readonly digest?: number;
  readonly figures: Readonly<Partial<Record<LineFigureName, number>>>;
}

/** Lines of one file of source. */
export interface MeasuredFile {
  /** Its name without folders. */
  readonly name: string;
  readonly lines: readonly MeasuredLine[];
}

export interface MeasuredLaunch {
  /** As the report prints it: `void scale<(int)4>(float *, int)`. */
  readonly kernel: string;
  readonly grid?: Dim3;
  readonly block?: Dim3;
  /** Of `MeasuredReport.devices`. */
  readonly device: number;
  readonly figures: Figures;
  readonly files?: readonly MeasuredFile[];
}

/** A GPU as a report describes it. */
export interface MeasuredDevice {
  readonly name?: string;
  /** Such as "9.0". */
  readonly computeCapability?: string;
  readonly multiprocessors?: number;
}

export interface MeasuredReport {
  /** Of the files that it was read from. */
  readonly name: string;
  readonly devices: readonly MeasuredDevice[];
  /** In the order in which they ran. */
  readonly launches: readonly MeasuredLaunch[];
  /** What of it could not be read, a sentence each. */
  readonly notes: readonly string[];
}

/** What tells one line of source from another without its text: blanks at its ends do not count. */
export function digestOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text.trim()) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
}
