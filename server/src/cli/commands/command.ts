import type { Io } from "../io.ts";
import type { Arguments, OptionName } from "../options.ts";

export interface Command {
  readonly name: string;
  /** What follows the name in usage: `PATH...`. */
  readonly operands: string;
  readonly summary: string;
  readonly options: readonly OptionName[];
  /** The exit code: 0 all well, 1 findings. Throws a UsageError for what the user can put right. */
  run(args: Arguments, io: Io): Promise<number>;
}
