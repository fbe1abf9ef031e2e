import type { AccessReport, LaunchReport, LineCounters, PanelModel, WaitKind } from "@warplens/server/protocol";
import { formatPercent, formatRatio } from "@warplens/server/units";
import { formatWaits } from "@warplens/server/wait-text";
import { waitColours } from "../../wait-colours.ts";
import { bar, element, section, stackedBar } from "./dom.ts";

/** Lines with less than this share of the time are not shown. */
const worthALine = 0.01;
/** Below this factor an access counts as ideal. */
const worthANote = 1.05;

const measures = ["time", "instructions", "sectors", "wavefronts"] as const;
export type Measure = (typeof measures)[number];

const counters: Record<Measure, (line: LineCounters) => number> = {
  time: (line) => line.timeShare ?? 0,
  instructions: (line) => line.instructions,
  sectors: (line) => line.globalSectors,
  wavefronts: (line) => line.sharedWavefronts,
};

export interface HotLine {
  readonly line: number;
  readonly text: string;
  /** 0 to 1, of the launch's total. */
  readonly share: number;
  /** Of the time: what it waits for, shares of the launch's. */
  readonly waits?: Readonly<Partial<Record<WaitKind, number>>>;
  /** What is not ideal about it; empty where nothing is. */
  readonly notes: readonly string[];
}

/** The measure to begin with: the time, where it is known. */
export const measureFor = ({ time }: LaunchReport): Measure => (time ? "time" : "instructions");

/** The lines with the largest shares of a measure. */
function hottest({ report, source }: PanelModel, measure: Measure, most = 8): HotLine[] {
  const all = Object.entries(report?.lines ?? {});
  const accessesOn = (number: number) => report?.accesses.filter(({ file, line }) => file === 0 && line === number) ?? [];
  // A share of the time is of the launch's, whatever other files' lines take of it.
  const total = measure === "time" ? 1 : all.reduce((sum, [, line]) => sum + counters[measure](line), 0);
  return all
    .filter(([, line]) => counters[measure](line) > (measure === "time" ? worthALine : 0))
    .sort(([, a], [, b]) => counters[measure](b) - counters[measure](a))
    .slice(0, most)
    .map(([line, counted]) => ({
      line: Number(line),
      text: source.lines[line] ?? "",
      share: counters[measure](counted) / total,
      ...(measure === "time" && counted.waits ? { waits: counted.waits } : {}),
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

/** What a line waits for, in the colours of the gutter, what takes most first. */
function waitsBar(waits: Readonly<Partial<Record<WaitKind, number>>>): HTMLElement {
  const byColour = new Map<string, number>();
  for (const [kind, share] of Object.entries(waits) as [WaitKind, number][])
    byColour.set(waitColours[kind], (byColour.get(waitColours[kind]) ?? 0) + share);
  return stackedBar([...byColour].sort((a, b) => b[1] - a[1]).map(([tone, share]) => ({ share, tone })));
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
  const rows = found.map(({ line, text, share, waits, notes }) =>
    element(
      "li",
      {},
      element(
        "button",
        { id: `line-${line}`, class: "line", title: `Go to line ${line}`, click: () => on.reveal(line) },
        element("span", { class: "number" }, String(line)),
        element("code", {}, text),
        element("span", { class: "value" }, formatPercent(share * 100)),
        waits ? waitsBar(waits) : bar(share, notes.length > 0 ? "warn" : "part"),
        waits && element("span", { class: "note" }, formatWaits(waits)),
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
