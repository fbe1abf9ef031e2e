import type { FileText } from "../file-text.ts";
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

/** Reads project files. Paths are absolute and normalised, `/` separated. */
export interface FileHost {
  read(path: string): FileText;
  /** Where links lead; undefined where there is no such file. Absent where there are no links. */
  realPath?(path: string): string | undefined;
}

export interface ReadOptions {
  /** Such as 90: decides `__CUDA_ARCH__`. */
  readonly computeCapability: number;
  /** `-D`: undefined value means 1. */
  readonly defines?: readonly { readonly name: string; readonly value?: string }[];
  /** Absolute; searched in order, for both forms of `#include`. */
  readonly includeDirs?: readonly string[];
}
