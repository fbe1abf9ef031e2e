/** The world as the command line sees it, so that tests can be another. Files are always on disk. */
export interface Io {
  /** Absolute; relative paths start here. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Colours are wanted where a person reads. */
  readonly isTerminal: boolean;
  out(text: string): void;
  /** For messages that are not the answer. */
  error(text: string): void;
  /** The lines of the standard input. */
  lines(): AsyncIterable<string>;
  /** Runs the language server on the standard streams until the client ends it. */
  serve(): Promise<void>;
}

/** Something the user can put right: printed without a stack, exit code 2. */
export class UsageError extends Error {}
