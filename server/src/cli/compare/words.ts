/** What changed between two revisions, in words. */
import type { GpuModel } from "@warplens/sim-engine";
import { visibleName } from "../../foreign-text.ts";
import { type Figure, figures } from "../../lint/figures.ts";
import { significant } from "../../units.ts";
import { launchTitle, type SitedLaunch } from "../launches.ts";
import type { Comparison, FigureChange, LaunchChange } from "./compare.ts";

export interface Compared {
  readonly comparison: Comparison;
  readonly gpu: GpuModel;
  /** As they are shown: `1a2b3c4`, `working tree`. */
  readonly before: string;
  readonly after: string;
  /** Percent. */
  readonly threshold: number;
}

export type Kind = "slower" | "faster" | "changed" | "new" | "gone";

export function kindOf({ before, after, changes }: LaunchChange): Kind {
  if (!before) return "new";
  if (!after) return "gone";
  const time = changes.find(({ figure }) => figure.key === "timeNs");
  if (time?.before === undefined || time.after === undefined) return "changed";
  return time.after > time.before ? "slower" : "faster";
}

export const nameOf = ({ shown }: LaunchChange): string => visibleName(launchTitle(shown.report));
export const placeOf = ({ shown }: LaunchChange): string => visibleName(`${shown.name}:${shown.line}`);
/** The figures rest on values that are assumed. */
export const isAssumed = ({ before, after }: LaunchChange): boolean =>
  [before, after].some((launch) => (launch?.report.assumptions.length ?? 0) > 0);

/** `222 µs → 304 µs (+37 %)` */
export function changeText({ figure, before, after }: FigureChange): string {
  const { format } = figure.dimension;
  const [one, other] = [before, after].map((value) => (value === undefined ? "not known" : format(value)));
  const percent = before && after !== undefined ? Math.round((after / before - 1) * 1000) / 10 : undefined;
  const ratio = percent === undefined || figure.dimension.isShare ? "" : ` (${percent > 0 ? "+" : "−"}${significant(Math.abs(percent))} %)`;
  return `${one} → ${other}${ratio}`;
}

export const isWorse = ({ figure, before, after }: FigureChange): boolean =>
  before !== undefined && after !== undefined && after > before === figure.lessIsBetter;

export const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;
export const sites = (count: number): string => counted(count, "launch", "launches");

/** `2 launches slower, 1 faster; 3 new findings, 1 gone`, or that nothing changed. */
export function summaryText({ changed, newFindings, goneFindings, failures }: Comparison): string {
  const kinds = changed.map(kindOf);
  const counts = (["slower", "faster", "changed", "new", "gone"] as const).flatMap((kind) => {
    const count = kinds.filter((each) => each === kind).length;
    return count > 0 ? [`${count} ${kind === "changed" ? "otherwise changed" : kind}`] : [];
  });
  const [first, ...rest] = counts;
  const launches =
    first === undefined ? [] : [[first.replace(" ", first.startsWith("1 ") ? " launch " : " launches "), ...rest].join(", ")];
  const found = [
    ...(newFindings.length > 0 ? [counted(newFindings.length, "new finding", "new findings")] : []),
    ...(goneFindings.length > 0
      ? [`${goneFindings.length} ${newFindings.length > 0 ? "gone" : goneFindings.length === 1 ? "finding gone" : "findings gone"}`]
      : []),
  ];
  const none = failures.length > 0 ? "nothing changed in what can be compared" : "nothing changed";
  return [...launches, ...(found.length > 0 ? [found.join(", ")] : [])].join("; ") || none;
}

export function unchangedText({ unchanged }: Comparison, threshold: number): string {
  return unchanged.length === 0 ? "" : `${sites(unchanged.length)} did not change by ${significant(threshold)} % or more`;
}

export const findingsChange = ({ newFindings, goneFindings }: LaunchChange): string =>
  [...(newFindings > 0 ? [`+${newFindings}`] : []), ...(goneFindings > 0 ? [`−${goneFindings}`] : [])].join(" ");

/** What changed of a launch, a line each kind. */
export function detailsOf(change: LaunchChange): string[] {
  const { shown, before, after, changes, notSimulated } = change;
  const findings = findingsChange(change);
  return [
    ...changes.map((each) => `${each.figure.name} ${changeText(each)}`),
    ...(before && after ? [] : [[`${before ? "was" : "is"}:`, figuresText(shown)].join(" ")]),
    ...(notSimulated === undefined ? [] : [`not simulated ${after ? "before" : "any more"}: ${notSimulated}`]),
    ...(findings === "" ? [] : [`findings ${findings}`]),
    ...(isAssumed(change) ? ["rests on values that are assumed"] : []),
  ];
}

/** The figures of the table's columns. */
export const columns: readonly Figure[] = ["timeNs", "occupancyPct", "dramBytes", "registersPerThread"].flatMap((key) =>
  figures.filter((figure) => figure.key === key),
);

const figuresText = ({ report }: SitedLaunch): string =>
  columns
    .flatMap((figure) => {
      const value = figure.of(report);
      return value === undefined ? [] : [`${figure.name} ${figure.dimension.format(value)}`];
    })
    .join(", ");
