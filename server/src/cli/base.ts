/** The revision that `--base` names, and what a run says that was not there. */
import path from "node:path";
import type { GpuModel, LaunchReport } from "@warplens/sim-engine";
import { slashes } from "../files.ts";
import { visible } from "../foreign-text.ts";
import type { Before } from "./before.ts";
import { paired } from "./compare/pairs.ts";
import { countsOf, withoutCounted } from "./finding-keys.ts";
import { LinkedPaths } from "./git/linked-paths.ts";
import { Repository } from "./git/repository.ts";
import { renaming, sidesNamed } from "./git/sides.ts";
import { unversionedIn } from "./git/unversioned.ts";
import { type Input, listedInputs, withoutDoubtful } from "./inputs.ts";
import { inspectAll } from "./inspect.ts";
import { type Io, UsageError } from "./io.ts";
import { failureText } from "./jobs/job.ts";
import { sitedLaunches } from "./launches.ts";
import { isIn, nameOfPath } from "./names.ts";
import type { Given } from "./options.ts";
import type { FileResult } from "./report.ts";
import { Session } from "./session.ts";

export interface Base {
  /**
   * An input as far as it can be compared: unread, with the reason, where nothing of what was asked for can be; none where it is but a
   * part of that, which is noted.
   */
  compared(input: Input, note: (message: string) => void): readonly Input[];
  /** What was before, by what a run says of it now. */
  before(gpu: GpuModel, now: readonly FileResult[], simulates: (session: Session, input: Input) => boolean): Promise<Required<Before>>;
}

/**
 * The revision that `--base` names. Throws a UsageError where it is not there.
 * @param paths what is inspected of it, as far as it is wanted
 */
export function baseAt(
  base: string,
  given: Given,
  paths: readonly string[],
  io: Io,
  isWanted: (input: Pick<Input, "name">) => boolean = () => true,
): Base {
  if (base === "") throw new UsageError("--base needs a revision: --base REV");
  const repository = Repository.of(io.cwd);
  const { before, after } = sidesNamed([base], repository);
  if (after.commit !== undefined) throw new UsageError(`--base takes one revision: ${base}`);
  const renamed = renaming(repository, before, after);
  const session = new Session(io, given, before.files);
  const linked = new LinkedPaths(
    repository.root,
    paths.map((each) => slashes(path.resolve(io.cwd, each))),
  );
  const placeOf = (file: string): string => linked.placeOf(file);
  const nameOf = nameOfPath(io.cwd);
  /** What it is called now says which part of the files it is in, and whether it is there. */
  const isAsked = (place: string): boolean =>
    !after.sparse?.has(place) && linked.namesOf(place).some((file) => isWanted({ name: nameOf(file) }));
  const listed = listedInputs(before.files, linked.places, io.cwd, before.name, renamed).filter(({ path: file }) => isAsked(renamed(file)));
  const told = new Set<string>();
  const once = (message: string, tell: (message: string) => void): void => {
    if (!told.has(message)) tell(message);
    told.add(message);
  };
  const files = new Set(before.files.paths);
  const unversioned = unversionedIn(repository, (file) => files.has(file));
  return {
    compared(input, note) {
      const found = input.unread === undefined ? unversioned(placeOf(input.path)) : undefined;
      if (!found) return [input];
      const { place, reason } = found;
      const asked = input.folder ?? input.path;
      const isAll = place === undefined ? !isIn(placeOf(asked), repository.root) : isIn(place, placeOf(asked));
      const message = `${nameOf(isAll ? asked : (place ?? input.path))} is not compared with ${before.name}: ${reason}`;
      if (isAll) return [{ ...input, text: "", exact: false, unread: message }];
      once(`${message}; it is left out`, note);
      return [];
    },
    async before(gpu, now, simulates) {
      const sources = new Set(now.flatMap(({ input }) => (input.unread === undefined ? placeOf(input.path) : [])));
      const inputs = withoutDoubtful(
        listed,
        (file) => sources.has(renamed(file)),
        (message) => once(message, (text) => io.error(`${visible(text)}\n`)),
      );
      const were = await inspectAll(session, inputs, gpu, io, (input) => simulates(session, input));
      const placed = now.flatMap(sitedLaunches).map((launch) => ({ ...launch, path: placeOf(launch.path) }));
      const launches = new Map<LaunchReport, LaunchReport>();
      for (const { before: one, after: other } of paired(were.flatMap(sitedLaunches), placed, renamed))
        if (one && other) launches.set(other.report, one.report);
      return {
        newFindings: (all) => withoutCounted(all, countsOf(were, renamed), placeOf).map(unlessFailed(were, renamed, placeOf)),
        launch: (report) => launches.get(report),
        hasFailed: were.some(({ failures }) => failures.length > 0),
      };
    },
  };
}

/** A file whose state before is not known has failed, too: which of its findings are new is not known, so none is called so. */
function unlessFailed(
  were: readonly FileResult[],
  renamed: (path: string) => string,
  placeOf: (path: string) => string,
): (file: FileResult) => FileResult {
  const failed = new Map(
    were.flatMap(({ input, failures: [first] }) => (first ? [[renamed(input.path), failureText(first)] as const] : [])),
  );
  const cannotTell = ({ input, toldBy }: FileResult): boolean =>
    failed.has(placeOf(input.path)) || [...(toldBy ?? [])].some((file) => failed.has(placeOf(file)));
  return (file) => {
    const reason = failed.get(placeOf(file.input.path));
    const known = cannotTell(file) ? { ...file, diagnostics: [] } : file;
    return reason === undefined ? known : { ...known, failures: [...file.failures, { stage: "base", reason }] };
  };
}
