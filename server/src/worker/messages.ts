/**
 * The boundary between the language server and the analysis.
 *
 * The analysis holds the texts. It is told, in the order in which it happened, what was opened, how the editor changed it, what was
 * closed, and what holds for each file (`Input`): no keystroke carries a whole text across, or a copy of what else is open. Then it
 * is asked, for one file at a time: `find` for what needs no simulation, and then, where the text is broken, to `settle` it, `simulate` for
 * the figures of its launches, `imagine` for what one of them would do otherwise, which changes nothing of what is known. One request
 * runs at a time, and sees every input told before it.
 *
 * A simulation answers as it goes (`SimulationMessage`): first the launches without their results, so that it is known how many
 * there are; then each launch's result as it comes, the cursor's kernel first, then what is visible, then the rest; then the
 * findings of every rule; and the end. One that was cancelled stops without an end, and what it told stays true. Behind the end it tells
 * where refactorings apply, and the fixes are tried, one after another: what came of each is told as it is known. A refactoring is tried
 * when the user asks for it (`tryRefactorings`).
 *
 * Every answer says what it is about (`About`): the version of the text, the revision of the settings, the GPU. Places in the
 * opened file are UTF-16 offsets into the text of that version; findings, which may lie in other files, have lines and characters.
 *
 * All of it is plain data, structured-cloned between threads. A thread that died, or was ended because it gave no sign of life or ran
 * out of memory, fails the request that it was at; the next one is first told everything anew, and asked what else was asked.
 */
import type { GpuModel, LaunchReport } from "@warplens/sim-engine";
import type { AnalysisSettings } from "../analysis/settings.ts";
import type { Diagnostic, FixProof, LintSettings } from "../lint.ts";
import type { CompiledKernel } from "../nvcc/resources.ts";
import type { OfferedRefactoring } from "../refactorings/offered.ts";
import type { ProgramTimeline } from "../timeline/program-timeline.ts";
import { failedStage } from "../trace.ts";
import type { Imagined, LaunchName, Overrides, WarpQuestion, WarpSeen, Written } from "../what-if/question.ts";

/** UTF-16 offsets into a text. */
export interface OffsetRange {
  readonly start: number;
  readonly end: number;
}

/** One of the editor's own edits: this text in place of that range. The offsets count in the text that the edits before it made. */
export interface TextEdit extends OffsetRange {
  readonly text: string;
}

/** What holds for one file besides its text. */
export interface Configuration {
  /** Grows whenever anything of it changes; never the same for two different ones of a file. */
  readonly revision: number;
  readonly gpu: GpuModel;
  readonly analysis: AnalysisSettings;
  readonly lint: LintSettings;
}

/** What the analysis is told. Open texts go before what is on disk. Paths are absolute, `/` separated. */
export type Input =
  | { readonly does: "open"; readonly path: string; readonly version: number; readonly text: string }
  /** `version` is that of the text after the edits; they are in the order in which they happened. */
  | { readonly does: "edit"; readonly path: string; readonly version: number; readonly edits: readonly TextEdit[] }
  | { readonly does: "close"; readonly path: string }
  | { readonly does: "configure"; readonly path: string; readonly configuration: Configuration }
  /** Files on disk have changed: these, or any where it is not known. */
  | { readonly does: "files"; readonly paths?: readonly string[] }
  /** What the user's nvcc made of that version of the text; none: registers are estimated. */
  | { readonly does: "compiled"; readonly path: string; readonly version: number; readonly kernels: readonly CompiledKernel[] };

/** What an answer is about. */
export interface About {
  /** Of the text. */
  readonly version: number;
  /** Of the configuration. */
  readonly revision: number;
  /** The GPU's id. */
  readonly gpu: string;
}

/** A finding; one in the opened file says where in its text, too. */
export interface FileDiagnostic extends Diagnostic {
  readonly place?: OffsetRange;
}

/** A name where it is declared. */
export interface NamedPlace {
  readonly name: string;
  readonly at: OffsetRange;
}

/** Where a kernel of the opened file stands. */
export interface KernelPlace {
  readonly name: string;
  readonly nameAt: OffsetRange;
  readonly at: OffsetRange;
  readonly launchBounds?: OffsetRange;
  readonly parameters: readonly NamedPlace[];
  /** Places in it that the parser could not make sense of. */
  readonly syntaxErrors: number;
}

export interface SharedArrayFact extends OffsetRange {
  readonly name: string;
  readonly bytes: number;
}

/** A launch before it is simulated; a kernel that nothing launches stands in as one. */
export interface LaunchPlace {
  /** Index in the kernels of the same message; absent for a kernel of another file. */
  readonly kernel?: number;
  readonly kernelName: string;
  readonly templateArguments: readonly string[];
  /** 1-based line of the launch in the opened file, or of the kernel that nothing launches. */
  readonly line: number;
  /** The launch expression; absent where an option, a directive or nothing launches the kernel. */
  readonly at?: OffsetRange;
}

/** What came of one launch. */
export interface LaunchResult {
  /** Those of the instance that was simulated, where it was. */
  readonly templateArguments: readonly string[];
  /** Absent when it was not simulated: `reason` says why. */
  readonly report?: LaunchReport;
  readonly reason?: string;
  /** The kernel's shared arrays of known size, those in the opened file. */
  readonly sharedArrays: readonly SharedArrayFact[];
}

/** What needs no simulation. */
export interface FileFindings {
  readonly about: About;
  readonly diagnostics: readonly FileDiagnostic[];
  /** In source order. */
  readonly kernels: readonly KernelPlace[];
  /** Places in the file that the parser could not make sense of: with some, kernels and launches may be missing. */
  readonly syntaxErrors: number;
  /** Rules that failed: for the log. */
  readonly failures: readonly string[];
  /** They are what would be found of the text if no other had been seen; where not, whoever asked asks to `settle` it when there is time. */
  readonly isSettled: boolean;
}

export type SimulationMessage =
  /** The first: all kernels of the opened file and all launches, in source order. */
  | {
      readonly type: "launches";
      readonly about: About;
      readonly kernels: readonly KernelPlace[];
      readonly launches: readonly LaunchPlace[];
      readonly syntaxErrors: number;
    }
  /** `launch` is an index in the launches of the first message. */
  | { readonly type: "result"; readonly about: About; readonly launch: number; readonly result: LaunchResult }
  /** Of every rule, the simulated ones among them; in place of all findings told before. */
  | ({ readonly type: "findings"; readonly about: About } & Pick<FileFindings, "diagnostics" | "failures">)
  /** There are no more kernels, launches and findings than were told. With what `main` has the device do, where the file has one. */
  | { readonly type: "end"; readonly about: About; readonly program?: ProgramTimeline }
  /** Behind the end: where refactorings apply; none is tried. */
  | {
      readonly type: "refactorings";
      readonly about: About;
      readonly offers: readonly OfferedRefactoring[];
      readonly failures: readonly string[];
    }
  /** Behind the end: what came of trying a fix, by its place in the findings told last and among the finding's fixes. */
  | { readonly type: "proof"; readonly about: About; readonly diagnostic: number; readonly fix: number; readonly proof: FixProof };

/** What the user looks at: it is simulated first. */
export interface SimulationOrder {
  /** The cursor's offset: the launch there, or the launches of the kernel there, go first. */
  readonly cursor?: number;
  /** What is in view: its kernels and launches go next. */
  readonly visible?: OffsetRange;
}

/** What a launch would do otherwise. */
export interface WhatIf {
  readonly launch: LaunchName;
  readonly overrides: Overrides;
  /** What holds on another GPU; absent for the file's own. */
  readonly elsewhere?: Pick<Configuration, "gpu" | "analysis">;
}

/** Why a request has no answer. `message` is one line for whoever asked. */
export class AnalysisError extends Error {
  override readonly name = "AnalysisError";
  /** One line, the rest of a sentence that begins with what was asked. */
  readonly why: string;
  /** The stage of the analysis it was at, where that is known. */
  readonly stage: string | undefined;
  /** It took the analysis itself with it, or had to be ended: another one has taken its place. */
  readonly isEnd: boolean;
  /** For the log. */
  readonly details: string | undefined;

  constructor(why: string, { stage, isEnd = false, details }: Partial<Pick<AnalysisError, "stage" | "isEnd" | "details">> = {}) {
    super(stage === undefined ? why : `${why} (stage: ${stage})`);
    this.why = why;
    this.stage = stage;
    this.isEnd = isEnd;
    this.details = details;
  }

  /** Of whatever was thrown. Its first line says what is wrong. */
  static of(thrown: unknown): AnalysisError {
    if (thrown instanceof AnalysisError) return thrown;
    const why = thrown instanceof Error && thrown.name === "Error" ? thrown.message : String(thrown);
    const details = thrown instanceof Error ? thrown.stack : undefined;
    return new AnalysisError(why.split("\n", 1)[0] ?? "", { stage: failedStage(thrown), details });
  }
}

/** Runs the analysis elsewhere, one request at a time: in a thread, or in slices where there are none. */
export interface AnalysisWorker {
  tell(input: Input): void;
  /** Cannot be cancelled. Rejects with an `AnalysisError` when it failed as a whole. */
  find(path: string): Promise<FileFindings>;
  /**
   * The findings once more, of the file read as if no other text of it had been seen: how the parser recovers from an error depends on what
   * was there before. For when the user has paused. Rejects as `find` does. @returns undefined when it was cancelled
   */
  settle(path: string): Promise<FileFindings | undefined>;
  /** The texts of the project's headers that a file includes. May be asked at any time. */
  headers(path: string): Promise<readonly string[]>;
  /**
   * The open files of which something else may be said since this was asked last, as they rest on other files' texts that were opened,
   * edited or closed.
   */
  outdated(): Promise<readonly string[]>;
  /**
   * Rejects with an `AnalysisError` when it failed as a whole.
   * @param told called with each message as it comes
   * @returns false when it was cancelled
   */
  simulate(path: string, order: SimulationOrder, told: (message: SimulationMessage) => void): Promise<boolean>;
  /** Rejects with an `AnalysisError` when it failed as a whole. @returns undefined when it was cancelled */
  imagine(path: string, question: WhatIf): Promise<Imagined | undefined>;
  /** The same: what one warp of it does at a place of the source. */
  watch(path: string, question: WhatIf, warp: WarpQuestion): Promise<WarpSeen | undefined>;
  /** The same: the edits that would make the launch so, on the file's own GPU. */
  write(path: string, question: WhatIf): Promise<Written | undefined>;
  /**
   * The same: what comes of refactorings of the present text, one after another; fewer where it takes too many steps. They change nothing of
   * what is known.
   */
  tryRefactorings(path: string, offers: readonly OfferedRefactoring[]): Promise<readonly FixProof[] | undefined>;
  /** Nothing is asked for now: there is time for what the next edits would wait for otherwise, until something is. */
  rest(): void;
  /** Stops the running simulation, or what is imagined, soon. */
  cancel(): void;
  dispose(): void;
}

/** Starts a worker. `state`: the inputs that tell a new one all that others were told: what is open, and what holds for it. */
export type StartWorker = (state: () => readonly Input[]) => AnalysisWorker;
