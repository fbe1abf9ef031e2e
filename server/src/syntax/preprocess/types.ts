import type { Place } from "../reading.ts";

/** A comment of the opened file or a project header, for directives and suppressions. `text` has its delimiters. */
export interface Comment {
  readonly text: string;
  readonly place: Place;
}

export interface MacroUse {
  readonly name: string;
  /** The use, outermost expansions only. */
  readonly place: Place;
  /** The range its expansion takes in the reading's text. */
  readonly start: number;
  readonly end: number;
}
