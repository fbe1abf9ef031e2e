/** What gates compare with: a baseline, and a revision. */
import type { GpuModel, LaunchReport } from "@warplens/sim-engine";
import { noBaseline, projectBaseline, readBaseline, withoutKnown } from "../baseline.ts";
import { paired } from "../compare/pairs.ts";
import { countsOf, withoutCounted } from "../finding-keys.ts";
import { Repository } from "../git/repository.ts";
import { renaming, sidesNamed } from "../git/sides.ts";
import { listedInputs } from "../inputs.ts";
import { inspectAll } from "../inspect.ts";
import { type Io, UsageError } from "../io.ts";
import { sitedLaunches } from "../launches.ts";
import type { Given } from "../options.ts";
import type { FileResult } from "../report.ts";
import { Session } from "../session.ts";
import type { Before } from "./judge.ts";

/** What was before, for each GPU. Throws a UsageError where what the user names is not there. */
export function beforeOf(
  given: Given,
  session: Session,
  paths: readonly string[],
  io: Io,
): (gpu: GpuModel, files: readonly FileResult[]) => Promise<Before> {
  const known = knownBy(given, session, io);
  const { base } = given;
  if (base === undefined) return async () => known;
  const repository = Repository.of(io.cwd);
  const { before, after } = sidesNamed([base], repository);
  if (after.commit !== undefined) throw new UsageError(`--base takes one revision: ${base}`);
  const renamed = renaming(repository, before, after);
  const earlier = new Session(io, given, before.files);
  const inputs = listedInputs(before.files, paths, io.cwd);
  return async (gpu, files) => {
    const were = await inspectAll(earlier, inputs, gpu, io, () => true);
    const launches = new Map<LaunchReport, LaunchReport>();
    for (const { before: one, after: other } of paired(were.flatMap(sitedLaunches), files.flatMap(sitedLaunches), renamed))
      if (one && other) launches.set(other.report, one.report);
    return {
      newFindings: (found) => withoutCounted(found, countsOf(were, renamed), (path) => path),
      ...known,
      launch: (now) => launches.get(now),
    };
  };
}

/** The findings that a baseline does not know: the option's; without `--base` that of the project, where it names one. */
function knownBy(given: Given, { project }: Session, io: Io): Before {
  const file = given.baseline ?? (given.base === undefined ? projectBaseline(project) : undefined);
  if (file === undefined) return {};
  const baseline = readBaseline(file, io);
  if (!baseline.entries) throw new UsageError(noBaseline(file));
  return { newFindings: (files) => withoutKnown(files, baseline, io) };
}
