/** What the panel shows: the launch the user picked, else the one under the cursor, else the slowest of the kernel there. */
import { visible, visibleName } from "../foreign-text.ts";
import { faultOf, faultText } from "../lint/soundness.ts";
import { type DeviceTask, rowsOf } from "../timeline/program-timeline.ts";
import { shapeText, templateText } from "./figures.ts";
import { gpuSummary } from "./gpus.ts";
import { panelMeasured } from "./measurements.ts";
import type { PanelAnswer, PanelLaunch, PanelParams, PanelProgram } from "./protocol.ts";
import { sourceLines } from "./source-lines.ts";
import { occupancySweeps } from "./sweeps.ts";
import { holds, isPending, isSimulated, launchesOf, shownLaunch, type View, type ViewLaunch } from "./view.ts";

/** Tasks of a program that are drawn, and rows that are told. */
const mostTasks = 600;
const mostRows = 12;

/** Index of the launch that the panel shows. */
export const selectedLaunch = (view: View, position: PanelParams["position"], picked: number | undefined): number =>
  picked !== undefined && picked < view.launches.length ? picked : atCursor(view, view.document.offsetAt(position));

export function panelAnswer(view: View, { position, launch: picked }: PanelParams): PanelAnswer {
  const { document, launches, gpu, progress } = view;
  if (launches.length === 0) return { nothing: progress, gpu: gpuSummary(gpu) };
  const selected = selectedLaunch(view, position, picked);
  const shown = launches[selected];
  const measured = panelMeasured(view, shown);
  const fault = shown && faultOf(view.diagnostics, shown.kernelName);
  return {
    uri: document.uri,
    version: document.version,
    gpu: gpuSummary(gpu),
    launches: launches.map((launch) => panelLaunch(launch, document.uri)),
    selected,
    ...(shown?.report ? { report: shown.report } : {}),
    ...(shown?.reason === undefined ? {} : { reason: visible(shown.reason) }),
    isStale: shown?.isStale ?? false,
    ...(fault ? { fault: { text: faultText(fault), message: fault.message } } : {}),
    ...(shown?.pinned ? { pinned: shown.pinned } : {}),
    hasPins: launches.some(({ pinned }) => pinned !== undefined),
    progress,
    sweeps: shown?.report ? occupancySweeps(shown.report, gpu) : [],
    source: {
      uri: document.uri,
      lines: shown?.report
        ? sourceLines(view, [...new Set([...Object.keys(shown.report.lines), ...Object.keys(measured?.launch?.lines?.lines ?? {})])])
        : {},
    },
    ...(view.program ? { program: panelProgram(view.program) } : {}),
    ...(measured ? { measured } : {}),
  };
}

function panelProgram({ timeline, isStale }: NonNullable<View["program"]>): PanelProgram {
  const shown = (task: DeviceTask): DeviceTask => ({ ...task, name: visibleName(task.name) });
  const rows = rowsOf(timeline).slice(0, mostRows);
  return {
    ...timeline,
    tasks: timeline.tasks.slice(0, mostTasks).map(shown),
    rows: rows.map((row) => ({ ...row, task: shown(row.task) })),
    notes: timeline.notes.map((note) => visible(note)),
    isStale,
  };
}

function atCursor(view: View, offset: number): number {
  const { launches } = view;
  const site = launches.findIndex(({ at }) => at && holds(at, offset));
  if (site >= 0) return site;
  const kernel = view.kernels.find(({ at }) => holds(at, offset));
  const shown = kernel && shownLaunch(launchesOf(view, kernel));
  if (shown) return launches.indexOf(shown);
  return Math.max(0, kernel ? launches.findIndex((launch) => launch.kernel === kernel) : 0);
}

function panelLaunch(launch: ViewLaunch, uri: string): PanelLaunch {
  const unknown = isPending(launch) ? "" : "not simulated";
  return {
    kernel: visibleName(launch.kernelName),
    templateArguments: visibleName(templateText(launch.templateArguments)),
    uri,
    line: launch.line,
    configuration: isSimulated(launch) ? shapeText(launch.report) : unknown,
  };
}
