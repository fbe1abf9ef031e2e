/** What the panel shows: the launch the user picked, else the one under the cursor, else the slowest of the kernel there. */
import { formatDim } from "../units.ts";
import { templateText } from "./figures.ts";
import { gpuSummary } from "./gpus.ts";
import type { PanelLaunch, PanelModel, PanelParams } from "./protocol.ts";
import { occupancySweeps } from "./sweeps.ts";
import { type FileSimulation, holds, isSimulated, type LaunchSummary, launchesOf, type View, worstLaunch } from "./view.ts";

/** @param version of the document the simulation was made from */
export function panelModel(view: View, { position, launch: picked }: PanelParams, version: number): PanelModel | null {
  const { document, simulation, gpu } = view;
  if (!simulation || simulation.launches.length === 0) return null;
  const selected = picked !== undefined && picked < simulation.launches.length ? picked : atCursor(simulation, document.offsetAt(position));
  const shown = simulation.launches[selected];
  return {
    uri: document.uri,
    version,
    gpu: gpuSummary(gpu),
    launches: simulation.launches.map((launch) => panelLaunch(launch, document.uri)),
    selected,
    ...(shown?.report ? { report: shown.report } : { reason: shown?.reason ?? "Not simulated." }),
    sweeps: shown?.report ? occupancySweeps(shown.report, gpu) : [],
    source: { uri: document.uri, lines: shown?.report ? linesOf(document.getText(), Object.keys(shown.report.lines)) : {} },
  };
}

function atCursor(simulation: FileSimulation, offset: number): number {
  const site = simulation.launches.findIndex(({ at }) => at && holds(at, offset));
  if (site >= 0) return site;
  const kernel = simulation.kernels.find(({ at }) => holds(at, offset));
  const worst = kernel && worstLaunch(launchesOf(simulation, kernel));
  if (worst) return simulation.launches.indexOf(worst);
  const any = kernel ? simulation.launches.findIndex((launch) => launch.kernel === simulation.kernels.indexOf(kernel)) : -1;
  return Math.max(0, any);
}

function panelLaunch(launch: LaunchSummary, uri: string): PanelLaunch {
  return {
    kernel: launch.kernelName,
    templateArguments: templateText(launch.templateArguments),
    uri,
    line: launch.line,
    configuration: isSimulated(launch) ? `(${formatDim(launch.report.grid)}) × (${formatDim(launch.report.block)})` : "not simulated",
  };
}

function linesOf(text: string, numbers: readonly string[]): Record<string, string> {
  const lines = text.split(/\r\n|\r|\n/);
  return Object.fromEntries(numbers.map((number) => [number, (lines[Number(number) - 1] ?? "").trim()]));
}
