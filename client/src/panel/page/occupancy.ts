import {
  bestBlocksText,
  intervalText,
  nextStepText,
  type ResourceChanges,
  resourceChanges,
  spillText,
} from "@warplens/server/occupancy-text";
import type { LaunchReport, OccupancySweep, PanelModel, Pinned } from "@warplens/server/protocol";
import { formatCapacity, formatCount, formatLimiters, formatPercent, formatRatio, unbroken } from "@warplens/server/units";
import { bar, element, ghostOf, section } from "./dom.ts";
import { stepChart } from "./step-chart.ts";

/** Occupancy as a bar with the achieved part marked, what it is made of, and where it would change. @param width in pixels of the page */
export function occupancySection(
  report: LaunchReport,
  sweeps: PanelModel["sweeps"],
  before: Pinned | undefined,
  width: number,
): HTMLElement {
  const { theoreticalPct, achievedPct, blocksPerSm, activeWarpsPerSm, limiters, wavesPerSm, advice } = report.occupancy;
  const local = report.resources.compiled?.stackBytes ?? report.resources.localBytesPerThread;
  const spills = spillText(report.resources);
  const track = bar(theoreticalPct / 100, "occupancy", `Theoretical occupancy ${formatPercent(theoreticalPct)}`);
  if (achievedPct !== undefined) {
    const mark = element("div", { class: "mark", title: `Achieved ${formatPercent(achievedPct)}` });
    mark.style.left = `${achievedPct}%`;
    track.append(mark);
  }
  if (before) track.append(ghostOf(before.occupancyPct / 100));
  const best = advice && bestBlocksText(advice, theoreticalPct);
  const rows: [string, string][] = [
    ["Theoretical", formatPercent(theoreticalPct)],
    ...(achievedPct === undefined ? [] : [["Achieved", formatPercent(achievedPct)] as [string, string]]),
    ["Limited by", formatLimiters(limiters)],
    ["Per SM", `${formatCount(blocksPerSm)} blocks, ${formatCount(activeWarpsPerSm)} warps`],
    ["Waves", formatRatio(wavesPerSm)],
    ...(best === undefined ? [] : [["Best block sizes", best] as [string, string]]),
    ...(local > 0 ? [["Local memory", `${formatCapacity(local)} a thread`] as [string, string]] : []),
    ...(spills === undefined ? [] : [["Spills", spills] as [string, string]]),
  ];
  const changes = resourceChanges(report).flatMap((each) => {
    const sweep = sweeps.find(({ resource }) => resource === each.resource);
    return sweep ? [resourceChart(each, sweep, report, width)] : [];
  });
  return section("Occupancy", track, ...advised(advice), facts(rows), ...changes);
}

/** The next step, or quietly why there is none to take, and how sure that is. */
function advised(advice: LaunchReport["occupancy"]["advice"]): HTMLElement[] {
  if (!advice) return [];
  const step = nextStepText(advice);
  const interval = intervalText(advice);
  const lines = [
    step !== undefined &&
      element(
        "p",
        { class: advice.nextStep === undefined ? "quiet" : "" },
        unbroken(advice.nextStep === undefined ? step : `Next step: ${step}`),
      ),
    interval !== undefined && element("p", { class: "quiet" }, unbroken(`The estimate allows ${interval}.`)),
  ].filter((line) => line !== false);
  return lines.length > 0 ? [element("div", { class: "advice" }, ...lines)] : [];
}

const units = { registers: "a thread", shared: "a block", block: "threads" };

/** One resource: what the launch uses, occupancy over all that it could, and the nearest changes. */
function resourceChart(
  { resource, name, now, below, above }: ResourceChanges,
  sweep: OccupancySweep,
  report: LaunchReport,
  width: number,
): HTMLElement {
  const { basis } = report.resources.registersPerThread;
  const used = `${now} ${units[resource]}${resource === "registers" ? `, ${basis}` : ""}`;
  const textOf = (value: number): string => (resource === "shared" ? formatCapacity(value) : String(value));
  const around = [below, above].filter((text) => text !== undefined).join("; ");
  const shown = element("span", { class: "value" }, used);
  return element(
    "div",
    { class: "resource" },
    element("span", { class: "quiet" }, name),
    shown,
    stepChart({
      sweep,
      label: `Occupancy by ${name.toLowerCase()}. Now ${used}: ${formatPercent(report.occupancy.theoreticalPct)}${around ? `; ${around}` : ""}.`,
      xText: textOf,
      unit: units[resource],
      width,
      tell(value, percent) {
        const text = value === undefined ? "" : `${textOf(value)} ${units[resource]}`;
        shown.textContent = percent === undefined ? used : `${text}: ${formatPercent(percent)}`;
      },
    }),
    element("span", { class: "quiet" }, below ?? ""),
    element("span", { class: "quiet value" }, above ?? ""),
  );
}

/** Terms and their values. */
function facts(rows: readonly (readonly [string, string])[]): HTMLElement {
  return element("dl", {}, ...rows.map(([term, value]) => element("div", {}, element("dt", {}, term), element("dd", {}, value))));
}
