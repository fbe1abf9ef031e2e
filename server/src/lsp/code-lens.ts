/** Over each kernel: occupancy, bandwidth and time of its launch, and what was assumed to say so. */
import type { CodeLens, Range } from "vscode-languageserver";
import { formatAssumption, formatBandwidth, formatBound, formatPercent, formatTime, shortGpuName } from "../units.ts";
import { rangeOf } from "./convert.ts";
import { occupancyText } from "./figures.ts";
import { launchesOf, type SimulatedLaunch, type View, worstLaunch } from "./view.ts";

export function codeLenses({ document, gpu, settings, simulation }: View): CodeLens[] {
  if (!settings["codeLens.enabled"] || !simulation) return [];
  return simulation.kernels.flatMap((kernel) => {
    if (kernel.nameAt.start < 0) return [];
    const range = rangeOf(document, kernel.nameAt);
    const launches = launchesOf(simulation, kernel);
    const worst = worstLaunch(launches);
    if (!worst) {
      const reason = simulation.launches.find(
        (launch) => launch.kernel !== undefined && simulation.kernels[launch.kernel] === kernel,
      )?.reason;
      return reason === undefined ? [] : [lens(range, `${shortGpuName(gpu.name)} · not simulated: ${reason}`, document.uri)];
    }
    const more = launches.length > 1 ? ` · slowest of ${launches.length} launches` : "";
    const { advice } = worst.report.occupancy;
    const title = `${summary(worst, shortGpuName(gpu.name))}${more}`;
    const step =
      advice?.nextStep === undefined
        ? advice?.withheld && `More occupancy would not help: ${advice.withheld}`
        : `Next step: ${advice.nextStep}`;
    return [lens(range, title, document.uri, step), ...assumed(worst, range, document.uri)];
  });
}

const lens = (range: Range, title: string, uri: string, tooltip?: string): CodeLens => ({
  range,
  command: { title, command: "warplens.showPanel", arguments: [uri, range.start.line + 1], ...(tooltip === undefined ? {} : { tooltip }) },
});

function summary({ report }: SimulatedLaunch, gpu: string): string {
  const parts = [gpu, occupancyText(report.occupancy)];
  const { time } = report;
  if (time) {
    if (time.dramGBs > 0) parts.push(`${formatBandwidth(time.dramGBs)}, ${formatPercent(time.dramPctOfPeak)} of peak`);
    parts.push(`bound by ${formatBound(time.boundBy)}`, formatTime(time.ns));
  }
  return parts.join(" · ");
}

function assumed({ report }: SimulatedLaunch, range: Range, uri: string): CodeLens[] {
  // The register estimate has its basis beside it wherever it is shown; the lens tells of what the user can mend.
  const values = report.assumptions.filter(({ what }) => what !== "registersPerThread");
  if (values.length === 0) return [];
  const shown = values.slice(0, 3).map(({ what, value }) => formatAssumption(what, value));
  if (values.length > shown.length) shown.push(`${values.length - shown.length} more`);
  return [lens(range, `assumed ${shown.join(", ")}`, uri)];
}
