/**
 * What the features show of one document: its text as it is now, and what is known of its launches, carried over to it. Of another
 * GPU nothing is shown; what is of an older text says so. Features are functions of a view; they know no server and no connection.
 */
import type { GpuModel, LaunchReport } from "@warplens/sim-engine";
import type { TextDocument } from "vscode-languageserver-textdocument";
import type { Diagnostic } from "../lint.ts";
import type { Beside } from "../measured/beside.ts";
import type { Match } from "../measured/match.ts";
import type { ProgramTimeline } from "../timeline/program-timeline.ts";
import type { NamedPlace, OffsetRange, SharedArrayFact } from "../worker/messages.ts";
import type { KeptReport, Pinned } from "./protocol.ts";
import type { Settings } from "./settings.ts";

export interface ViewKernel {
  readonly name: string;
  readonly nameAt: OffsetRange;
  readonly at: OffsetRange;
  readonly launchBounds?: OffsetRange;
  readonly parameters: readonly NamedPlace[];
  readonly sharedArrays: readonly SharedArrayFact[];
  /** The parser could not make sense of all of it. */
  readonly isBroken: boolean;
}

export interface ViewLaunch {
  /** Absent for one of another file. */
  readonly kernel?: ViewKernel;
  readonly kernelName: string;
  readonly templateArguments: readonly string[];
  /** 1-based, in the present text. */
  readonly line: number;
  /** The launch expression; absent where an option, a directive or nothing launches the kernel. */
  readonly at?: OffsetRange;
  /** Its places are offsets into `document`; those the edits touched are not there. */
  readonly report?: LaunchReport;
  /** Report or reason are those of an older text, or of older settings. */
  readonly isStale: boolean;
  /** The one of its kernel's that the user wants to see. */
  readonly isChosen?: true;
  /** What the user pinned of it. */
  readonly pinned?: Pinned;
  /** What was measured of it, by report: the one to show first. */
  readonly measured?: readonly ViewMeasured[];
  /** Why it was not simulated; beside a stale report, why the present text's was not. */
  readonly reason?: string;
}

/** What was measured of a launch in one report. */
export interface ViewMeasured {
  readonly report: KeptReport;
  readonly match: Match;
}

/** How far the simulation of the present text has come. `off`: in the settings; `stopped`: by the user. */
export type Progress = "waiting" | "running" | "done" | "stopped" | "off";

export interface View {
  readonly document: TextDocument;
  readonly gpu: GpuModel;
  readonly settings: Settings;
  readonly kernels: readonly ViewKernel[];
  readonly launches: readonly ViewLaunch[];
  readonly progress: Progress;
  /** What is known to be wrong, as it is shown in the document. */
  readonly diagnostics: readonly Diagnostic[];
  /** What `main` has the device do, where the file has one; its lines are those of an older text where it is stale. */
  readonly program?: { readonly timeline: ProgramTimeline; readonly isStale: boolean };
  /** Reports of measurements beside its launches, the one to show first; absent where there are none. */
  readonly reports?: readonly { readonly report: KeptReport; readonly beside: Beside<LaunchReport> }[];
}

/** A launch that was simulated. */
export type SimulatedLaunch = ViewLaunch & { readonly report: LaunchReport };

export const isSimulated = (launch: ViewLaunch): launch is SimulatedLaunch => launch.report !== undefined;

/** Its result is still to come. */
export const isPending = ({ report, reason }: ViewLaunch): boolean => report === undefined && reason === undefined;

/** The simulated launches of a kernel, in source order. */
export const launchesOf = (view: View, kernel: ViewKernel): SimulatedLaunch[] =>
  view.launches.filter(isSimulated).filter((launch) => launch.kernel === kernel);

/** The launch that takes longest: the one to show where there is room for one. */
export function worstLaunch(launches: readonly SimulatedLaunch[]): SimulatedLaunch | undefined {
  return launches.reduce<SimulatedLaunch | undefined>(
    (worst, launch) => (worst && (worst.report.time?.ns ?? 0) >= (launch.report.time?.ns ?? 0) ? worst : launch),
    undefined,
  );
}

/** The launch to show of a kernel: the one that the user chose, else the slowest. */
export const shownLaunch = (launches: readonly SimulatedLaunch[]): SimulatedLaunch | undefined =>
  launches.find(({ isChosen }) => isChosen) ?? worstLaunch(launches);

export const holds = (range: OffsetRange, offset: number): boolean => range.start <= offset && offset <= range.end;

/** The file a report's places lie in, seen from the opened document: only that one has a view. */
export const inDocument = <Place extends { readonly file: number }>(place: Place): boolean => place.file === 0;

/** Said of what is stale. */
export function staleText({ progress }: View): string {
  const before = "From before your last edit";
  if (progress === "done") return `${before}: this text could not be simulated.`;
  return progress === "stopped" ? `${before}: the simulation was stopped.` : `${before}.`;
}
