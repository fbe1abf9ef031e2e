import { type LineMeasure, lineMeasures, lineShares } from "@warplens/server/line-measures";
import type { AccessReport, LaunchReport, LineCounters, MeasuredLines, PanelModel, Pinned, WaitKind } from "@warplens/server/protocol";
import { formatPercent, formatRatio } from "@warplens/server/units";
import { formatWaits } from "@warplens/server/wait-text";
import { waitColours } from "../../wait-colours.ts";
import { bar, element, ghostOf, section, stackedBar } from "./dom.ts";
import { earlierLines } from "./earlier-lines.ts";

/** Lines with less than this share of the time are not shown. */
const worthALine = 0.01;
/** Below this factor an access counts as ideal. */
const worthANote = 1.05;

export type Measure = LineMeasure;

/** What was measured of a line, by each measure. */
const measuredCounters: Record<Measure, (line: MeasuredLines["lines"][string]) => number> = {
  time: ({ share = 0 }) => share,
  instructions: ({ instructions = 0 }) => instructions,
  sectors: ({ globalSectors = 0 }) => globalSectors,
  wavefronts: ({ sharedWavefronts = 0 }) => sharedWavefronts,
};

export interface HotLine {
  readonly line: number;
  readonly text: string;
  /** 0 to 1, of the launch's total. */
  readonly share: number;
  /** The same of what was measured: of the time, of the samples. */
  readonly measured?: number;
  /** The same before, of the line that this one was. */
  readonly was?: number;
  /** Of the time: what it waits for, shares of the launch's. */
  readonly waits?: Readonly<Partial<Record<WaitKind, number>>>;
  /** What is not ideal about it; empty where nothing is. */
  readonly notes: readonly string[];
}

/** The measure to begin with: the time, where it is known. */
export const measureFor = ({ time }: LaunchReport): Measure => (time ? "time" : "instructions");

const none: LineCounters = {
  instructions: 0,
  threadInstructions: 0,
  globalRequests: 0,
  globalSectors: 0,
  globalSectorsIdeal: 0,
  sharedWavefronts: 0,
  sharedWavefrontsIdeal: 0,
  divergentBranches: 0,
};

/** Whether a report has a measure at all: one without samples tells nothing of the time. */
const isMeasured = ({ lines }: MeasuredLines, measure: Measure): boolean =>
  Object.values(lines).some((line) => measuredCounters[measure](line) > 0);

/** The lines with the largest shares of a measure: estimated, measured, or before. */
function hottest(
  { report, source }: PanelModel,
  measured: MeasuredLines | undefined,
  before: Pinned | undefined,
  measure: Measure,
  most = 8,
): HotLine[] {
  const estimated = report?.lines ?? {};
  const numbers = new Set([...Object.keys(estimated), ...Object.keys(measured?.lines ?? {})]);
  const texts = [...numbers].map((number) => ({ line: Number(number), text: source.lines[number] ?? "" })).sort((a, b) => a.line - b.line);
  const earlier = earlierLines(before?.lines ?? [], texts);
  const countOf = (line: string): number => measuredCounters[measure](measured?.lines[line] ?? {});
  const totalMeasured = measure === "time" ? 1 : Object.keys(measured?.lines ?? {}).reduce((sum, line) => sum + countOf(line), 0);
  const accessesOn = (number: number) => report?.accesses.filter(({ file, line }) => file === 0 && line === number) ?? [];
  const shareOf = lineShares(measure, estimated);
  const all = [...numbers].map((number): HotLine => {
    const line = Number(number);
    const counted = estimated[number] ?? none;
    const was = earlier.get(line)?.shares[measure];
    return {
      line,
      text: source.lines[number] ?? "",
      share: shareOf(counted),
      ...(measured ? { measured: totalMeasured > 0 ? countOf(number) / totalMeasured : 0 } : {}),
      ...(was === undefined ? {} : { was }),
      ...(measure === "time" && counted.waits ? { waits: counted.waits } : {}),
      notes: notesOn(counted, accessesOn(line)),
    };
  });
  const largest = ({ share, measured: sampled = 0, was = 0 }: HotLine): number => Math.max(share, sampled, was);
  return all
    .filter((each) => largest(each) > (measure === "time" ? worthALine : 0))
    .sort((a, b) => largest(b) - largest(a))
    .slice(0, most);
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

/** With a mark where the measured share ends, or that of before. */
function marked(of: HTMLElement, share: number | undefined): HTMLElement {
  if (share !== undefined) of.append(ghostOf(share));
  return of;
}

export function linesSection(
  model: PanelModel,
  measured: MeasuredLines | undefined,
  before: Pinned | undefined,
  measure: Measure,
  on: { readonly measure: (measure: Measure) => void; readonly reveal: (line: number) => void },
): HTMLElement {
  const beside = measured && isMeasured(measured, measure) ? measured : undefined;
  const found = hottest(model, beside, before, measure);
  const choices = lineMeasures.map((name) =>
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
  const rows = found.map(({ line, text, share, measured: sampled, was, waits, notes }) =>
    element(
      "li",
      {},
      element(
        "button",
        { id: `line-${line}`, class: "line", title: `Go to line ${line}`, click: () => on.reveal(line) },
        element("span", { class: "number" }, String(line)),
        element("code", {}, text),
        element("span", { class: "value" }, formatPercent(share * 100)),
        sampled !== undefined &&
          element(
            "span",
            { class: "value measured", "aria-label": `measured ${formatPercent(sampled * 100)}` },
            formatPercent(sampled * 100),
          ),
        marked(waits ? waitsBar(waits) : bar(share, notes.length > 0 ? "warn" : "part"), sampled ?? was),
        was !== undefined &&
          formatPercent(100 * was) !== formatPercent(100 * share) &&
          element("span", { class: "note pinned" }, `was ${formatPercent(100 * was)}`),
        waits && element("span", { class: "note" }, formatWaits(waits)),
        notes.length > 0 && element("span", { class: "note" }, notes.join("; ")),
      ),
    ),
  );
  const head = element(
    "div",
    { class: "line head quiet" },
    element("span"),
    element("span"),
    element("span", { class: "value" }, "est."),
    element("span", { class: "value measured" }, measure === "time" ? "samples" : "measured"),
  );
  return section(
    "Hottest lines",
    element("div", { class: "choices", role: "radiogroup", "aria-label": "Measure of the lines" }, ...choices),
    beside && found.length > 0 && head,
    found.length > 0
      ? element("ol", { class: `lines${beside ? " both" : ""}` }, ...rows)
      : element("p", { class: "quiet" }, `No ${measure} in this launch.`),
  );
}
