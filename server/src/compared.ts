/** Figures of a launch that others are compared with: pinned, or those of the launch as it is beside what is tried. */
import type { LaunchReport } from "@warplens/sim-engine";
import { type RooflinePoint, rooflinePoint } from "./roofline.ts";

export interface Compared {
  readonly gpu: string;
  readonly occupancyPct: number;
  /** Nanoseconds, and GB/s of DRAM; absent where the time is not known. */
  readonly ns?: number;
  readonly dramGBs?: number;
  /** Nanoseconds that each resource would need alone. */
  readonly parts?: readonly { readonly name: string; readonly ns: number }[];
  readonly roofline?: RooflinePoint;
}

export function comparedOf(report: LaunchReport, gpu: string): Compared {
  const { time, occupancy } = report;
  const point = rooflinePoint(report);
  return {
    gpu,
    occupancyPct: occupancy.theoreticalPct,
    ...(time ? { ns: time.ns, dramGBs: time.dramGBs, parts: time.parts } : {}),
    ...(point ? { roofline: point } : {}),
  };
}
