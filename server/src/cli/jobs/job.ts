/**
 * The boundary between a run over many files and what is made of one file: all that decides it besides what is on disk, and all that
 * is told of it. Plain data, so that files can be inspected elsewhere, and what came of them be kept.
 */
import type { GpuModel, LaunchReport } from "@warplens/sim-engine";
import type { Takes } from "../../analysis/fitting.ts";
import type { AnalysisSettings } from "../../analysis/settings.ts";
import type { Diagnostic, LintSettings } from "../../lint.ts";
import type { ProgramTimeline } from "../../timeline/program-timeline.ts";
import type { Revision } from "../files.ts";

export interface Job {
  /** Absolute, `/` separated. */
  readonly path: string;
  readonly text: string;
  readonly gpu: GpuModel;
  readonly analysis: AnalysisSettings;
  readonly lint: LintSettings;
  /** The file's launches are simulated. */
  readonly simulates: boolean;
  /** Fixes that are to be proved: those that are applied, each on top of the others, or every one by itself; absent for none. */
  readonly proves?: "safe" | "all" | "each";
  /** Steps that simulating them may take, all that is done for it counted. */
  readonly steps: number;
  /** Only launches of this kernel. */
  readonly kernel?: string;
  /** Registers a thread, by kernel, as the user says. */
  readonly registers: readonly (readonly [string, number])[];
  /** An nvcc to ask for registers, or `auto`. */
  readonly nvcc?: string;
  /** Where everything else is read; absent for the disk. It decides nothing that what is read there does not. */
  readonly revision?: Revision;
}

/** What came of a file. What failed is missing in the rest. */
export interface Outcome {
  /** Absent where the file could not be read. */
  readonly names?: Names;
  readonly diagnostics: readonly Diagnostic[];
  /** Absent when nothing was to be simulated. */
  readonly simulation?: FileSimulation;
  readonly failures: readonly Failure[];
  /** What the user should know of how it was made, such as that there is no nvcc. */
  readonly notes: readonly string[];
}

/** What of the names in options a file knows. */
export interface Names {
  readonly kernels: readonly KernelNames[];
  /** Of the parameters that `--assume` gives every kernel those that the code mentions: variables of the host take such values, too. */
  readonly mentioned: readonly string[];
}

export interface KernelNames {
  readonly name: string;
  /** Absent where the kernel is defined elsewhere. */
  readonly parameters?: readonly { readonly name: string; readonly takes?: Takes }[];
}

/** In source order of the launch sites. */
export interface FileSimulation {
  readonly launches: readonly SimulatedSite[];
  readonly notSimulated: readonly { readonly kernel: string; readonly line: number; readonly reason: string }[];
  /** What `main` has the device do, where the file has one. */
  readonly program?: ProgramTimeline;
}

export interface SimulatedSite {
  /** 1-based line of the launch in the file. */
  readonly line: number;
  readonly report: LaunchReport;
}

/** What of a file failed: what was done to it, and what went wrong. */
export interface Failure {
  /** A stage of the analysis such as `parse`, or a rule. */
  readonly stage: string;
  /** One line. */
  readonly reason: string;
}

export const failureText = ({ stage, reason }: Failure): string => `${stage} failed: ${reason}`;

/** @param stage what was done for the launch when the steps ended; absent where nothing was begun */
export const tookTooManySteps = (steps: number, stage: string | undefined): string =>
  `${stage === undefined ? "the launches before it" : `its stage "${stage}"`} took the last of the ${steps.toLocaleString("en")} steps of the file; --steps gives it more`;

export const tookTooLong = (seconds: number): string => `it took longer than ${seconds} s; --timeout gives it more`;
