/** Reports of Nsight Compute beside the launches of open documents. The client keeps them; what it tells is held here. */
import type { GpuModel, LaunchReport } from "@warplens/sim-engine";
import type { TextDocument } from "vscode-languageserver-textdocument";
import { URI, Utils } from "vscode-uri";
import { visible, visibleName } from "../foreign-text.ts";
import { type Beside, besideOf } from "../measured/beside.ts";
import { compareFigures, compareLines, type MeasuredLines } from "../measured/compare.ts";
import { deviceText } from "../measured/device.ts";
import type { KeptReport, PanelMeasured } from "./protocol.ts";
import { isSimulated, type View, type ViewLaunch, type ViewMeasured } from "./view.ts";

interface Found {
  readonly simulated: readonly LaunchReport[];
  readonly gpu: GpuModel;
  readonly besides: NonNullable<View["reports"]>;
}

/** The reports that the client keeps, the one to show first, then the newest. */
export class Measurements {
  #reports: readonly KeptReport[] = [];
  /** What was found for a document's launches last: it holds while they and the reports are the same. */
  #found = new WeakMap<TextDocument, Found>();

  /** @param shown id of the one to show; the newest where there is none of it */
  keep(reports: readonly KeptReport[], shown: string | undefined): void {
    this.#reports = reports.toSorted((a, b) => Number(b.id === shown) - Number(a.id === shown) || b.loadedAt - a.loadedAt);
    this.#found = new WeakMap();
  }

  /** The view, with what was measured beside each launch, and the reports. */
  beside(view: View): View {
    if (this.#reports.length === 0) return view;
    const besides = this.#besidesOf(view);
    const launches = view.launches.map((launch): ViewLaunch => {
      if (!isSimulated(launch)) return launch;
      const measured = besides.flatMap(({ report, beside }): ViewMeasured[] => {
        const match = beside.of.get(launch.report);
        return match ? [{ report, match }] : [];
      });
      return measured.length > 0 ? { ...launch, measured } : launch;
    });
    return { ...view, launches, reports: besides };
  }

  #besidesOf({ document, launches, gpu }: View): Found["besides"] {
    const simulated = launches.filter(isSimulated).map(({ report }) => report);
    const known = this.#found.get(document);
    const isSame = known?.gpu === gpu && known.simulated.length === simulated.length;
    if (known && isSame && known.simulated.every((report, index) => report === simulated[index])) return known.besides;
    const besides = this.#reports.map((report) => ({ report, beside: besideOf(report.report, simulated, gpu) }));
    this.#found.set(document, { simulated, gpu, besides });
    return besides;
  }
}

/** What the report that is shown says of a launch: the first that has it. */
export const shownMeasured = ({ measured: [first] = [] }: ViewLaunch): ViewMeasured | undefined => first;

/** Lines of a launch as they were measured, where they stand in the document. */
export function measuredLines({ document }: View, { match }: ViewMeasured): MeasuredLines | undefined {
  return compareLines(match.launches, Utils.basename(URI.parse(document.uri)), document.getText());
}

/** What the panel shows of the reports, for one of the launches. */
export function panelMeasured(view: View, launch: ViewLaunch | undefined): PanelMeasured | undefined {
  const [first, ...others] = view.reports ?? [];
  if (!first) return undefined;
  const shown = launch && shownMeasured(launch);
  const of = [first, ...others].find(({ report }) => report === shown?.report) ?? first;
  const lines = shown && measuredLines(view, shown);
  return {
    reports: [first, ...others]
      .toSorted((a, b) => b.report.loadedAt - a.report.loadedAt)
      .map(({ report, beside }) => reportOf(report, beside, launch, of.report)),
    ...(launch?.report && shown
      ? {
          launch: {
            launches: shown.match.launches.length,
            isShared: shown.match.isShared,
            figures: compareFigures(launch.report, shown.match.launches),
            ...(lines ? { lines } : {}),
          },
        }
      : {}),
    unmatched: of.beside.unmatched.map((each) => ({ ...each, kernel: visibleName(each.kernel), why: visible(each.why) })),
    elsewhere: of.beside.elsewhere.map((each) => ({ ...each, gpu: visibleName(each.gpu) })),
    notes: of.report.report.notes.map((note) => visible(note)),
  };
}

function reportOf(
  report: KeptReport,
  beside: Beside<LaunchReport>,
  launch: ViewLaunch | undefined,
  shown: KeptReport,
): PanelMeasured["reports"][number] {
  const match = launch?.report && beside.of.get(launch.report);
  const time = match && launch?.report && compareFigures(launch.report, match.launches).find(({ name }) => name === "time");
  return {
    id: report.id,
    name: visibleName(report.report.name),
    loadedAt: report.loadedAt,
    isShown: report === shown,
    devices: report.report.devices.map((device) => visibleName(deviceText(device))),
    launches: report.report.launches.length,
    ...(time ? { ns: time.measured } : {}),
  };
}
