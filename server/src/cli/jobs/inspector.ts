/** What a file is inspected by: a place of its own, that can be done away with whatever it does. */
import type { Fact } from "../cache/facts.ts";
import type { Job } from "./job.ts";

export interface Answer {
  /** The `Outcome`, as JSON: what comes from a cache and what does not go the same way. */
  readonly outcome: string;
  /** What the outcome rests on besides the job. */
  readonly facts: readonly Fact[];
}

/** What is told on the way to an answer, that may never come. */
export interface Listener {
  /** Each stage that begins, and undefined between two. */
  entered(stage: string | undefined): void;
  /** What of the outcome needs no simulation, as JSON. */
  soFar(outcome: string): void;
}

export interface Usage {
  /** Of the processor, so far. */
  readonly seconds: number;
  /** It waits for something, not for a processor. */
  readonly isAsleep: boolean;
}

export interface Inspector {
  /** Resolves when it can be asked. Rejects where it does not start. */
  readonly ready: Promise<void>;
  /**
   * Inspects one file at a time. Rejects where it ended meanwhile, with the reason in the words of a `Failure`.
   * @param seconds the time for the file
   */
  inspect(job: Job, seconds: number, listener: Listener): Promise<Answer>;
  /** What it does with its time; undefined where the system does not tell. */
  usage(): Usage | undefined;
  /** It is there, and holds no more memory than another file leaves it. */
  readonly isFit: boolean;
  /** At once. */
  end(): void;
}
