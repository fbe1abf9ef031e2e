/** What a run is compared with: a baseline, or a revision (`base.ts`). */
import type { LaunchReport } from "@warplens/sim-engine";
import { noBaseline, projectBaseline, readBaseline, withoutKnown } from "./baseline.ts";
import { type Io, UsageError } from "./io.ts";
import type { Given } from "./options.ts";
import type { FileResult } from "./report.ts";
import type { Session } from "./session.ts";

/** What is known of before: known findings are no news, and figures may be bounded by what they were. */
export interface Before {
  /** The findings that were not there; absent where nothing says which were. */
  newFindings?(files: readonly FileResult[]): readonly FileResult[];
  /** A launch as it was; absent where there is no revision to compare with. */
  launch?(now: LaunchReport): LaunchReport | undefined;
  /** Something of it is not known, as it failed. */
  readonly hasFailed?: boolean;
}

/** What a baseline knows: the option's; without `--base` that of the project, where it names one. Throws a UsageError. */
export function knownFindings(given: Given, { project }: Session, io: Io): Before {
  const file = given.baseline ?? (given.base === undefined ? projectBaseline(project) : undefined);
  if (file === undefined) return {};
  const baseline = readBaseline(file, io);
  if (!baseline.entries) throw new UsageError(noBaseline(file));
  return { newFindings: (files) => withoutKnown(files, baseline, io) };
}
