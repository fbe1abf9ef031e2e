/** Reads what Nsight Compute printed: its raw page, its source page, or the metrics that were asked for; of one text or of several. */
import type { Dim3 } from "@warplens/sim-engine";
import { figureNames, figures, isMeasurable } from "./figures.ts";
import { howToPrint } from "./how-to-print.ts";
import type { Note } from "./notes.ts";
import { type DecimalMark, factorOf, hasCommaFraction, isAbsent, numberOf, roundingOf, type Unit } from "./numbers.ts";
import type { CsvRecord } from "./records.ts";
import type { FigureName, MeasuredDevice, MeasuredLaunch, MeasuredReport } from "./report.ts";
import { type SourceSection, sourceSection, withSources } from "./sources.ts";
import { type Table, tablesOf } from "./tables.ts";

/** A text that is read, by the name that messages give it. */
export interface ReportText {
  readonly name: string;
  readonly text: string;
}

/** Characters of the texts of a report. */
export const longestReport = 64_000_000;
/** Launches of a report that are read. */
export const mostLaunches = 4_096;
const tooMany = `Only the first ${mostLaunches.toLocaleString("en")} launches are read.`;
/** Characters of a name, and of a cell that a sentence quotes. */
export const longestName = 10_000;
const longestQuote = 100;
/** Sentences on what could not be read. */
const mostNotes = 20;

/** A report, or why there is none: a sentence that names the file and, where it is about one, the row and the column. */
export type ReportAnswer = { readonly report: MeasuredReport } | { readonly problem: string };

export function readReport(texts: readonly ReportText[]): ReportAnswer {
  const name = texts.map((each) => each.name).join(", ");
  if (texts.reduce((sum, { text }) => sum + text.length, 0) > longestReport)
    return { problem: `${name} has more than ${longestReport / 1e6} million characters.` };
  const reader = new Reader();
  for (const each of texts) {
    const problem = reader.take(each);
    if (problem !== undefined) return { problem };
  }
  return reader.report(name);
}

/** What is measured of one launch, while it is read. */
interface Draft {
  readonly kernel: string;
  readonly grid?: Dim3;
  readonly block?: Dim3;
  readonly figures: Partial<Record<FigureName, number>>;
  /** How far each figure may be from what was rounded to it. */
  readonly rounding: Partial<Record<FigureName, number>>;
  device: MeasuredDevice;
}

/** Launches by what tells those of one run apart. */
type Run = Map<string, Draft>;

const deviceMetrics = {
  name: "device__attribute_display_name",
  multiprocessors: "device__attribute_multiprocessor_count",
} as const;

class Reader {
  readonly #runs: Run[] = [];
  /** Of the table that is read. */
  #own: Run = new Map();
  readonly #sections: SourceSection[] = [];
  readonly #notes: string[] = [];
  #untold = 0;

  /** @returns why the text is no report's */
  take({ name, text }: ReportText): string | undefined {
    if (text.includes("\0")) return `${name} is not text. Of a report file, print what it holds: ${howToPrint(name)}`;
    const note: Note = (row, problem, column) =>
      this.#note(`${name}, row ${row}${column === undefined ? "" : `, column ${column}`}: ${problem}.`);
    const tables = tablesOf(text, note);
    if (tables.length === 0) {
      const said = /^==ERROR== *(.+)/m.exec(text)?.[1];
      return said === undefined
        ? `${name} holds no table of Nsight Compute's. Print one with: ncu --csv --page raw`
        : `${name}: Nsight Compute says: ${said}`;
    }
    const mark = decimalMarkOf(tables);
    for (const table of tables) {
      // Of a file that several runs were printed into, each has tables of its own.
      this.#own = new Map();
      if (table.page === "raw") this.#raw(table, mark, note);
      else if (table.page === "metrics") this.#metrics(table, mark, note);
      else this.#source(table, mark, name, note);
      this.#join(this.#own);
    }
    return undefined;
  }

  report(name: string): ReportAnswer {
    const { launches, notes } = withSources(
      this.#runs.flatMap((run) => [...run.values()].map(({ rounding: _, ...launch }) => launch)),
      this.#sections,
    );
    for (const each of notes) this.#note(each);
    if (launches.length === 0) return { problem: `${name} has no launch of a kernel.` };
    const devices: MeasuredDevice[] = [];
    const indices = new Map<string, number>();
    const indexOf = (device: MeasuredDevice): number => {
      const { name, computeCapability, multiprocessors } = device;
      const key = JSON.stringify([name, computeCapability, multiprocessors]);
      const index = indices.get(key) ?? devices.push(device) - 1;
      indices.set(key, index);
      return index;
    };
    const placed = launches.map(({ device, ...launch }): MeasuredLaunch => ({ ...launch, device: indexOf(device) }));
    const more = this.#untold > 0 ? [`${this.#untold.toLocaleString("en")} more places could not be read.`] : [];
    return { report: { name, devices, launches: placed, notes: [...this.#notes, ...more] } };
  }

  /** Another page tells more of the launches of a run; what says otherwise of one of them is of another run. */
  #join(own: Run): void {
    const run = this.#runs.find((known) => [...own].every(([id, launch]) => agree(launch, known.get(id)))) ?? new Map<string, Draft>();
    let free = mostLaunches - this.#runs.reduce((sum, { size }) => sum + size, 0);
    for (const [id, launch] of own) {
      const known = run.get(id);
      if (known) {
        Object.assign(known.figures, { ...launch.figures, ...known.figures });
        Object.assign(known.rounding, { ...launch.rounding, ...known.rounding });
        known.device = { ...launch.device, ...known.device };
      } else if (free-- > 0) run.set(id, launch);
    }
    if (free < 0) this.#note(tooMany);
    // What there was no room for is no run, or each would be looked through for every other.
    if (run.size > 0 && !this.#runs.includes(run)) this.#runs.push(run);
  }

  #note(text: string): void {
    if (this.#notes.includes(text)) return;
    if (this.#notes.length < mostNotes) this.#notes.push(text);
    else this.#untold++;
  }

  /** @returns undefined where there are too many */
  #launch({ head }: Table, { cells }: CsvRecord): Draft | undefined {
    const named = (name: string): string | undefined => cells[head.indexOf(name)];
    const id = ["Process ID", "ID", "Kernel Name", "Grid Size", "Block Size"].map(named).join("\n");
    const known = this.#own.get(id);
    if (known) return known;
    if (this.#own.size === mostLaunches) {
      this.#note(tooMany);
      return undefined;
    }
    const [grid, block, capability] = [dimOf(named("Grid Size")), dimOf(named("Block Size")), named("CC")?.replace(",", ".")];
    const launch: Draft = {
      kernel: (named("Kernel Name") ?? "").slice(0, longestName),
      ...(grid ? { grid } : {}),
      ...(block ? { block } : {}),
      figures: {},
      rounding: {},
      device: capability !== undefined && /^\d+\.\d+$/.test(capability) ? { computeCapability: capability } : {},
    };
    this.#own.set(id, launch);
    return launch;
  }

  #raw(table: Table, mark: DecimalMark, note: Note): void {
    const { head, rows } = table;
    const read = [...head.entries()].filter(([, name]) => isRead(name));
    const id = head.indexOf("ID");
    // The first row has the units, and no launch.
    const isUnits = ({ cells }: CsvRecord): boolean => cells[id] === "";
    const units = rows.find(isUnits)?.cells ?? [];
    for (const record of rows.filter((each) => !isUnits(each))) {
      const launch = this.#launch(table, record);
      if (!launch) return;
      const { row, cells } = record;
      for (const [column, name] of read)
        take(launch, { name, unit: units[column] ?? "", value: cells[column] ?? "" }, mark, (problem) => note(row, problem, name));
    }
  }

  #metrics(table: Table, mark: DecimalMark, note: Note): void {
    const [name, unit, value] = ["Metric Name", "Metric Unit", "Metric Value"].map((each) => table.head.indexOf(each));
    for (const record of table.rows) {
      const launch = this.#launch(table, record);
      if (!launch) return;
      const { row, cells } = record;
      const cell = (column = -1): string => cells[column] ?? "";
      take(launch, { name: cell(name), unit: cell(unit), value: cell(value) }, mark, (problem) => note(row, problem, "Metric Value"));
    }
  }

  #source(table: Table, mark: DecimalMark, name: string, note: Note): void {
    const section = sourceSection(table, mark, note);
    if ("problem" in section) this.#note(`${name}: ${section.problem}.`);
    else this.#sections.push(section);
  }
}

interface Metric {
  readonly name: string;
  readonly unit: string;
  readonly value: string;
}

const figureOfMetric: ReadonlyMap<string, { readonly figure: FigureName; readonly unit: Unit }> = new Map(
  figureNames.flatMap((figure) => figures[figure].metrics.map((metric) => [metric, { figure, unit: figures[figure].unit }] as const)),
);

const isRead = (name: string): boolean => figureOfMetric.has(name) || Object.values<string>(deviceMetrics).includes(name);

/** Whether two pages can be of one launch: they print its figures with more or fewer digits. */
const agree = (one: Draft, other: Draft | undefined): boolean =>
  figureNames.every((name) => {
    const [a, b] = [one.figures[name], other?.figures[name]];
    if (a === undefined || b === undefined || a === b) return true;
    return Math.abs(a - b) < ((one.rounding[name] ?? 0) + (other?.rounding[name] ?? 0)) * (1 - 1e-6);
  });

/** Takes over what a metric says of a launch, where it is one that is read. */
function take(launch: Draft, { name, unit, value }: Metric, mark: DecimalMark, problem: (text: string) => void): void {
  if (name === deviceMetrics.name && value !== "") launch.device = { ...launch.device, name: value.slice(0, longestName) };
  else if (name === deviceMetrics.multiprocessors) {
    const multiprocessors = numberOf(value, mark);
    if (multiprocessors !== undefined && Number.isSafeInteger(multiprocessors) && multiprocessors > 0)
      launch.device = { ...launch.device, multiprocessors };
  } else {
    const known = figureOfMetric.get(name);
    if (!known || isAbsent(value) || launch.figures[known.figure] !== undefined) return;
    const factor = factorOf(unit, known.unit);
    const number = numberOf(value, mark);
    if (factor === undefined) problem(`the unit is \`${unit.slice(0, longestQuote)}\``);
    else if (number === undefined) problem(`\`${value.slice(0, longestQuote)}\` is no number`);
    else if (!isMeasurable(known.figure, number)) problem(`nothing measured is \`${value.slice(0, longestQuote)}\``);
    else {
      launch.figures[known.figure] = number * factor;
      launch.rounding[known.figure] = roundingOf(value, mark) * factor;
    }
  }
}

/** The mark that the numbers of tables have. Text of a source may look like one: a line of a list, `1,2`. */
function decimalMarkOf(tables: readonly Table[]): DecimalMark {
  const hasFraction = ({ head, rows }: Table): boolean => {
    const text = head.indexOf("Source");
    return rows.some(({ cells }) => cells.some((cell, column) => column !== text && hasCommaFraction(cell)));
  };
  return tables.some(hasFraction) ? "," : ".";
}

/** `(256, 1, 1)` */
function dimOf(text: string | undefined): Dim3 | undefined {
  const numbers = text?.match(/\d+/g)?.map(Number) ?? [];
  const [x, y = 1, z = 1] = numbers;
  return x === undefined || numbers.length > 3 || !numbers.every(Number.isSafeInteger) ? undefined : [x, y, z];
}
