/** What the analysis is given: files, and what the user says that they do not. */
import type { GpuValues } from "@warplens/sim-engine";
import type { FileText } from "../syntax/file-text.ts";
import type { CodeOptions } from "./nvcc-options.ts";

/** Reads project files; nothing else in analysis touches a disk. Paths are absolute and normalised, `/` separated. */
export interface FileHost {
  read(path: string): FileText;
  /** Names of the sources in a folder; absent where folders cannot be listed: then files of one program are not brought together. */
  list?(folder: string): readonly string[];
  /** Where links lead; undefined where there is no such file. Absent where there are no links. */
  realPath?(path: string): string | undefined;
  /** The folder of the repository that a file belongs to. */
  repository?(path: string): string | undefined;
}

/** What the user says that the source does not: command line, `warplens.json`, directives in comments. */
export interface AnalysisSettings {
  /** Such as 90: decides `__CUDA_ARCH__`. */
  readonly computeCapability: number;
  /** `-D`: undefined value means 1. */
  readonly defines: readonly { readonly name: string; readonly value?: string }[];
  readonly includeDirs: readonly string[];
  /** How code is made, where the project does not say it or says it otherwise. */
  readonly code?: CodeOptions;
  /** Folders of the workspace: all that stands in them may be read (see `Reach`). */
  readonly roots?: readonly string[];
  /** Texts as in contract.md: `KERNEL: grid=(X,Y,Z) block=(X,Y,Z) shared=BYTES`. */
  readonly launches: readonly string[];
  /** `KERNEL.PARAM=VALUE` or `PARAM=VALUE`. */
  readonly assume: readonly string[];
  /** `main`'s arguments, argv[1] on. */
  readonly argv: readonly string[];
  /** The number of SMs and so on, for host code that asks `cudaGetDeviceProperties`. */
  readonly device?: DeviceProperties;
}

export interface DeviceProperties {
  readonly name: string;
  readonly multiProcessorCount: number;
  readonly major: number;
  readonly minor: number;
  readonly maxThreadsPerMultiProcessor: number;
  readonly sharedMemPerBlock: number;
  readonly sharedMemPerMultiprocessor: number;
  readonly sharedMemPerBlockOptin: number;
  readonly l2CacheSize: number;
  readonly clockRateKHz: number;
  readonly totalGlobalMem: number;
  /** What the occupancy calculator goes by. */
  readonly occupancy?: GpuValues;
}
