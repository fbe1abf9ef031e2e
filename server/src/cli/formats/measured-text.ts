/** Measured figures beside estimated ones, for people. */
import type { LaunchReport } from "@warplens/sim-engine";
import { visible, visibleName } from "../../foreign-text.ts";
import { errorMark, errorText, formatFigure, shownFigures } from "../../measured-text.ts";
import { formatCount, formatDim, formatPercent } from "../../units.ts";
import type { Measured, MeasuredSite } from "../measured.ts";
import type { Style } from "../style.ts";

/** Lines of a launch that are told, those with most samples first. */
const mostLines = 8;

/** Launches of the report that are of none here and are told. */
const mostUnmatched = 20;

/** Below a launch: each figure measured and estimated, in columns. */
export function measuredRows({ launches, isShared, figures, lines }: MeasuredSite, report: LaunchReport, style: Style): string[] {
  const of = `${launches} launch${launches === 1 ? "" : "es"}${launches === 1 ? "" : ", medians"}`;
  const shared = isShared ? "; several launches here have this configuration: it is not known which of them" : "";
  const rows = shownFigures(figures).map((figure) => [
    figure.label,
    formatFigure(figure, figure.measured),
    figure.estimated === undefined ? "" : `est. ${formatFigure(figure, figure.estimated)}`,
    [errorMark(figure), errorText(figure)].filter((part) => part !== undefined).join(" "),
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(0, ...rows.map((row) => (row[column] ?? "").length)));
  return [
    `    ${style("measured".padEnd(12), "cyan")}  ${of}${shared}`,
    ...rows.map((row) =>
      `      ${row.map((cell, column) => (column === 1 ? cell.padStart(widths[1] ?? 0) : cell.padEnd(widths[column] ?? 0))).join("  ")}`.trimEnd(),
    ),
    ...lineRows(lines, report, style),
  ];
}

function lineRows(measured: MeasuredSite["lines"], report: LaunchReport, style: Style): string[] {
  if (!measured) return [];
  const rows = Object.entries(measured.lines)
    .toSorted(([, a], [, b]) => (b.share ?? 0) - (a.share ?? 0))
    .slice(0, mostLines)
    .flatMap(([line, { share, globalSectors, sharedWavefronts }]) => {
      const own = report.lines[line];
      const parts = [
        ...(share === undefined
          ? []
          : [
              `${formatPercent(100 * share)} of samples${own?.timeShare === undefined ? "" : `, est. ${formatPercent(100 * own.timeShare)} of the time`}`,
            ]),
        ...(globalSectors === undefined ? [] : [`${formatCount(globalSectors)} sectors, est. ${formatCount(own?.globalSectors ?? 0)}`]),
        ...(sharedWavefronts === undefined
          ? []
          : [`${formatCount(sharedWavefronts)} wavefronts, est. ${formatCount(own?.sharedWavefronts ?? 0)}`]),
      ];
      return parts.length > 0 ? [`      ${style(`line ${line}`.padEnd(10), "dim")}  ${parts.join("; ")}`] : [];
    });
  const lost =
    measured.lost > 0 ? [`      ${measured.lost} measured line${measured.lost === 1 ? " is" : "s are"} not in the text any more`] : [];
  return [...rows, ...lost];
}

/** Below all launches: what of the report is of none. */
export function unmatchedText({ report, unmatched, elsewhere }: Measured, gpu: string, style: Style): string {
  const lines = [
    ...elsewhere.map(
      ({ gpu: other, model, launches }) =>
        `measured on ${visible(other)} (${launches} launch${launches === 1 ? "" : "es"}), not on the ${gpu}: not compared${model === undefined ? "" : `; simulate with --gpu ${model}`}`,
    ),
    ...unmatched.slice(0, mostUnmatched).map(({ kernel, grid, block, count, why }) => {
      const configuration = grid && block ? `, ${formatDim(grid)} blocks of ${formatDim(block)}` : "";
      return `measured, of no launch here: ${visibleName(kernel)}${configuration}${count > 1 ? `, ${count} times` : ""}: ${visible(why)}`;
    }),
    ...(unmatched.length > mostUnmatched ? [`and ${(unmatched.length - mostUnmatched).toLocaleString("en")} more`] : []),
  ];
  return lines.length === 0 ? "" : `${style(visible(report.name), "bold")}\n${lines.map((line) => `  ${line}\n`).join("")}`;
}
