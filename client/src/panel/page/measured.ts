/** What Nsight Compute measured of the launch beside what is estimated, and the reports that are loaded. */
import { errorMark, errorText, formatFigure, shownFigures } from "@warplens/server/measured-text";
import type { ComparedFigure, PanelMeasured } from "@warplens/server/protocol";
import { formatDim, formatTime } from "@warplens/server/units";
import { element } from "./dom.ts";

export interface MeasuredActions {
  readonly load: () => void;
  readonly show: (id: string) => void;
  readonly remove: (id: string) => void;
  readonly outlier: () => void;
  readonly gpu: (id: string) => void;
}

/** Launches that are none of the document's: more are counted. */
const mostUnmatched = 6;

export function measuredBody(measured: PanelMeasured | undefined, on: MeasuredActions): HTMLElement[] {
  const load = element("button", { id: "load-report", class: "link", click: on.load }, "Load report…");
  if (!measured)
    return [
      element("p", { class: "quiet" }, "Drop what Nsight Compute printed here, to see it beside the estimates:"),
      element(
        "ul",
        { class: "commands quiet" },
        element("li", {}, element("code", {}, "ncu --csv --page raw"), " for launches"),
        element("li", {}, element("code", {}, "--page source"), " ", element("code", {}, "--print-source cuda,sass"), " for lines"),
      ),
      element("p", { class: "report-actions" }, load),
    ];
  const { launch, reports } = measured;
  const outlier = element("button", { id: "outlier", class: "link", title: outlierTitle, click: on.outlier }, "Report an outlier");
  return [
    ...elsewhere(measured, on),
    ...(launch ? [of(launch, measured), table(launch.figures)] : notMeasured(measured)),
    element("ul", { class: "reports", "aria-label": "Reports" }, ...reports.map((report) => reportRow(report, reports.length > 1, on))),
    element("p", { class: "report-actions" }, load, launch && outlier),
    ...rest(measured),
  ];
}

const outlierTitle = "Copy the figures of this launch, measured and estimated, without names or source";

function of({ launches, isShared, lines }: NonNullable<PanelMeasured["launch"]>, { reports }: PanelMeasured): HTMLElement {
  const name = reports.find(({ isShown }) => isShown)?.name ?? "";
  const medians = launches > 1 ? `Medians of ${launches} launches` : "One launch";
  const shared = isShared ? "; several launches here have this configuration" : "";
  const lost = lines && lines.lost > 0 ? ` ${lines.lost} measured line${lines.lost === 1 ? " reads" : "s read"} otherwise now.` : "";
  return element("p", { class: "quiet" }, `${medians} in ${name}${shared}.${lost}`);
}

const notMeasured = ({ elsewhere: others }: PanelMeasured): HTMLElement[] =>
  others.length > 0
    ? []
    : [element("p", { class: "quiet", role: "status" }, "No report has a launch of this kernel with this configuration.")];

/** GPUs that are not the simulated one: nothing of them is compared. */
const elsewhere = ({ elsewhere: others }: PanelMeasured, on: MeasuredActions): HTMLElement[] =>
  others.map(({ gpu, model, launches }) =>
    element(
      "p",
      { class: "lead", role: "status" },
      `${launches} launch${launches === 1 ? " was" : "es were"} measured on another GPU, ${gpu}: not compared. `,
      model !== undefined && element("button", { id: `gpu-${model}`, class: "link", click: () => on.gpu(model) }, `Simulate ${model}`),
    ),
  );

function table(figures: readonly ComparedFigure[]): HTMLElement {
  const head = ["", "Measured", "Estimated"].map((name) => (name === "" ? element("td") : element("th", { scope: "col" }, name)));
  const rows = shownFigures(figures).map((figure) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, figure.label),
      element("td", {}, formatFigure(figure, figure.measured)),
      element("td", {}, figure.estimated === undefined ? unknown() : formatFigure(figure, figure.estimated), error(figure)),
    ),
  );
  return element("table", { class: "measured-figures" }, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows));
}

const unknown = (): HTMLElement => element("span", { class: "quiet", "aria-label": "not known" }, "–");

/** A mark and a number: no colour has to be told apart. Undefined where it is not known. */
export function error(figure: ComparedFigure): HTMLElement | undefined {
  const [mark, text] = [errorMark(figure), errorText(figure)];
  if (mark === undefined || text === undefined) return undefined;
  const words = { "✓": "close", "▲": "the estimate is too high", "▼": "the estimate is too low" }[mark];
  return element(
    "span",
    { class: mark === "✓" ? "error" : "error off", title: words },
    element("span", { role: "img", "aria-label": words }, mark),
    ` ${text}`,
  );
}

function reportRow(report: PanelMeasured["reports"][number], isChoice: boolean, on: MeasuredActions): HTMLElement {
  const { id, name, loadedAt, isShown, devices, launches, ns } = report;
  const when = new Date(loadedAt).toLocaleString(undefined, { dateStyle: "short", timeStyle: "short" });
  const about = `${launches} launch${launches === 1 ? "" : "es"}${devices.length > 0 ? ` on ${devices.join(", ")}` : ""}, loaded ${when}`;
  const title = [element("span", { class: "name" }, name), ns !== undefined && element("span", { class: "value" }, formatTime(ns))];
  const choose = element("input", { type: "radio", name: "report", id: `report-${id}`, checked: isShown, change: () => on.show(id) });
  return element(
    "li",
    {},
    isChoice ? element("label", {}, choose, ...title) : element("span", { class: "only" }, ...title),
    element(
      "button",
      { id: `remove-${id}`, class: "remove", "aria-label": `Remove ${name}`, title: "Remove", click: () => on.remove(id) },
      "×",
    ),
    element("span", { class: "quiet" }, about),
  );
}

/** What of the report is of no launch here, and what could not be read. */
function rest({ unmatched, notes }: PanelMeasured): HTMLElement[] {
  const items = unmatched.slice(0, mostUnmatched).map(({ kernel, grid, block, count, why }) => {
    const configuration = grid && block ? `, ${formatDim(grid)} blocks of ${formatDim(block)}` : "";
    return element("li", {}, element("code", {}, kernel), `${configuration}${count > 1 ? `, ${count} times` : ""}: ${why}`);
  });
  if (unmatched.length > items.length) items.push(element("li", {}, `and ${unmatched.length - items.length} more`));
  return [
    ...(items.length > 0
      ? [element("p", { class: "quiet" }, "Measured, and of no launch here:"), element("ul", { class: "assumptions" }, ...items)]
      : []),
    ...(notes.length > 0
      ? [
          element("p", { class: "quiet" }, "Not read:"),
          element("ul", { class: "assumptions" }, ...notes.map((note) => element("li", {}, note))),
        ]
      : []),
  ];
}
