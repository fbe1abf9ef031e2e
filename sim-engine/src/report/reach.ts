/** How far the indices of a launch come, by guard and by buffer: whether its grid covers what it is to work on. */
import type { Actor } from "./violation.ts";

/** A comparison of an index with a bound that all threads share, that stores depend on. */
export interface GuardReach {
  readonly at: Actor["at"];
  /** The greatest index of any thread, and the least that does not pass. */
  readonly most: number;
  readonly limit: number;
  /** Some thread does not pass, or one more would not. */
  readonly covers: boolean;
  /** Buffers that are stored to at places made of the index, by name. */
  readonly stored: readonly string[];
}

export interface StoredPart {
  readonly name: string;
  readonly bytes: number;
  /** Bytes from the start of the buffer to behind the last that is stored to. */
  readonly end: number;
}

export interface Reach {
  readonly guards: readonly GuardReach[];
  readonly stored: readonly StoredPart[];
}
