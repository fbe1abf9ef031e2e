/** Where the time of a document's kernels is spent, line by line. */
import type { LineCounters, WaitKind } from "@warplens/sim-engine";
import { visibleName } from "../foreign-text.ts";
import type { HeatAnswer, HeatLine } from "./protocol.ts";
import { isPending, isSimulated, type SimulatedLaunch, type View, worstLaunch } from "./view.ts";

/** Lines that take less of a launch's time are not told of. */
const leastShare = 0.01;

/** The slowest launch of each kernel; those of kernels in other files too, for they may call what stands here. */
function slowestLaunches({ launches }: View): SimulatedLaunch[] {
  const slowest = new Map<unknown, SimulatedLaunch>();
  for (const launch of launches.filter(isSimulated)) {
    const of = launch.kernel ?? launch.kernelName;
    const known = slowest.get(of);
    slowest.set(of, (known && worstLaunch([known, launch])) ?? launch);
  }
  return [...slowest.values()];
}

const isShown = ({ settings, progress }: View): boolean => settings["heat.enabled"] && progress !== "off";

/** Nothing where the user switched it off. Of a line that several kernels use, what it takes of the one where it takes most. */
export function heatOf(view: View): HeatAnswer {
  const hottest = new Map<number, HeatLine>();
  for (const { kernelName, report } of isShown(view) ? slowestLaunches(view) : []) {
    for (const [number, counters] of Object.entries(report.lines)) {
      const line = Number(number) - 1;
      const { timeShare = 0 } = counters;
      const most = mostWaitedFor(counters);
      if (most === undefined || timeShare < leastShare || (hottest.get(line)?.timeShare ?? 0) >= timeShare) continue;
      hottest.set(line, { line, kernel: visibleName(kernelName), timeShare, most });
    }
  }
  return {
    version: view.document.version,
    isStale: view.launches.some((launch) => launch.isStale || isPending(launch)),
    lines: [...hottest.values()].sort((a, b) => a.line - b.line),
  };
}

/** The launch that spends most at a line, 0-based, and what it counts there; undefined where none spends enough to tell. */
export function hottestAt(view: View, line: number): { readonly launch: SimulatedLaunch; readonly counters: LineCounters } | undefined {
  const found = slowestLaunches(view).flatMap((launch) => {
    const counters = launch.report.lines[line + 1];
    return counters && (counters.timeShare ?? 0) >= leastShare ? [{ launch, counters }] : [];
  });
  return found.sort((a, b) => (b.counters.timeShare ?? 0) - (a.counters.timeShare ?? 0))[0];
}

function mostWaitedFor({ waits = {} }: LineCounters): WaitKind | undefined {
  return (Object.entries(waits) as [WaitKind, number][]).sort((a, b) => b[1] - a[1])[0]?.[0];
}
