/** The launches of a run, each with the file in which it stands. */
import type { LaunchReport } from "@warplens/sim-engine";
import type { FileResult } from "./report.ts";

export interface SitedLaunch {
  /** Absolute. */
  readonly path: string;
  /** The file's name as it is shown. */
  readonly name: string;
  /** 1-based. */
  readonly line: number;
  readonly report: LaunchReport;
}

export const sitedLaunches = ({ input: { path, name }, simulation }: FileResult): SitedLaunch[] =>
  (simulation?.launches ?? []).map((site) => ({ path, name, ...site }));

/** `gemm<float, 128>` */
export const launchTitle = ({ kernel, templateArguments }: LaunchReport): string =>
  templateArguments.length > 0 ? `${kernel}<${templateArguments.join(", ")}>` : kernel;
