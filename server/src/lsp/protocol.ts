/**
 * What server and client say to each other besides the language server protocol: plain JSON, positions as in LSP (0-based,
 * UTF-16), lines in reports 1-based. Types and method names alone; the client and the panel's page import nothing else of the server.
 */
import type { LaunchReport } from "@warplens/sim-engine";

export type { AccessReport, LaunchReport, LineCounters } from "@warplens/sim-engine";

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
  /** Described in the project's `warplens.json`. */
  readonly own?: true;
}

/** Client to server, no parameters: `GpuSummary[]`, in the order to show them: those of the project looked at first. */
export const gpusRequest = "warplens/gpus";

/** Client to server: what the panel shows. `null` when the document is not open or holds no kernel and no launch. */
export const panelRequest = "warplens/panel";

export interface PanelParams {
  readonly textDocument: { readonly uri: string };
  /** The cursor: its launch, or the worst launch of its kernel, is shown. */
  readonly position: { readonly line: number; readonly character: number };
  /** An index of `PanelModel.launches` that the user picked; it goes before the cursor. */
  readonly launch?: number;
}

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

export interface PanelModel {
  readonly uri: string;
  /** The document version that the model was made from. */
  readonly version: number;
  readonly gpu: GpuSummary;
  /** Every launch in source order; a kernel that nothing launches stands in as one entry. */
  readonly launches: readonly PanelLaunch[];
  readonly selected: number;
  /** Absent while the simulation runs, and where there is none: then `reason` says why. */
  readonly report?: LaunchReport;
  readonly reason?: string;
  /** With a report: one sweep a resource. */
  readonly sweeps: readonly OccupancySweep[];
  /** The trimmed text of each line of `report.lines`, by 1-based line; and the URI of the file they stand in. */
  readonly source: { readonly uri: string; readonly lines: Readonly<Record<string, string>> };
}

/** Server to client: the launches of a document have new results, so that what is shown of them is stale. */
export const didSimulateNotification = "warplens/didSimulate";

export interface DidSimulateParams {
  readonly uri: string;
  readonly version: number;
}

/** Client to server, `{ uri }`: the document the user looks at, whose GPU the status names. Without it, the one opened last. */
export const didFocusNotification = "warplens/didFocus";

export interface DidFocusParams {
  readonly uri: string;
}

/** Server to client, once after it starts and when any of it changes. */
export const statusNotification = "warplens/status";

export interface StatusParams {
  readonly gpu: GpuSummary;
  /** Who chose the GPU. */
  readonly chosenBy: "setting" | "compile_commands.json" | "warplens.json" | "default";
  /** Launches that wait for or are in simulation. */
  readonly simulating: number;
  /** What the user should mend, such as an unknown GPU in the settings: one sentence each. */
  readonly problems: readonly string[];
}

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
