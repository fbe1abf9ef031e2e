/** Over each kernel: occupancy, bandwidth and time of its launch, and what was assumed to say so. */
import type { CodeLens, Range as LspRange } from "vscode-languageserver";
import { boundMeaning } from "../bound-text.ts";
import { label, visible } from "../foreign-text.ts";
import { faultOf, faultText } from "../lint/soundness.ts";
import { compareFigures } from "../measured/compare.ts";
import { measuredTimeText } from "../measured-text.ts";
import { formatAssumption, formatBandwidth, formatBound, formatEstimate, formatPercent, shortGpuName } from "../units.ts";
import { rangeOf } from "./convert.ts";
import { occupancyText } from "./figures.ts";
import { shownMeasured } from "./measurements.ts";
import { pinText } from "./pins.ts";
import { isPending, launchesOf, type SimulatedLaunch, shownLaunch, staleText, type View, type ViewKernel } from "./view.ts";

/** Stands behind figures that are not the present text's. Behind, so that nothing moves when they are made anew. */
const staleMark = " · ↻";

/** Characters of a lens: more would be outside the window. */
const longest = 300;

export function codeLenses(view: View): CodeLens[] {
  if (!view.settings["codeLens.enabled"] || view.progress === "off") return [];
  return view.kernels.flatMap((kernel) => kernelLenses(view, kernel));
}

function kernelLenses(view: View, kernel: ViewKernel): CodeLens[] {
  const { document, gpu, launches } = view;
  const range = rangeOf(document, kernel.nameAt);
  const name = shortGpuName(gpu.name);
  const simulated = launchesOf(view, kernel);
  const worst = shownLaunch(simulated);
  const own = launches.filter((launch) => launch.kernel === kernel);
  if (!worst) {
    const refused = own.find(({ reason }) => reason !== undefined);
    const text = refused ? `not simulated: ${refused.reason}${refused.isStale ? staleMark : ""}` : waitingText(view, own.length);
    return text === undefined ? [] : [{ ...lens(range, `${name} · ${text}`, document.uri), ...markOf(!refused || refused.isStale) }];
  }
  const pending = own.filter(isPending).length;
  const which = worst.isChosen ? `line ${worst.line}, one` : "slowest";
  const more = `${which} of ${simulated.length}${pending > 0 ? ` of ${own.length}` : ""} launches`;
  const refused = worst.reason === undefined ? "" : ` · now not simulated: ${worst.reason}`;
  const fault = faultOf(view.diagnostics, kernel.name);
  const mark = fault ? `⚠ ${faultText(fault)} · ` : "";
  const pin = worst.pinned && pinText(worst.report, worst.pinned, gpu.name);
  const title = `${mark}${summary(worst, name)}${pin === undefined ? "" : ` · ${pin}`}${worst.isStale ? staleMark : ""}${refused}`;
  const tooltip = worst.isStale
    ? staleText(view)
    : fault
      ? `${fault.message} The figures are those of the kernel as it is.`
      : explained(worst);
  // There is room for one of them: what the user can do something about now.
  return [
    { ...lens(range, title, document.uri, tooltip), ...markOf(worst.isStale) },
    ...(own.length > 1 ? [launchesLens(range, more, document.uri)] : []),
    ...(refused === "" ? assumed(worst, range, document.uri) : []),
  ];
}

/** For whoever reads lenses by program: this one does not tell of the present text. */
const markOf = (isStale: boolean): Pick<CodeLens, "data"> => (isStale ? { data: { stale: true } } : {});

/** What stands over a kernel of which nothing is known yet. */
function waitingText({ progress }: View, launches: number): string | undefined {
  if (progress === "stopped") return "simulation stopped until the next edit";
  if (progress === "done" && launches === 0) return undefined;
  return "simulating…";
}

/** What bounds it, in words, and what to do about its occupancy. */
function explained({ report }: SimulatedLaunch): string | undefined {
  const { advice } = report.occupancy;
  const bound = report.time?.boundBy;
  const meaning = bound === undefined ? undefined : boundMeaning(bound);
  const parts = [
    bound !== undefined && meaning !== undefined ? `${formatBound(bound)}: ${meaning}.` : "",
    advice?.nextStep !== undefined ? `Next step: ${advice.nextStep}` : "",
    advice?.nextStep === undefined && advice?.withheld !== undefined ? `More occupancy would not help: ${advice.withheld}` : "",
  ].filter((part) => part !== "");
  return parts.length > 0 ? parts.join(" ") : undefined;
}

const lens = (range: LspRange, title: string, uri: string, tooltip?: string): CodeLens => ({
  range,
  command: {
    title: label(title, longest),
    command: "warplens.showPanel",
    arguments: [uri, range.start.line + 1],
    ...(tooltip === undefined ? {} : { tooltip: visible(tooltip) }),
  },
});

/** Chooses among a kernel's launches. */
const launchesLens = (range: LspRange, title: string, uri: string): CodeLens => ({
  range,
  command: { title, command: "warplens.pickLaunch", arguments: [uri, range.start], tooltip: "Choose the launch to show" },
});

function summary(launch: SimulatedLaunch, gpu: string): string {
  const { report } = launch;
  const parts = [gpu, occupancyText(report.occupancy)];
  const { time } = report;
  if (time) {
    if (time.dramGBs > 0) parts.push(`${formatBandwidth(time.dramGBs)}, ${formatPercent(time.dramPctOfPeak)} of peak`);
    parts.push(`bound by ${formatBound(time.boundBy)}`, measuredText(launch) ?? formatEstimate(time));
  }
  return parts.join(" · ");
}

function measuredText(launch: SimulatedLaunch): string | undefined {
  const measured = shownMeasured(launch);
  return measured && measuredTimeText(compareFigures(launch.report, measured.match.launches));
}

function assumed({ report }: SimulatedLaunch, range: LspRange, uri: string): CodeLens[] {
  // The register estimate has its basis beside it wherever it is shown; the lens tells of what the user can mend.
  const values = report.assumptions.filter(({ what }) => what !== "registersPerThread");
  if (values.length === 0) return [];
  // Calls that are taken to succeed are what anybody would assume.
  const asAnybody = ({ value }: (typeof values)[number]): boolean => value === "success";
  const shown = values
    .toSorted((a, b) => Number(asAnybody(a)) - Number(asAnybody(b)))
    .slice(0, 3)
    .map(({ what, value }) => formatAssumption(what, value));
  if (values.length > shown.length) shown.push(`${values.length - shown.length} more`);
  return [lens(range, `assumed ${shown.join(", ")}`, uri)];
}
