/** Between the command line and the processes that inspect files. */
import type { Answer } from "./inspector.ts";
import type { Job } from "./job.ts";

export interface ToProcess {
  readonly job: Job;
  /** The time for the file. */
  readonly seconds: number;
}

export type FromProcess =
  | { readonly ready: true }
  /** What is begun; without, nothing is any more. */
  | { readonly entered: string | undefined }
  /** The outcome as far as it is known before the launches are simulated, as JSON. */
  | { readonly soFar: string }
  /** `megabytes`: what the process holds now. */
  | { readonly answer: Answer; readonly megabytes: number };
