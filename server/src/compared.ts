/** Figures of a launch that others are compared with: pinned, or those of the launch as it is beside what is tried. */
import type { LaunchReport } from "@warplens/sim-engine";
import { type LineMeasure, lineMeasures, lineShares } from "./line-measures.ts";
import { type MemoryLevel, memoryLevels } from "./memory-levels.ts";
import { type RooflinePoint, rooflinePoint } from "./roofline.ts";

/** Lines with less than this share of each measure are not kept. */
const worthALine = 0.01;

export interface Compared {
  readonly gpu: string;
  readonly occupancyPct: number;
  /** Nanoseconds, and GB/s of DRAM; absent where the time is not known. */
  readonly ns?: number;
  readonly dramGBs?: number;
  /** Nanoseconds that each resource would need alone. */
  readonly parts?: readonly { readonly name: string; readonly ns: number }[];
  readonly roofline?: RooflinePoint;
  readonly levels: readonly MemoryLevel[];
  /** In the order of the source. */
  readonly lines: readonly ComparedLine[];
}

export interface ComparedLine {
  /** 1-based, and its text, by which it is found once lines have moved. */
  readonly line: number;
  readonly text: string;
  /** 0 to 1. */
  readonly shares: Readonly<Record<LineMeasure, number>>;
}

/** @param source the trimmed text of the report's lines, by their numbers */
export function comparedOf(report: LaunchReport, gpu: string, source: Readonly<Record<string, string>>): Compared {
  const { time, occupancy } = report;
  const point = rooflinePoint(report);
  return {
    gpu,
    occupancyPct: occupancy.theoreticalPct,
    ...(time ? { ns: time.ns, dramGBs: time.dramGBs, parts: time.parts } : {}),
    ...(point ? { roofline: point } : {}),
    levels: memoryLevels(report),
    lines: linesOf(report, source),
  };
}

function linesOf({ lines }: LaunchReport, source: Readonly<Record<string, string>>): ComparedLine[] {
  const shares = lineMeasures.map((measure) => [measure, lineShares(measure, lines)] as const);
  return Object.entries(lines)
    .map(([line, counters]): ComparedLine => {
      const own = Object.fromEntries(shares.map(([measure, share]) => [measure, share(counters)]));
      return { line: Number(line), text: source[line] ?? "", shares: own as Record<LineMeasure, number> };
    })
    .filter(({ shares: own }) => Object.values(own).some((share) => share >= worthALine))
    .sort((a, b) => a.line - b.line);
}
