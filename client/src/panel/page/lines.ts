import type { LineCounters, PanelModel } from "@warplens/server/protocol";
import { formatPercent, formatRatio } from "@warplens/server/units";
import { bar, element, section } from "./dom.ts";

const measures = ["instructions", "sectors", "wavefronts"] as const;
export type Measure = (typeof measures)[number];

const counters: Record<Measure, (line: LineCounters) => number> = {
  instructions: (line) => line.instructions,
  sectors: (line) => line.globalSectors,
  wavefronts: (line) => line.sharedWavefronts,
};

export interface HotLine {
  readonly line: number;
  readonly text: string;
  /** 0 to 1, of the launch's total. */
  readonly share: number;
  /** What is not ideal about it; empty where nothing is. */
  readonly notes: readonly string[];
}

/** The measure to begin with: what bounds the launch, else instructions. */
export function measureFor(boundBy: string | undefined): Measure {
  if (boundBy?.includes("shared")) return "wavefronts";
  return boundBy && /dram|l2|l1|memory/.test(boundBy) ? "sectors" : "instructions";
}

/** The lines with the largest shares of a measure. */
function hottest({ report, source }: PanelModel, measure: Measure, most = 8): HotLine[] {
  const all = Object.entries(report?.lines ?? {});
  const total = all.reduce((sum, [, line]) => sum + counters[measure](line), 0);
  return all
    .filter(([, line]) => counters[measure](line) > 0)
    .sort(([, a], [, b]) => counters[measure](b) - counters[measure](a))
    .slice(0, most)
    .map(([line, counted]) => ({
      line: Number(line),
      text: source.lines[line] ?? "",
      share: counters[measure](counted) / total,
      notes: notesOn(counted),
    }));
}

function notesOn(line: LineCounters): string[] {
  const notes: string[] = [];
  if (line.globalSectors > line.globalSectorsIdeal)
    notes.push(
      `${formatRatio(line.globalSectors / line.globalRequests)} sectors a request, ideal ${formatRatio(line.globalSectorsIdeal / line.globalRequests)}`,
    );
  if (line.sharedWavefronts > line.sharedWavefrontsIdeal)
    notes.push(`${formatRatio(line.sharedWavefronts / line.sharedWavefrontsIdeal)} times the ideal wavefronts`);
  if (line.divergentBranches > 0) notes.push("divergent");
  return notes;
}

export function linesSection(
  model: PanelModel,
  measure: Measure,
  on: { readonly measure: (measure: Measure) => void; readonly reveal: (line: number) => void },
): HTMLElement {
  const found = hottest(model, measure);
  const choices = measures.map((name) =>
    element(
      "label",
      {},
      element("input", {
        type: "radio",
        name: "measure",
        id: `measure-${name}`,
        checked: name === measure,
        change: () => on.measure(name),
      }),
      name,
    ),
  );
  const rows = found.map(({ line, text, share, notes }) =>
    element(
      "li",
      {},
      element(
        "button",
        { id: `line-${line}`, class: "line", title: `Go to line ${line}`, click: () => on.reveal(line) },
        element("span", { class: "number" }, String(line)),
        element("code", {}, text),
        element("span", { class: "value" }, formatPercent(share * 100)),
        bar(share, notes.length > 0 ? "warn" : "part"),
        notes.length > 0 && element("span", { class: "note" }, notes.join("; ")),
      ),
    ),
  );
  return section(
    "Hottest lines",
    element("div", { class: "choices", role: "radiogroup", "aria-label": "Measure of the lines" }, ...choices),
    found.length > 0 ? element("ol", { class: "lines" }, ...rows) : element("p", { class: "quiet" }, `No ${measure} in this launch.`),
  );
}
