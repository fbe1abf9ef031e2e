/**
 * What the analysis worker is asked and what it answers: plain data, structured-cloned between threads. Places in the
 * opened file are UTF-16 offsets into the job's text, so that the editor's side can carry them over later edits.
 */
import type { GpuModel, LaunchReport } from "@warplens/sim-engine";
import type { AnalysisSettings } from "../analysis/facts.ts";
import type { Diagnostic, LintSettings } from "../lint.ts";
import type { CompiledKernel } from "../nvcc/resources.ts";

export interface Job {
  readonly path: string;
  readonly text: string;
  /** Open documents, by path: they go before what is on disk. */
  readonly overlays: Readonly<Record<string, string>>;
  /** Another number when files on disk may have changed. */
  readonly files: number;
  readonly gpu: GpuModel;
  readonly analysis: AnalysisSettings;
  readonly lint: LintSettings;
  /** What the user's nvcc made of this text; absent or empty: registers are estimated. */
  readonly compiled?: readonly CompiledKernel[];
}

export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface SharedArrayFact extends Range {
  readonly name: string;
  readonly bytes: number;
}

export interface KernelSummary {
  readonly name: string;
  readonly nameAt: Range;
  readonly at: Range;
  readonly launchBounds?: Range;
  readonly sharedArrays: readonly SharedArrayFact[];
}

export interface LaunchSummary {
  /** Index in `FileSimulation.kernels`; absent for a kernel of another file. */
  readonly kernel?: number;
  readonly kernelName: string;
  readonly templateArguments: readonly string[];
  /** 1-based line of the launch in the opened file. */
  readonly line: number;
  /** The launch expression; absent where an option, a directive or nothing launches the kernel. */
  readonly at?: Range;
  /** Absent when it was not simulated: `reason` says why. */
  readonly report?: LaunchReport;
  readonly reason?: string;
}

/** What needs no simulation. */
export interface FileFindings {
  readonly diagnostics: readonly Diagnostic[];
  /** The texts of the project's headers that the file includes. */
  readonly headers: readonly string[];
  /** Rules that failed: for the log. */
  readonly failures: readonly string[];
}

/** All that the editor shows of one file's simulation. */
export interface FileSimulation {
  readonly kernels: readonly KernelSummary[];
  readonly launches: readonly LaunchSummary[];
  /** Of every rule, the simulated ones among them. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Runs jobs elsewhere, one at a time: in a thread, or in slices where there are none. Rejects when a job failed as a whole. */
export interface FileWorker {
  /** Cannot be cancelled. */
  find(job: Job): Promise<FileFindings>;
  /** @returns undefined when it was cancelled */
  simulate(job: Job): Promise<FileSimulation | undefined>;
  /** Stops the running simulation soon. */
  cancel(): void;
  dispose(): void;
}
