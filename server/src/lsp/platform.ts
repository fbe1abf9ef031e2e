/** What the server needs of the place it runs in: a desktop's process or a browser's worker. */
import type { FileHost } from "../analysis/settings.ts";
import type { Compilation, CompilationAnswer } from "../nvcc/compile.ts";
import type { PrintedReport } from "../nvcc/ncu.ts";
import type { StartWorker } from "../worker/messages.ts";

export interface Platform {
  /** Files on disk, or those fetched beforehand; open documents go before them. */
  readonly files: FileHost;
  /** What must be there before the worker is asked; rejects when it cannot be had. Called once, with what the client sent. */
  load?(initializationOptions: unknown): Promise<void>;
  /** Told whom to call when a file that was asked for has come, where reading takes time. */
  onFilesArrived?(arrived: () => void): void;
  /** Files that have changed, where they are kept after they were read once. */
  forget?(paths: readonly string[]): void;
  readonly startWorker: StartWorker;
  /** Asks the user's nvcc, where one can be run. */
  compile?(nvcc: string, compilation: Compilation, signal: AbortSignal): Promise<CompilationAnswer>;
  /** Has the user's Nsight Compute print a report file, where it can be run. */
  printReport?(ncu: string, path: string): Promise<PrintedReport>;
  pathOf(uri: string): string;
  uriOf(path: string): string;
}
