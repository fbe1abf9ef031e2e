/** What changed from one revision to another, by what a run says of each. */
import type { LaunchReport } from "@warplens/sim-engine";
import { type Figure, figures } from "../../lint/figures.ts";
import type { Diagnostic } from "../../lint.ts";
import { severities } from "../../rules/severities.ts";
import { countsOf, withoutCounted } from "../finding-keys.ts";
import { failureText } from "../jobs/job.ts";
import { type SitedLaunch, sitedLaunches } from "../launches.ts";
import type { FileResult } from "../report.ts";
import { leftOut } from "./left-out.ts";
import { type Pair, paired } from "./pairs.ts";

export interface FigureChange {
  readonly figure: Figure;
  readonly before?: number;
  readonly after?: number;
}

export interface LaunchChange extends Pair {
  /** As it is now, or was last. */
  readonly shown: SitedLaunch;
  /** The figures that changed by the threshold or more. */
  readonly changes: readonly FigureChange[];
  /** Why the other of the pair is missing, where the kernel is there. */
  readonly notSimulated?: string;
  /** Findings of the kernel that are new, and those that are gone. */
  readonly newFindings: number;
  readonly goneFindings: number;
}

export interface FindingAt {
  readonly name: string;
  readonly diagnostic: Diagnostic;
}

export interface Comparison {
  /** Those that changed, what matters most first: by how much longer or shorter they take. */
  readonly changed: readonly LaunchChange[];
  readonly unchanged: readonly LaunchChange[];
  /** The worst first. */
  readonly newFindings: readonly FindingAt[];
  readonly goneFindings: readonly FindingAt[];
  /** What could not be told of a revision, as something failed inside. */
  readonly failures: readonly string[];
}

/**
 * @param renamed a path of before as it is afterwards
 * @param threshold percent; what changes by less is noise
 */
export function compare(
  allBefore: readonly FileResult[],
  allAfter: readonly FileResult[],
  renamed: (path: string) => string,
  threshold: number,
): Comparison {
  const { failed, lacksFindings } = leftOut(allBefore, allAfter, renamed);
  const before = allBefore.filter(({ input }) => !failed(renamed(input.path)));
  const after = allAfter.filter(({ input }) => !failed(input.path));
  const told = {
    before: before.filter(({ input }) => !lacksFindings(renamed(input.path))),
    after: after.filter(({ input }) => !lacksFindings(input.path)),
  };
  const added = lacking(told.after, told.before, (path) => path, renamed);
  const gone = lacking(told.before, told.after, renamed, (path) => path);
  const reasons = { before: reasonsIn(before, renamed), after: reasonsIn(after, (path) => path) };
  const changes = paired(before.flatMap(sitedLaunches), after.flatMap(sitedLaunches), renamed).flatMap((pair): LaunchChange[] => {
    const shown = pair.after ?? pair.before;
    if (!shown) return [];
    const path = pair.after ? shown.path : renamed(shown.path);
    const { kernel } = shown.report;
    const isOf = (each: (typeof added)[number]): boolean => each.path === path && each.diagnostic.kernel === kernel;
    const notSimulated =
      pair.before && pair.after ? undefined : reasons[pair.after ? "before" : "after"].get(JSON.stringify([path, kernel]));
    return [
      {
        ...pair,
        shown,
        changes: changesOf(pair, threshold),
        newFindings: added.filter(isOf).length,
        goneFindings: gone.filter(isOf).length,
        ...(notSimulated === undefined ? {} : { notSimulated }),
      },
    ];
  });
  const isChanged = ({ changes, before, after, newFindings, goneFindings }: LaunchChange): boolean =>
    !before || !after || changes.length + newFindings + goneFindings > 0;
  return {
    changed: changes.filter(isChanged).sort((a, b) => weight(b) - weight(a) || largest(b) - largest(a)),
    unchanged: changes.filter((each) => !isChanged(each)),
    newFindings: added,
    goneFindings: gone,
    failures: [
      ...new Set(
        [...allBefore, ...allAfter].flatMap(({ input, failures }) => failures.map((failure) => `${input.name}: ${failureText(failure)}`)),
      ),
    ],
  };
}

/** The findings of `files` that `others` lack, the worst first. */
function lacking(
  files: readonly FileResult[],
  others: readonly FileResult[],
  nameIn: (path: string) => string,
  nameInOthers: (path: string) => string,
): (FindingAt & { readonly path: string })[] {
  return withoutCounted(files, countsOf(others, nameInOthers), nameIn)
    .flatMap(({ input, diagnostics }) => diagnostics.map((diagnostic) => ({ name: input.name, path: nameIn(input.path), diagnostic })))
    .sort((a, b) => severities.indexOf(a.diagnostic.severity) - severities.indexOf(b.diagnostic.severity));
}

/** Why kernels are not simulated, by path and name. */
const reasonsIn = (files: readonly FileResult[], nameOf: (path: string) => string): ReadonlyMap<string, string> =>
  new Map(
    files.flatMap(({ input, simulation }) =>
      (simulation?.notSimulated ?? []).map(({ kernel, reason }) => [JSON.stringify([nameOf(input.path), kernel]), reason]),
    ),
  );

function changesOf({ before, after }: Pair, threshold: number): FigureChange[] {
  if (!before || !after) return [];
  return figures.flatMap((figure) => {
    const change = changeOf(figure, before.report, after.report);
    return isMore(change, threshold) ? [change] : [];
  });
}

function changeOf(figure: Figure, one: LaunchReport, other: LaunchReport): FigureChange {
  const [before, after] = [figure.of(one), figure.of(other)];
  return { figure, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
}

function isMore({ before, after }: FigureChange, threshold: number): boolean {
  if (before === undefined || after === undefined) return before !== after;
  return before !== after && (before === 0 || Math.abs(after / before - 1) * 100 >= threshold);
}

/** Nanoseconds that a launch takes more or less; of one that is new or gone, all that it takes. */
function weight({ before, after }: LaunchChange): number {
  const [one, other] = [before?.report.time?.ns, after?.report.time?.ns];
  return one === undefined && other === undefined ? 0 : Math.abs((other ?? 0) - (one ?? 0));
}

const largest = ({ changes }: LaunchChange): number =>
  Math.max(0, ...changes.map(({ before = 0, after = 0 }) => (before === 0 ? 1 : Math.abs(after / before - 1))));
