/** Carries what is known of kernels and launches over to the present text. */
import type { LaunchReport } from "@warplens/sim-engine";
import type { KernelPlace, OffsetRange, SharedArrayFact } from "../worker/messages.ts";
import type { Drift } from "./drift.ts";
import type { KnownLaunch } from "./known-figures.ts";
import type { Snapshot } from "./snapshot.ts";
import { inDocument, type ViewKernel, type ViewLaunch } from "./view.ts";

/** Undefined where an edit touched the kernel's name. */
export function carryKernel(place: KernelPlace, offsets: Drift, sharedArrays: readonly SharedArrayFact[]): ViewKernel | undefined {
  const nameAt = offsets.carry(place.nameAt);
  if (!nameAt) return undefined;
  const bounds = place.launchBounds && offsets.carry(place.launchBounds);
  const at = offsets.stretch(place.at) ?? nameAt;
  const parameters = place.parameters.flatMap(({ name, at: declared }) => {
    const moved = offsets.carry(declared);
    return moved ? [{ name, at: moved }] : [];
  });
  const isBroken = place.syntaxErrors > 0;
  return { name: place.name, nameAt, at, parameters, sharedArrays, isBroken, ...(bounds ? { launchBounds: bounds } : {}) };
}

/** A report whose places are those of the present text, less what the edits touched. */
function carryReport(report: LaunchReport, { offsets, lines }: Snapshot): LaunchReport {
  if (offsets.isEmpty) return report;
  const lineOf = (line: number): number | undefined => {
    const moved = lines.carry({ start: line - 1, end: line });
    return moved && moved.start + 1;
  };
  const moved = <Place extends OffsetRange & { readonly file: number; readonly line?: number }>(places: readonly Place[]): Place[] =>
    places.flatMap((place) => {
      if (!inDocument(place)) return place;
      const at = offsets.carry(place);
      if (!at) return [];
      const line = place.line === undefined ? undefined : lineOf(place.line);
      return line === undefined ? at : { ...at, line };
    });
  const counted = Object.entries(report.lines).flatMap(([line, counters]) => {
    const now = lineOf(Number(line));
    return now === undefined ? [] : [[now, counters] as const];
  });
  return {
    ...report,
    accesses: moved(report.accesses),
    branches: moved(report.branches),
    loops: moved(report.loops),
    lines: Object.fromEntries(counted),
  };
}

export const carryShared = (arrays: readonly SharedArrayFact[], offsets: Drift): SharedArrayFact[] =>
  arrays.flatMap((array) => offsets.carry(array) ?? []);

/** @param isFresh whether what is known is of the present text and settings @param isShown whether it is of the present GPU */
export function carryLaunch(
  { place, of, result, now }: KnownLaunch,
  kernel: ViewKernel | undefined,
  { isFresh, isShown }: { isFresh(of: Snapshot): boolean; isShown(of: Snapshot): boolean },
): ViewLaunch {
  const at = place.at && of.offsets.stretch(place.at);
  const shown = result && isShown(result.of) ? result : undefined;
  const report = shown?.result.report;
  const stale = shown !== undefined && !isFresh(shown.of);
  // Why a kernel that does not parse was not simulated is no news: the user is at it.
  const refusal = now && isShown(now.of) && !kernel?.isBroken ? now.reason : undefined;
  const reason = report ? refusal : shown?.result.reason;
  return {
    kernelName: place.kernelName,
    templateArguments: shown?.result.templateArguments ?? place.templateArguments,
    line: of.line(place.line) ?? place.line,
    isStale: stale,
    ...(kernel ? { kernel } : {}),
    ...(at ? { at } : {}),
    ...(shown && report ? { report: carryReport(report, shown.of) } : {}),
    ...(reason === undefined ? {} : { reason }),
  };
}
