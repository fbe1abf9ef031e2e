import type { LaunchReport, PanelModel, Pinned } from "@warplens/server/protocol";
import {
  formatBandwidth,
  formatCapacity,
  formatChange,
  formatDim,
  formatErrorBar,
  formatGiven,
  formatPercent,
  formatTime,
} from "@warplens/server/units";
import { element } from "./dom.ts";
import { error } from "./measured.ts";

/** What stays in sight: which kernel on which GPU, and what of the figures is not so. @param imagined what of it is not as the text has it */
export function header(model: PanelModel, on: { readonly gpu: () => void; readonly reset: () => void }, imagined?: string): HTMLElement {
  const { launches, selected, gpu, report, reason, fault } = model;
  const shown = launches[selected];
  const name = shown ? `${shown.kernel}${shown.templateArguments}` : "No kernel";
  return element(
    "header",
    {},
    element(
      "div",
      { class: "chosen" },
      element("button", { id: "gpu", class: "gpu", title: "Select the GPU to simulate", click: on.gpu }, gpu.name),
      // Shown while the page is marked as stale; its room is always there, so that nothing moves.
      element("span", { class: "stale-note", role: "status" }, "before your last edit"),
    ),
    element("h1", {}, name),
    imagined !== undefined &&
      element(
        "p",
        { class: "imagined", role: "status" },
        element("span", {}, "What if: ", element("strong", {}, imagined)),
        element("button", { id: "imagined-reset", class: "link", click: on.reset }, "Reset"),
      ),
    report &&
      fault &&
      element("p", { class: "refused", role: "status", title: fault.message }, `⚠ ${fault.text}: figures of the kernel as it is`),
    report && reason !== undefined && element("p", { class: "refused", role: "status" }, `Now not simulated: ${reason}`),
  );
}

/** Which of the launches, to be chosen where there are several, and how it is launched. */
export function launchChoice({ launches, selected, report }: PanelModel, choose: (index: number) => void): HTMLElement[] {
  const picker = element(
    "select",
    { id: "launch", "aria-label": "Launch", change: (event) => choose(Number((event.target as HTMLSelectElement).value)) },
    ...options(launches, selected),
  );
  return [...(launches.length > 1 ? [picker] : []), ...(report ? [element("p", { class: "quiet" }, configuration(report))] : [])];
}

/** Many launches by their kernels. */
const manyLaunches = 8;

function options(launches: PanelModel["launches"], selected: number): HTMLElement[] {
  const all = launches.map(({ kernel, templateArguments, configuration, line }, index) => {
    // What tells launches of a kernel apart comes first: there may be no room for all of it. The configuration stands below.
    const text = `${kernel}${templateArguments}, line ${line}${configuration === "" ? "" : `: ${configuration}`}`;
    return { kernel, option: element("option", { selected: index === selected, value: index }, text) };
  });
  if (launches.length < manyLaunches) return all.map(({ option }) => option);
  const kernels = [...new Set(launches.map(({ kernel }) => kernel))];
  return kernels.map((kernel) =>
    element("optgroup", { label: kernel }, ...all.filter((each) => each.kernel === kernel).map(({ option }) => option)),
  );
}

function configuration({ grid, block, dynamicSharedBytes, given }: LaunchReport): string {
  const shared = dynamicSharedBytes > 0 ? ` · ${formatCapacity(dynamicSharedBytes)} dynamic shared` : "";
  return `grid ${formatDim(grid)} · block ${formatDim(block)}${shared}${formatGiven(given)}`;
}

/** Figures to compare with, and how they are called where nothing has changed. */
export interface Before {
  readonly figures: Pinned;
  readonly same: "as pinned" | "unchanged";
}

/** The three figures everybody asks for, and what they were before. */
export function headline(
  { time: estimate, occupancy }: LaunchReport,
  before?: Before,
  measured?: NonNullable<PanelModel["measured"]>["launch"],
): HTMLElement {
  const pinned = before?.figures;
  const time = measured?.figures.find(({ name }) => name === "time");
  const figure = (value: string, label: string, detail: string, since?: string, more?: HTMLElement | false) =>
    element(
      "div",
      { class: "figure" },
      element("span", { class: "value" }, value),
      element("span", { class: "label" }, label),
      element("span", { class: "quiet" }, detail),
      since !== undefined && element("span", { class: "pinned" }, since),
      more,
    );
  const since = (from: number | undefined, to: number, show: (value: number) => string): string | undefined => {
    if (from === undefined) return undefined;
    const change = formatChange(from, to);
    return change === undefined ? before?.same : `${change} from ${show(from).replaceAll(" ", "\u00a0")}`;
  };
  return element(
    "div",
    { class: "figures" },
    estimate &&
      figure(
        formatTime(estimate.ns),
        "time",
        `${formatErrorBar(estimate)}, estimated`,
        pinned && since(pinned.ns, estimate.ns, formatTime),
        time && element("span", { class: "measured" }, `${formatTime(time.measured)} measured `, error(time)),
      ),
    estimate &&
      figure(
        formatBandwidth(estimate.dramGBs),
        "DRAM",
        `${formatPercent(estimate.dramPctOfPeak)} of peak`,
        pinned && since(pinned.dramGBs, estimate.dramGBs, formatBandwidth),
      ),
    figure(
      formatPercent(occupancy.theoreticalPct),
      "occupancy",
      occupancy.achievedPct === undefined ? "theoretical" : `${formatPercent(occupancy.achievedPct)} achieved`,
      pinned && since(pinned.occupancyPct, occupancy.theoreticalPct, formatPercent),
    ),
  );
}

/** What the figures are compared with; undefined where nothing is pinned. */
export const pinNote = ({ pinned, hasPins, gpu }: PanelModel): HTMLElement | undefined =>
  hasPins
    ? element(
        "p",
        { class: "quiet", role: "status" },
        pinned ? `Compared with what is pinned${pinned.gpu === gpu.name ? "" : ` on the ${pinned.gpu}`}.` : "This launch is not pinned.",
      )
    : undefined;
