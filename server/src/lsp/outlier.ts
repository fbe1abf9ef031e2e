/** Figures of a launch whose estimate is off, to be told to whoever works on the simulator: no name of the user's, and no source. */

import { row } from "../foreign-text.ts";
import { compareFigures } from "../measured/compare.ts";
import { errorText, formatFigure } from "../measured-text.ts";
import { formatBound } from "../units.ts";
import { shownMeasured } from "./measurements.ts";
import { isSimulated, type View, type ViewLaunch } from "./view.ts";

/** As Markdown, the same as JSON below it; undefined where nothing was measured of the launch. */
export function outlier({ gpu }: View, launch: ViewLaunch | undefined): string | undefined {
  const measured = launch && shownMeasured(launch);
  if (!measured || !isSimulated(launch)) return undefined;
  const { report } = launch;
  const { grid, block, dynamicSharedBytes, time, simulated, assumptions, occupancy, arithmetic } = report;
  const figures = compareFigures(report, measured.match.launches);
  const rows = figures.map((figure) =>
    row(
      figure.label,
      formatFigure(figure, figure.measured),
      figure.estimated === undefined ? "" : formatFigure(figure, figure.estimated),
      errorText(figure) ?? "",
    ),
  );
  const facts = {
    // One that the project describes has a name of its own.
    gpu: gpu.own?.extends ?? gpu.id,
    grid,
    block,
    dynamicSharedBytes,
    launches: measured.match.launches.length,
    figures: Object.fromEntries(figures.map(({ name, measured: value, estimated }) => [name, { measured: value, estimated }])),
    ...(time
      ? { boundBy: time.boundBy, range: time.range, parts: Object.fromEntries(time.parts.map(({ name, ns }) => [name, Math.round(ns)])) }
      : {}),
    limiters: occupancy.limiters,
    arithmetic,
    exact: simulated.exact,
    assumptions: assumptions.length,
  };
  return [
    `An estimate of WarpLens beside what Nsight Compute measured, on the ${gpu.own ? "project's own GPU" : gpu.name}${time ? `, bound by ${formatBound(time.boundBy)}` : ""}.`,
    "",
    row("", "measured", "estimated", "error"),
    "| --- | ---: | ---: | --- |",
    ...rows,
    "",
    "```json",
    JSON.stringify(facts, null, 1),
    "```",
    "",
  ].join("\n");
}
