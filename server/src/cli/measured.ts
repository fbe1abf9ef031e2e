/** Reports of Nsight Compute that a run is held against. */
import { existsSync } from "node:fs";
import path from "node:path";
import type { LaunchReport } from "@warplens/sim-engine";
import { readText } from "../files.ts";
import { besideOf, type Elsewhere } from "../measured/beside.ts";
import { type ComparedFigure, compareFigures, compareLines, type MeasuredLines } from "../measured/compare.ts";
import { howToPrint } from "../measured/how-to-print.ts";
import type { Unmatched } from "../measured/match.ts";
import { longestReport, type ReportText, readReport } from "../measured/read-report.ts";
import type { MeasuredReport } from "../measured/report.ts";
import { isReportFile, printReport } from "../nvcc/ncu.ts";
import { NotRead } from "../syntax/file-text.ts";
import { type Io, UsageError } from "./io.ts";
import type { Result } from "./report.ts";

/** What was measured of a launch. */
export interface MeasuredSite {
  /** Launches that the figures are medians of. */
  readonly launches: number;
  /** They are of several launches of the source, of one configuration. */
  readonly isShared: boolean;
  readonly figures: readonly ComparedFigure[];
  /** Of the file in which the launch stands. */
  readonly lines?: MeasuredLines;
}

/** A report beside the launches of a run. */
export interface Measured {
  readonly report: MeasuredReport;
  readonly of: ReadonlyMap<LaunchReport, MeasuredSite>;
  readonly unmatched: readonly Unmatched[];
  readonly elsewhere: readonly Elsewhere[];
}

/**
 * What these files hold, as one report; what of it could not be read is told. Throws a UsageError where one is no report.
 * @param ncu prints report files: `off`, `auto` or a path
 */
export async function readMeasured(
  files: readonly string[],
  ncu: string,
  { cwd, error: say }: Pick<Io, "cwd" | "error">,
): Promise<MeasuredReport> {
  const texts: ReportText[] = [];
  for (const name of files) texts.push(...(isReportFile(name) ? await printed(name, ncu, cwd) : [textOf(name, cwd)]));
  const answer = readReport(texts);
  if ("problem" in answer) throw new UsageError(`--measured: ${answer.problem}`);
  for (const note of answer.report.notes) say(`--measured: ${note}\n`);
  return answer.report;
}

function textOf(name: string, cwd: string): ReportText {
  const text = readText(path.resolve(cwd, name), longestReport);
  if (text === undefined) throw new UsageError(`--measured: there is no file ${name}`);
  if (text instanceof NotRead) throw new UsageError(`--measured: ${name} is not read: ${text.reason}`);
  return { name, text };
}

async function printed(name: string, ncu: string, cwd: string): Promise<readonly ReportText[]> {
  const file = path.resolve(cwd, name);
  if (!existsSync(file)) throw new UsageError(`--measured: there is no file ${name}`);
  if (ncu === "off")
    throw new UsageError(
      `--measured: ${name} is a report file: --ncu auto has your own Nsight Compute print it; or print it: ${howToPrint(name)}`,
    );
  const answer = await printReport(ncu, file);
  if ("problem" in answer) throw new UsageError(`--measured: ${answer.problem}`);
  return answer.texts;
}

export function measuredBeside(report: MeasuredReport, { gpu, files }: Result): Measured {
  const sites = files.flatMap(({ input, simulation }) => (simulation?.launches ?? []).map(({ report: launch }) => ({ input, launch })));
  const { of, unmatched, elsewhere } = besideOf(
    report,
    sites.map(({ launch }) => launch),
    gpu,
  );
  const found = sites.flatMap(({ input, launch }): [LaunchReport, MeasuredSite][] => {
    const match = of.get(launch);
    if (!match) return [];
    const { launches, isShared } = match;
    const lines = compareLines(launches, path.basename(input.path), input.text);
    return [[launch, { launches: launches.length, isShared, figures: compareFigures(launch, launches), ...(lines ? { lines } : {}) }]];
  });
  return { report, of: new Map(found), unmatched, elsewhere };
}
