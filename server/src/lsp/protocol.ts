/**
 * What server and client say to each other besides the language server protocol: plain JSON, positions as in LSP (0-based,
 * UTF-16), lines in reports 1-based. Types and method names alone; the client and the panel's page import nothing else of the server.
 */
import type { LaunchReport, WaitKind } from "@warplens/sim-engine";

import type { Compared } from "../compared.ts";
import type { Elsewhere } from "../measured/beside.ts";
import type { ComparedFigure, MeasuredLines } from "../measured/compare.ts";
import type { Unmatched } from "../measured/match.ts";
import type { MeasuredReport } from "../measured/report.ts";
import type { ProgramTimeline, TaskRow } from "../timeline/program-timeline.ts";
import type { Imagined, Overrides, WarpQuestion } from "../what-if/question.ts";

export type { AccessReport, BranchReport, LaunchReport, LineCounters, WaitKind, WatchedExecution } from "@warplens/sim-engine";
export type { ComparedFigure, MeasuredLines } from "../measured/compare.ts";
export type { MeasuredReport } from "../measured/report.ts";
export type { Imagined, KnobName, Knobs, Overrides, ParameterKnob, WarpPlace, WarpQuestion, WarpSeen } from "../what-if/question.ts";

/** One GPU model, as a list shows it. A figure that is not known is absent. */
export interface GpuSummary {
  readonly id: string;
  readonly name: string;
  /** Such as "9.0". */
  readonly computeCapability: string;
  readonly multiprocessors?: number;
  readonly memoryBytes?: number;
  /** Theoretical DRAM bandwidth in GB/s (10^9 bytes). */
  readonly dramGBs?: number;
  readonly l2Bytes?: number;
  /** Bandwidth of the L2 in GB/s. */
  readonly l2GBs?: number;
  /** Described in the project's `warplens.json`. */
  readonly own?: true;
}

/** Client to server, no parameters: `GpuSummary[]`, in the order to show them: those of the project looked at first. */
export const gpusRequest = "warplens/gpus";

/** Client to server: what the panel shows, a `PanelAnswer`. */
export const panelRequest = "warplens/panel";

export interface PanelParams {
  readonly textDocument: { readonly uri: string };
  /** The cursor: its launch, or the worst launch of its kernel, is shown. */
  readonly position: { readonly line: number; readonly character: number };
  /** An index of `PanelModel.launches` that the user picked; it goes before the cursor. */
  readonly launch?: number;
}

/** Client to server, `PanelParams`: what is known of the launch that the panel shows, as Markdown to be copied; `null` where nothing is. */
export const markdownRequest = "warplens/markdown";

export interface PanelLaunch {
  readonly kernel: string;
  /** `<float, 16>`, or empty. */
  readonly templateArguments: string;
  readonly uri: string;
  /** 1-based line of the launch, or of the kernel where nothing launches it. */
  readonly line: number;
  /** `(256, 256) x (32, 8)`, or what is known of it. */
  readonly configuration: string;
}

/** Occupancy over the values of one resource of a launch. */
export interface OccupancySweep {
  readonly resource: "registers" | "shared" | "block";
  /** The launch's value: registers a thread, bytes a block, threads a block. */
  readonly now: number;
  /** The last value; the first is that of the first step. */
  readonly to: number;
  /** Values from which on occupancy is another, in percent. */
  readonly steps: readonly (readonly [value: number, occupancyPct: number])[];
}

/** `done`: the present text's launches are simulated; `off`: in the settings; `stopped`: by the user. */
export type PanelProgress = "waiting" | "running" | "done" | "stopped" | "off";

/** Of a document that is not open there is nothing; of one without kernels and launches only how far it is known that it has none. */
export type PanelAnswer = PanelModel | { readonly nothing: PanelProgress; readonly gpu: GpuSummary } | null;

export interface PanelModel {
  readonly uri: string;
  /** The document version that the model was made from. */
  readonly version: number;
  readonly gpu: GpuSummary;
  /** Every launch in source order; a kernel that nothing launches stands in as one entry. */
  readonly launches: readonly PanelLaunch[];
  readonly selected: number;
  /** Absent while there is none for this GPU, and where there can be none: then `reason` says why. */
  readonly report?: LaunchReport;
  /** Why the launch was not simulated; beside a stale report, why the present text's was not. */
  readonly reason?: string;
  /** Report or reason are those of a text before the last edit, or of settings before the last change. */
  readonly isStale: boolean;
  /** What threads of the kernel do wrong, where that is known: in short with its line, and as the finding has it. */
  readonly fault?: { readonly text: string; readonly message: string };
  /** What is pinned of the launch. */
  readonly pinned?: Pinned;
  /** Something of the document is pinned. */
  readonly hasPins: boolean;
  /** How far the simulation of the present text has come. */
  readonly progress: PanelProgress;
  /** With a report: one sweep a resource. */
  readonly sweeps: readonly OccupancySweep[];
  /** The trimmed text of each line of `report.lines`, by 1-based line; and the URI of the file they stand in. */
  readonly source: { readonly uri: string; readonly lines: Readonly<Record<string, string>> };
  /** What `main` has the device do, where the file has one. */
  readonly program?: PanelProgram;
  /** Absent where no report is loaded. */
  readonly measured?: PanelMeasured;
}

/** A program's time line: of many tasks the first are drawn, and those rows told that take longest. */
export interface PanelProgram extends ProgramTimeline {
  readonly rows: readonly TaskRow[];
  /** It is of an older text. */
  readonly isStale: boolean;
}

/** Client to server, `WhatIfParams`: what a launch would do otherwise, a `WhatIfAnswer`; `null` where the text is another one by now, or it was cancelled. */
export const whatIfRequest = "warplens/whatIf";

export interface WhatIfParams {
  readonly textDocument: { readonly uri: string };
  /** Of the document that the model was made from, and the index of the launch in it. */
  readonly version: number;
  readonly launch: number;
  readonly overrides: Overrides;
}

/** Client to server, `WatchWarpParams`: what one warp does at an access or a branch, a `WarpSeen`; `null` as for `whatIfRequest`. */
export const watchWarpRequest = "warplens/watchWarp";

export interface WatchWarpParams extends WhatIfParams {
  readonly warp: WarpQuestion;
}

/** Client to server, `WhatIfParams`: what writes the values, but for the GPU, into the source, an `ApplyAnswer`; `null` as for `whatIfRequest`. */
export const applyRequest = "warplens/applyWhatIf";

/** Edits of the document, and what they write where, in words; or why there are none. */
export type ApplyAnswer =
  | { readonly edits: readonly { readonly range: TextRange; readonly newText: string }[]; readonly words: string }
  | { readonly why: string };

interface TextRange {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
}

export interface WhatIfAnswer extends Imagined {
  readonly gpu: GpuSummary;
  /** As in `PanelModel`. */
  readonly sweeps: readonly OccupancySweep[];
}

/** Figures of a launch that the user pinned, to compare with what comes of edits, of another GPU or other settings. */
export type Pinned = Compared;

/** Client to server, `ReadReportParams`: what Nsight Compute printed, read: a `ReadReportAnswer`. Nothing of it is kept. */
export const readReportRequest = "warplens/readReport";

export interface ReadReportParams {
  /** Each by the name that messages give it. */
  readonly texts: readonly { readonly name: string; readonly text: string }[];
  /** URIs of report files, which the user's Nsight Compute is asked to print. */
  readonly files?: readonly string[];
}

/** A report; or why there is none, a sentence with the place. */
export type ReadReportAnswer = { readonly report: MeasuredReport } | { readonly problem: string };

/** A report that the client keeps. */
export interface KeptReport {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly loadedAt: number;
  readonly report: MeasuredReport;
}

/** Client to server, `ReportsParams`: the reports to show beside what is simulated, in the place of those told before. */
export const reportsNotification = "warplens/reports";

export interface ReportsParams {
  readonly reports: readonly KeptReport[];
  /** Id of the one to show where several have a launch; the newest where it is absent. */
  readonly shown?: string;
}

/** Client to server, `PanelParams`: figures of the launch, measured and estimated, as Markdown without names or source; `null` where none were measured. */
export const outlierRequest = "warplens/outlier";

/** What the panel shows of measurements. */
export interface PanelMeasured {
  /** The newest first. */
  readonly reports: readonly {
    readonly id: string;
    readonly name: string;
    readonly loadedAt: number;
    /** The one whose figures are shown. */
    readonly isShown: boolean;
    readonly devices: readonly string[];
    readonly launches: number;
    /** Nanoseconds of the launch in this report. */
    readonly ns?: number;
  }[];
  /** Of the launch that is shown, what the report says that has it. */
  readonly launch?: {
    readonly launches: number;
    /** They are of several launches of the source. */
    readonly isShared: boolean;
    readonly figures: readonly ComparedFigure[];
    readonly lines?: MeasuredLines;
  };
  /** Of that report, or of the one to show: launches that are none of the document's, GPUs that are not the simulated one, what could not be read. */
  readonly unmatched: readonly Unmatched[];
  readonly elsewhere: readonly Elsewhere[];
  readonly notes: readonly string[];
}

/** Client to server, `{ textDocument }`: pins what is simulated of it, or unpins it where it is; answers how many launches are pinned now. */
export const pinRequest = "warplens/pin";

/** Client to server, `{ textDocument }`: where the time of a document's kernels is spent, a `HeatAnswer`; `null` of one that is not open. */
export const heatRequest = "warplens/heat";

export interface HeatAnswer {
  /** The document version whose lines these are. */
  readonly version: number;
  /** Some of it is still to come, or of a text before the last edit. */
  readonly isStale: boolean;
  readonly lines: readonly HeatLine[];
}

/** A line where a launch spends its time: of each kernel, its slowest one. */
export interface HeatLine {
  /** 0-based. */
  readonly line: number;
  readonly kernel: string;
  /** Of the time of the launch's warps, what they spend there, 0 to 1, and what they wait for most. */
  readonly timeShare: number;
  readonly most: WaitKind;
}

/** Server to client: what is known of a document's launches has changed, so that what is shown of them is to be asked for anew. */
export const didSimulateNotification = "warplens/didSimulate";

export interface DidSimulateParams {
  readonly uri: string;
  /** Of the document. */
  readonly version: number;
  readonly progress: PanelProgress;
}

/** Client to server: the document the user looks at, whose GPU the status names, and where. Without it, the one opened last. */
export const didFocusNotification = "warplens/didFocus";

export interface DidFocusParams {
  readonly uri: string;
  /** The cursor: what stands there is simulated first. */
  readonly position?: { readonly line: number; readonly character: number };
  /** The lines in view, 0-based, the last one included: what stands there is simulated next. */
  readonly visible?: { readonly start: number; readonly end: number };
}

/** Server to client, once after it starts and when any of it changes. */
export const statusNotification = "warplens/status";

export interface StatusParams {
  readonly gpu: GpuSummary;
  /** Who chose the GPU. */
  readonly chosenBy: "setting" | "compile_commands.json" | "warplens.json" | "default";
  /** Documents whose simulation runs. */
  readonly simulating: number;
  /** Present while that takes long enough for a word: launches that are done, and how many there are once that is known. */
  readonly progress?: { readonly done: number; readonly of?: number };
  /** What the user should mend, such as an unknown GPU in the settings: one sentence each. */
  readonly problems: readonly string[];
}

/** Client to server, `{ textDocument, position }`: the launches of the kernel there to choose from, `LaunchChoice[]` in source order. */
export const launchesRequest = "warplens/launches";

export interface LaunchChoice {
  /** Of `PanelModel.launches`. */
  readonly index: number;
  /** 1-based. */
  readonly line: number;
  readonly configuration: string;
  /** `311 µs ± 25 %, bound by DRAM`, or why there is no time. */
  readonly figures: string;
  /** The one that the lens shows. */
  readonly isShown: boolean;
}

/** Client to server, `ChooseLaunchParams`: which launch of its kernel lens and panel show. */
export const chooseLaunchRequest = "warplens/chooseLaunch";

export interface ChooseLaunchParams {
  readonly textDocument: { readonly uri: string };
  readonly position: { readonly line: number; readonly character: number };
  /** An index of `PanelModel.launches`; absent: the slowest one of the kernel there, whichever that is. */
  readonly launch?: number;
}

/** Client to server, no parameters: the simulation under way is not wanted; it begins again when its text or settings change. */
export const stopSimulationNotification = "warplens/stopSimulation";

/** Client to server, `{ id }`: the rule's page in Markdown, or `null` where there is no such rule. */
export const rulePageRequest = "warplens/rulePage";

export interface RulePageParams {
  readonly id: string;
}

/** Client to server, no parameters: `RuleSummary[]`, the catalogue in the order to show it. */
export const rulesRequest = "warplens/rules";

export interface RuleSummary {
  readonly id: string;
  readonly summary: string;
}

/** Client to server, no parameters: Markdown on the server's state, for a bug report. Holds no source text. */
export const bugReportRequest = "warplens/bugReport";

/**
 * Client to server, no parameters: `StageTotal[]`, what each stage of the work took since the last time; `null` unless the server
 * was started with `WARPLENS_TRACE=1`.
 */
export const traceRequest = "warplens/trace";

/** Server to client, `{ uri }`: the text of a file that is not open, or `null`. For entries that have no file system of their own. */
export const readFileRequest = "warplens/readFile";

export interface ReadFileParams {
  readonly uri: string;
}
