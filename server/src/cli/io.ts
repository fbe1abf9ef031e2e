import type { Inspector } from "./jobs/inspector.ts";

/** The world as the command line sees it, so that tests can be another. Files are always on disk. */
export interface Io {
  /** Absolute; relative paths start here. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute: where this user's programs keep what they can make again. Absent where there is no such folder. */
  readonly cacheHome?: string | undefined;
  /** Colours are wanted where a person reads. */
  readonly isTerminal: boolean;
  out(text: string): void;
  /** For messages that are not the answer. */
  error(text: string): void;
  /** The lines of the standard input. */
  lines(): AsyncIterable<string>;
  /** Starts what inspects files; there may be several at once. */
  startInspector(): Inspector;
  /** Tells one build of WarpLens from another; undefined where it is not known, and nothing is to be kept for the next run. */
  build(): string | undefined;
  /** Shows a person who waits how far it is, in place of what was shown before; "" takes it away. Absent where nobody sees it. */
  progress?(line: string): void;
  /** Runs the language server on the standard streams until the client ends it. */
  serve(): Promise<void>;
}

/** Something the user can put right: printed without a stack, exit code 2. */
export class UsageError extends Error {}
