/** What a run is compared with: a baseline, and a revision. */
import type { GpuModel, LaunchReport } from "@warplens/sim-engine";
import { visible } from "../foreign-text.ts";
import { noBaseline, projectBaseline, readBaseline, withoutKnown } from "./baseline.ts";
import { paired } from "./compare/pairs.ts";
import { countsOf, withoutCounted } from "./finding-keys.ts";
import { Repository } from "./git/repository.ts";
import { renaming, sidesNamed } from "./git/sides.ts";
import { type Input, listedInputs, withoutDoubtful } from "./inputs.ts";
import { inspectAll } from "./inspect.ts";
import { type Io, UsageError } from "./io.ts";
import { failureText } from "./jobs/job.ts";
import { sitedLaunches } from "./launches.ts";
import type { Given } from "./options.ts";
import type { FileResult } from "./report.ts";
import { Session } from "./session.ts";

/** What is known of before: known findings are no news, and figures may be bounded by what they were. */
export interface Before {
  /** The findings that were not there; absent where nothing says which were. */
  newFindings?(files: readonly FileResult[]): readonly FileResult[];
  /** A launch as it was; absent where there is no revision to compare with. */
  launch?(now: LaunchReport): LaunchReport | undefined;
  /** Something of it is not known, as it failed. */
  readonly hasFailed?: boolean;
}

/** What was before at a revision, by what a run says of it now. */
export type BeforeNow = (
  gpu: GpuModel,
  now: readonly FileResult[],
  simulates: (session: Session, input: Input) => boolean,
) => Promise<Required<Before>>;

/**
 * The revision that `--base` names. Throws a UsageError where it is not there.
 * @param paths what is inspected of it, as far as it is wanted
 */
export function beforeAt(
  base: string,
  given: Given,
  paths: readonly string[],
  io: Io,
  isWanted: (input: Input) => boolean = () => true,
): BeforeNow {
  const repository = Repository.of(io.cwd);
  const { before, after } = sidesNamed([base], repository);
  if (after.commit !== undefined) throw new UsageError(`--base takes one revision: ${base}`);
  const renamed = renaming(repository, before, after);
  const session = new Session(io, given, before.files);
  const listed = listedInputs(before.files, paths, io.cwd, before.name).filter(isWanted);
  const told = new Set<string>();
  const note = (message: string): void => {
    if (!told.has(message)) io.error(`${visible(message)}\n`);
    told.add(message);
  };
  return async (gpu, now, simulates) => {
    const sources = new Set(now.flatMap(({ input }) => (input.unread === undefined ? input.path : [])));
    const inputs = withoutDoubtful(listed, (path) => sources.has(renamed(path)), note);
    const were = await inspectAll(session, inputs, gpu, io, (input) => simulates(session, input));
    const launches = new Map<LaunchReport, LaunchReport>();
    for (const { before: one, after: other } of paired(were.flatMap(sitedLaunches), now.flatMap(sitedLaunches), renamed))
      if (one && other) launches.set(other.report, one.report);
    return {
      newFindings: (files) => withoutCounted(files, countsOf(were, renamed), (path) => path).map(unlessFailed(were, renamed)),
      launch: (report) => launches.get(report),
      hasFailed: were.some(({ failures }) => failures.length > 0),
    };
  };
}

/** A file whose state before is not known has failed, too: which of its findings are new is not known, so none is called so. */
function unlessFailed(were: readonly FileResult[], renamed: (path: string) => string): (file: FileResult) => FileResult {
  const failed = new Map(
    were.flatMap(({ input, failures: [first] }) => (first ? [[renamed(input.path), failureText(first)] as const] : [])),
  );
  const cannotTell = ({ input, toldBy }: FileResult): boolean =>
    failed.has(input.path) || [...(toldBy ?? [])].some((path) => failed.has(path));
  return (file) => {
    const reason = failed.get(file.input.path);
    const known = cannotTell(file) ? { ...file, diagnostics: [] } : file;
    return reason === undefined ? known : { ...known, failures: [...file.failures, { stage: "base", reason }] };
  };
}

/** What a baseline knows: the option's; without `--base` that of the project, where it names one. Throws a UsageError. */
export function knownFindings(given: Given, { project }: Session, io: Io): Before {
  const file = given.baseline ?? (given.base === undefined ? projectBaseline(project) : undefined);
  if (file === undefined) return {};
  const baseline = readBaseline(file, io);
  if (!baseline.entries) throw new UsageError(noBaseline(file));
  return { newFindings: (files) => withoutKnown(files, baseline, io) };
}
