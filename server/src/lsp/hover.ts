/** What stands behind the figure under the pointer: an access, a launch, a kernel, its launch bounds, a shared array; as Markdown. */
import type { AccessReport, LineCounters } from "@warplens/sim-engine";
import type { Hover, Position } from "vscode-languageserver";
import { code, literal, prose, row } from "../foreign-text.ts";
import { compareFigures } from "../measured/compare.ts";
import { errorMark, errorText, formatFigure, shownFigures } from "../measured-text.ts";
import { formatCapacity, formatCount, formatEstimate, formatPercent, formatRatio } from "../units.ts";
import { formatWaits } from "../wait-text.ts";
import type { OffsetRange } from "../worker/messages.ts";
import { rangeOf } from "./convert.ts";
import { assumptionsText, changesTable, conflictWays, launchTable, occupancyText, perRequest, shapeText, templateText } from "./figures.ts";
import { hottestAt } from "./heat.ts";
import { measuredLines, shownMeasured } from "./measurements.ts";
import { occupancyByBlockSize } from "./occupancy-bars.ts";
import {
  holds,
  inDocument,
  isSimulated,
  launchesOf,
  type SimulatedLaunch,
  shownLaunch,
  staleText,
  type View,
  type ViewKernel,
  type ViewLaunch,
  worstLaunch,
} from "./view.ts";

export function hover(view: View, position: Position): Hover | null {
  const { document } = view;
  if (view.progress === "off") return null;
  const offset = document.offsetAt(position);
  const found =
    onShared(view, offset) ??
    onAccess(view, offset) ??
    onKernel(view, offset) ??
    onLaunch(view, offset) ??
    beforeLine(view, offset) ??
    onLoop(view, offset);
  return found ? { contents: { kind: "markdown", value: found.text }, range: rangeOf(document, found.at) } : null;
}

/** Of a launch's time: what is waited for an access is told from here on. */
const toldShare = 0.01;

interface Found {
  readonly at: OffsetRange;
  readonly text: string;
}

/** @param what Markdown */
const title = (view: View, what: string, isStale = false): string =>
  `**${what}** · ${literal(view.gpu.name)}${isStale ? `\n\n*${staleText(view)}*` : ""}`;

function onShared(view: View, offset: number): Found | undefined {
  const array = view.kernels.flatMap((kernel) => kernel.sharedArrays).find((candidate) => holds(candidate, offset));
  return array && { at: array, text: `${title(view, code(array.name))}\n\n${formatCapacity(array.bytes)} of shared memory in each block.` };
}

function onAccess(view: View, offset: number): Found | undefined {
  const hits = view.launches
    .filter(isSimulated)
    .flatMap((launch) => launch.report.accesses.filter(inDocument).map((access) => ({ launch, access })))
    .filter(({ access }) => access.requests > 0 && holds(access, offset));
  // The innermost access under the pointer: in a[b[i]] on b[i], that one.
  const innermost = Math.min(...hits.map(({ access }) => access.end - access.start));
  const shown = hits.filter(({ access }) => access.end - access.start === innermost);
  const first = shown[0];
  if (!first) return undefined;
  const kinds = shown.map(({ launch, access }) => accessTable(access, shown.length > 1 ? launch : undefined));
  return { at: first.access, text: [title(view, "Memory access", first.launch.isStale), ...kinds].join("\n\n") };
}

function accessTable(access: AccessReport, launch: SimulatedLaunch | undefined): string {
  const { actual, ideal } = perRequest(access);
  const unit = { global: "sectors", local: "sectors", shared: "wavefronts", constant: "addresses", texture: "sectors" }[access.space];
  const rows: [string, string][] = [
    ...(access.timeShare !== undefined && access.timeShare >= toldShare
      ? ([["waited for", `${formatPercent(100 * access.timeShare)} of the launch's time`]] as [string, string][])
      : []),
    [`${unit} a request`, `**${formatRatio(actual)}**, ideal ${formatRatio(ideal)}`],
    ["requests", formatCount(access.requests)],
    ["lanes active", `${formatRatio(access.lanes / access.requests)} of 32`],
  ];
  if (access.space === "shared" && conflictWays(access) > 1) rows.push(["bank conflict", `${formatRatio(conflictWays(access))}-way`]);
  if (access.laneStride !== undefined)
    rows.push(["neighbouring lanes", `${access.laneStride} bytes apart${access.strideSource ? ` (${access.strideSource})` : ""}`]);
  if (access.operation === "atomic" && access.worst !== undefined) rows.push(["lanes on one address", formatRatio(access.worst)]);
  const head = `${access.space} ${access.operation}, ${access.bytesPerLane} bytes a lane${launch ? ` · launch in line ${launch.line}` : ""}`;
  return [row(head, ""), "| --- | --- |", ...rows.map(([name, value]) => row(name, value))].join("\n");
}

/** In front of a line's text, where its bar is: what of its kernel's time it takes. */
function beforeLine(view: View, offset: number): Found | undefined {
  const { document } = view;
  const { line } = document.positionAt(offset);
  const start = document.offsetAt({ line, character: 0 });
  const text = document.getText({ start: { line, character: 0 }, end: { line: line + 1, character: 0 } });
  const at = { start, end: start + text.length - text.trimStart().length };
  const found = holds(at, offset) ? hottestAt(view, line) : undefined;
  if (!found) return undefined;
  const { launch, counters } = found;
  const { timeShare = 0, waits = {} } = counters;
  const others = launchesElsewhere(view, launch);
  const share = `**${formatPercent(100 * timeShare)}** of the time of ${code(launch.kernelName)}${others}`;
  const measured = measuredLine(view, launch, line + 1, counters);
  return { at, text: `${title(view, "Time of this line", launch.isStale)}\n\n${share}: ${formatWaits(waits)}.${measured}` };
}

/** What was measured of a line (1-based), beside what is estimated; nothing where nothing was. */
function measuredLine(view: View, launch: SimulatedLaunch, line: number, estimated: LineCounters): string {
  const of = shownMeasured(launch);
  const figures = of && measuredLines(view, of)?.lines[line];
  if (!figures) return "";
  const { share, globalSectors, sharedWavefronts, instructions } = figures;
  const counted = [
    [globalSectors, "sectors", estimated.globalSectors],
    [sharedWavefronts, "wavefronts", estimated.sharedWavefronts],
    [instructions, "instructions", estimated.instructions],
  ] as const;
  const parts = [
    ...(share === undefined ? [] : [`**${formatPercent(100 * share)}** of the samples`]),
    ...counted.flatMap(([measured, name, count]) =>
      measured === undefined ? [] : [`${formatCount(measured)} ${name}, est. ${formatCount(count)}`],
    ),
  ];
  return parts.length === 0 ? "" : `\n\nMeasured: ${parts.join("; ")}.`;
}

/** On a loop's first line: how often it turns, launch by launch, and what its line takes of the time. */
function onLoop(view: View, offset: number): Found | undefined {
  const { document } = view;
  const found = view.launches.filter(isSimulated).flatMap((launch) => {
    const loop = launch.report.loops.filter(inDocument).find(({ start, end }) => start <= offset && offset <= end);
    return loop ? [{ launch, loop }] : [];
  });
  const [first] = found;
  if (!first) return undefined;
  const { start, end } = first.loop;
  const line = document.positionAt(start).line;
  const at = { start, end: Math.min(end, document.offsetAt({ line: line + 1, character: 0 })) };
  if (!holds(at, offset)) return undefined;
  const turns = found.map(({ launch, loop }) => {
    const where = found.length > 1 ? ` · launch in line ${launch.line}` : "";
    return row(
      `turns of a warp each time it enters${where}`,
      `**${formatCount(loop.trips)}**${Number.isInteger(loop.trips) ? "" : " in the mean"}`,
    );
  });
  return { at, text: [title(view, "Loop", first.launch.isStale), [row("", ""), "| --- | --- |", ...turns].join("\n")].join("\n\n") };
}

const launchesElsewhere = (view: View, shown: SimulatedLaunch): string =>
  view.launches.filter(isSimulated).some((launch) => launch !== shown && launch.kernelName === shown.kernelName)
    ? `, launched in line ${shown.line}`
    : "";

function onKernel(view: View, offset: number): Found | undefined {
  const kernel = view.kernels.find(({ nameAt, launchBounds }) => holds(nameAt, offset) || (launchBounds && holds(launchBounds, offset)));
  if (!kernel) return undefined;
  const at = holds(kernel.nameAt, offset) ? kernel.nameAt : (kernel.launchBounds ?? kernel.nameAt);
  const worst = shownLaunch(launchesOf(view, kernel));
  if (!worst) return { at, text: `${title(view, code(kernel.name))}\n\n${reasonOf(view, kernel)}` };
  return { at, text: launchText(view, worst, otherLaunches(view, kernel, worst)) };
}

function reasonOf(view: View, kernel: ViewKernel): string {
  const refused = view.launches.find((launch) => launch.kernel === kernel && launch.reason !== undefined);
  if (refused?.reason !== undefined) return notSimulated(refused.reason);
  return view.progress === "done" ? "Not simulated." : view.progress === "stopped" ? "The simulation was stopped." : "Simulating…";
}

const notSimulated = (reason: string): string => `Not simulated: ${prose(reason)}`;

function otherLaunches(view: View, kernel: ViewKernel, shown: SimulatedLaunch): string {
  return listed(launchesOf(view, kernel).filter((launch) => launch !== shown));
}

function listed(rest: readonly SimulatedLaunch[]): string {
  if (rest.length === 0) return "";
  const lines = rest.map(({ line, templateArguments, report }) => {
    const instance = templateArguments.length > 0 ? ` ${code(templateText(templateArguments))}` : "";
    const time = report.time ? `, ${formatEstimate(report.time)}` : "";
    return `- line ${line}${instance}, ${shapeText(report)}: ${occupancyText(report.occupancy)}${time}`;
  });
  return ["**Other launches**", "", ...lines].join("\n");
}

function onLaunch(view: View, offset: number): Found | undefined {
  const here = view.launches.filter(({ at }) => at && holds(at, offset));
  const simulated = here.filter(isSimulated);
  const launch = worstLaunch(simulated) ?? here[0];
  if (!launch?.at) return undefined;
  if (!isSimulated(launch)) {
    const text = launch.reason === undefined ? "Simulating…" : notSimulated(launch.reason);
    return { at: launch.at, text: `${title(view, code(launch.kernelName))}\n\n${text}` };
  }
  return { at: launch.at, text: launchText(view, launch, listed(simulated.filter((other) => other !== launch))) };
}

/** What was measured of a launch beside what is estimated; empty where nothing was. */
function measuredTable(launch: SimulatedLaunch): string {
  const measured = shownMeasured(launch);
  if (!measured) return "";
  const { launches, isShared } = measured.match;
  const rows = shownFigures(compareFigures(launch.report, launches)).map((figure) =>
    row(
      figure.label,
      formatFigure(figure, figure.measured),
      figure.estimated === undefined ? "" : formatFigure(figure, figure.estimated),
      [errorMark(figure), errorText(figure)].filter((part) => part !== undefined).join(" "),
    ),
  );
  const medians = launches.length > 1 ? `, medians of ${launches.length} launches${isShared ? " of this configuration" : ""}` : "";
  return [
    `Measured (${literal(measured.report.report.name)}${medians})`,
    "",
    row("", "measured", "estimated", "error"),
    "| --- | ---: | ---: | --- |",
    ...rows,
  ].join("\n");
}

/** What is known of a launch, as Markdown; undefined where it was not simulated. */
export const launchMarkdown = (view: View, launch: ViewLaunch | undefined): string | undefined =>
  launch && isSimulated(launch) ? launchText(view, launch, "") : undefined;

function launchText(view: View, launch: SimulatedLaunch, more: string): string {
  const { report } = launch;
  const bars = occupancyByBlockSize(report, view.gpu);
  const parts = [
    title(view, code(`${launch.kernelName}${templateText(launch.templateArguments)}`), launch.isStale),
    launch.reason === undefined ? "" : `Now not simulated: ${prose(launch.reason)}`,
    launchTable(report),
    measuredTable(launch),
    changesTable(report),
    bars,
    more,
    assumptionsText(report),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}
