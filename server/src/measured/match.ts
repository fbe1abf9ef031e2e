/** Which measured launches are which launches of the source. */
import type { Dim3, LaunchReport } from "@warplens/sim-engine";
import { isSameInstance } from "../nvcc/same-instance.ts";
import { formatDim } from "../units.ts";
import { kernelSymbol } from "./kernel-name.ts";
import type { MeasuredLaunch } from "./report.ts";

/** What a launch of the source is known by. */
export type Identity = Pick<LaunchReport, "kernel" | "templateArguments" | "grid" | "block" | "dynamicSharedBytes">;

export interface Match {
  readonly launches: readonly MeasuredLaunch[];
  /** More launches of the source have this configuration than the report tells apart: these are of any of them. */
  readonly isShared: boolean;
}

/** Launches of one configuration that are none of the source's, and why. */
export interface Unmatched {
  readonly kernel: string;
  readonly grid?: Dim3;
  readonly block?: Dim3;
  readonly count: number;
  readonly why: string;
}

export interface Matches<Launch> {
  readonly of: ReadonlyMap<Launch, Match>;
  readonly unmatched: readonly Unmatched[];
}

/**
 * Launches go together by the kernel's name, its template arguments and the configuration, those of one configuration by their order.
 * @param launches of the source, in its order
 * @param measured in the order in which they ran
 */
export function matchLaunches<Launch extends Identity>(launches: readonly Launch[], measured: readonly MeasuredLaunch[]): Matches<Launch> {
  const symbols = new Map([...new Set(measured.map(({ kernel }) => kernel))].map((kernel) => [kernel, kernelSymbol(kernel)]));
  const used = new Set<MeasuredLaunch>();
  const of = new Map<Launch, Match>();
  for (const group of configurations(launches)) {
    const [first] = group;
    if (!first) continue;
    const named = measured.filter((each) => isNamed(symbols.get(each.kernel)?.name ?? "", first.kernel) && hasConfiguration(each, first));
    const found = withShared(
      instancesOf(first, named, launches, (each) => symbols.get(each.kernel)?.templateArguments ?? []),
      first,
    );
    for (const each of found) used.add(each);
    if (found.length === 0) continue;
    const inOrder = found.length === group.length;
    for (const [index, launch] of group.entries())
      of.set(launch, { launches: inOrder ? found.slice(index, index + 1) : found, isShared: !inOrder && group.length > 1 });
  }
  return {
    of,
    unmatched: unmatchedOf(
      measured.filter((each) => !used.has(each)),
      launches,
      (each) => symbols.get(each.kernel)?.name ?? "",
    ),
  };
}

/** The source may leave out namespaces. */
const isNamed = (name: string, kernel: string): boolean => name === kernel || name.endsWith(`::${kernel}`);

const sameDim = (one: Dim3, other: Dim3): boolean => one.every((size, axis) => size === other[axis]);

/** A report that does not tell the configuration tells of any. */
const hasConfiguration = ({ grid, block }: MeasuredLaunch, launch: Identity): boolean =>
  (grid === undefined || sameDim(grid, launch.grid)) && (block === undefined || sameDim(block, launch.block));

function configurations<Launch extends Identity>(launches: readonly Launch[]): Launch[][] {
  const groups = new Map<string, Launch[]>();
  for (const launch of launches) {
    const { kernel, templateArguments, grid, block, dynamicSharedBytes } = launch;
    const key = JSON.stringify([kernel, templateArguments, grid, block, dynamicSharedBytes]);
    const group = groups.get(key);
    if (group) group.push(launch);
    else groups.set(key, [launch]);
  }
  return [...groups.values()];
}

/** Those of the same instance; where arguments are spelled otherwise, those of the only instance there is on either side. */
function instancesOf(
  launch: Identity,
  named: readonly MeasuredLaunch[],
  launches: readonly Identity[],
  argumentsOf: (each: MeasuredLaunch) => readonly string[],
): readonly MeasuredLaunch[] {
  const same = named.filter((each) => isSameInstance(argumentsOf(each), launch.templateArguments));
  if (same.length > 0) return same;
  const isOnly = launches.every(
    (other) => other.kernel !== launch.kernel || isSameInstance(other.templateArguments, launch.templateArguments),
  );
  const [first] = named;
  return isOnly && first && named.every((each) => isSameInstance(argumentsOf(each), argumentsOf(first))) ? named : [];
}

/** Where some have the launch's dynamic shared memory, those: launches may differ in nothing else. */
function withShared(found: readonly MeasuredLaunch[], { dynamicSharedBytes }: Identity): readonly MeasuredLaunch[] {
  const same = found.filter(({ figures }) => figures.dynamicShared === dynamicSharedBytes);
  return same.length > 0 ? same : found;
}

function unmatchedOf(
  left: readonly MeasuredLaunch[],
  launches: readonly Identity[],
  nameOf: (each: MeasuredLaunch) => string,
): Unmatched[] {
  const groups = new Map<string, { readonly first: MeasuredLaunch; count: number }>();
  for (const each of left) {
    const key = JSON.stringify([each.kernel, each.grid, each.block]);
    const group = groups.get(key);
    if (group) group.count++;
    else groups.set(key, { first: each, count: 1 });
  }
  return [...groups.values()].map(({ first, count }) => {
    const { kernel, grid, block } = first;
    const here = launches.filter((launch) => isNamed(nameOf(first), launch.kernel));
    const known = [...new Set(here.map((launch) => `${formatDim(launch.grid)} blocks of ${formatDim(launch.block)}`))].slice(0, 3);
    const why =
      here.length === 0
        ? "no launch of this kernel is simulated here"
        : here.some((launch) => hasConfiguration(first, launch))
          ? "other template arguments are launched here"
          : `launched here with ${known.join(", ")}`;
    return { kernel, ...(grid ? { grid } : {}), ...(block ? { block } : {}), count, why };
  });
}
