/** What may be asked of a launch that the source does not make so, and what is answered. Plain data, types alone. */
import type { AccessReport, BranchReport, Dim3, LaunchReport, WarpName, WatchedExecution } from "@warplens/sim-engine";

/** One of a program's launches: of those of a kernel that stand on a line (1-based), the nth from 0 on. */
export interface LaunchName {
  readonly kernel: string;
  readonly line: number;
  readonly nth: number;
}

/** What a launch has in the place of what the source gives it; what is absent stays. */
export interface Overrides {
  /** A model's id. */
  readonly gpu?: string;
  readonly block?: Dim3;
  /** Without, the grid follows the block and the parameters that it covers, so that there are as many threads. */
  readonly grid?: Dim3;
  /** Dynamic shared memory of a block in bytes. */
  readonly shared?: number;
  /** Registers of a thread. */
  readonly registers?: number;
  /** By name: parameters of the kernel, and inputs of the host's code that are assumed. */
  readonly parameters?: Readonly<Record<string, number>>;
}

/** What of a launch can be turned: `gpu`, `block`, `grid`, `shared`, `registers`, or a parameter by its name. */
export type KnobName = Exclude<keyof Overrides, "parameters"> | { readonly parameter: string };

/** A number that a launch is given. */
export interface ParameterKnob {
  readonly name: string;
  readonly value: number;
  /** Nobody says it. */
  readonly isAssumed: boolean;
  /** It may be any number, not whole ones alone. */
  readonly isReal: boolean;
  /** It says how much there is to do: it bounds the threads, a loop, or is a row's length. */
  readonly isSize: boolean;
}

/** What of a launch can be turned, as it stands. */
export interface Knobs {
  readonly block: Dim3;
  readonly grid: Dim3;
  /** How many of x, y and z the launch uses. */
  readonly dimensions: 1 | 2 | 3;
  /** Dynamic, bytes of a block. */
  readonly shared: number;
  /** Those that say how much there is to do first. */
  readonly parameters: readonly ParameterKnob[];
}

/** Values written into the source: edits of the opened file, and what was written where, in words; or why they cannot be. */
export type Written =
  | { readonly edits: readonly { readonly start: number; readonly end: number; readonly newText: string }[]; readonly words: string }
  | { readonly why: string };

/** What a launch would do. */
export interface Imagined {
  /** Absent where the launch is not known, not even as it is. */
  readonly knobs?: Knobs;
  readonly report?: LaunchReport;
  /** Why there is no report. */
  readonly reason?: string;
  /** Whose value it is that the GPU does not take, where it is one. */
  readonly of?: KnobName;
}

/** A warp of a launch, and where it is watched: at an access or a branch of the launch's report. */
export interface WarpQuestion extends WarpName {
  readonly place: WarpPlace;
}

export type WarpPlace =
  | ({ readonly kind: "access" } & Pick<AccessReport, "file" | "start" | "end" | "space" | "operation" | "bytesPerLane">)
  | ({ readonly kind: "branch" } & Pick<BranchReport, "file" | "start" | "end">);

/** What a warp does there; or why that is not known. */
export type WarpSeen =
  | {
      /** The first ones, in order. */
      readonly executions: readonly WatchedExecution[];
      /** How many there were, up to where it was run. */
      readonly count: number;
      /** It was not run to its end. */
      readonly isCut: boolean;
      /** Of a branch: the lines (1-based, of the opened file) that lanes come to one way and the other; `null` where that is not known. */
      readonly lines?: readonly [number | null, number | null];
    }
  | { readonly why: string };
