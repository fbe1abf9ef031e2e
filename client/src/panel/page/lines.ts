import type { AccessReport, LineCounters, PanelModel } from "@warplens/server/protocol";
import { formatPercent, formatRatio } from "@warplens/server/units";
import { bar, element, section } from "./dom.ts";

/** Below this factor an access counts as ideal. */
const worthANote = 1.05;

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
  const accessesOn = (number: number) => report?.accesses.filter(({ file, line }) => file === 0 && line === number) ?? [];
  const total = all.reduce((sum, [, line]) => sum + counters[measure](line), 0);
  return all
    .filter(([, line]) => counters[measure](line) > 0)
    .sort(([, a], [, b]) => counters[measure](b) - counters[measure](a))
    .slice(0, most)
    .map(([line, counted]) => ({
      line: Number(line),
      text: source.lines[line] ?? "",
      share: counters[measure](counted) / total,
      notes: notesOn(counted, accessesOn(Number(line))),
    }));
}

/** What the accesses of a line need beyond the ideal, the worst first, and whether its branches diverge. */
function notesOn(line: LineCounters, accesses: readonly AccessReport[]): string[] {
  const notes = accesses
    .filter(({ space, transactions, ideal }) => (space === "global" || space === "shared") && transactions > worthANote * ideal)
    .sort((a, b) => b.transactions / b.ideal - a.transactions / a.ideal)
    .map(({ space, operation, requests, transactions, ideal }) =>
      space === "shared"
        ? `${operation}: ${formatRatio(transactions / ideal)}-way bank conflict`
        : `${operation}: ${formatRatio(transactions / requests)} sectors a request, ideal ${formatRatio(ideal / requests)}`,
    );
  return [...new Set(notes), ...(line.divergentBranches > 0 ? ["divergent branch"] : [])];
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
