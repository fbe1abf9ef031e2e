/** The source page of a report: counts by line, and of which launch they are. */
import { instanceKey } from "../nvcc/same-instance.ts";
import { kernelSymbol } from "./kernel-name.ts";
import type { Note } from "./notes.ts";
import { type DecimalMark, numberOf } from "./numbers.ts";
import { digestOf, type LineFigureName, type MeasuredDevice, type MeasuredFile, type MeasuredLaunch, type MeasuredLine } from "./report.ts";
import type { Table } from "./tables.ts";

export interface SourceSection {
  readonly kernel: string;
  readonly file: MeasuredFile;
}

/** What a column is called, by the page and by the metric's own name. */
const columns: Readonly<Record<LineFigureName, readonly string[]>> = {
  samples: ["# Samples", "Warp Stall Sampling (All Samples)"],
  instructions: ["Instructions Executed", "inst_executed"],
  threadInstructions: ["Thread Instructions Executed", "thread_inst_executed"],
  globalSectors: ["L2 Theoretical Sectors Global", "memory_l2_theoretical_sectors_global"],
  sharedWavefronts: ["L1 Wavefronts Shared", "memory_l1_wavefronts_shared"],
};
export const lineFigureNames = Object.keys(columns) as readonly LineFigureName[];

/** One table of a source page; or why nothing can be taken from it, a sentence without its end. */
export function sourceSection(
  { head, rows, about, line }: Table,
  mark: DecimalMark,
  note: Note,
): SourceSection | { readonly problem: string } {
  if (line < 0) return { problem: "instructions without lines of source are left out; print them with --print-source cuda,sass" };
  const text = head.indexOf("Source");
  const columnOf = lineFigureNames.flatMap((name) => {
    const column = columns[name].map((each) => head.indexOf(each)).find((each) => each >= 0);
    return column === undefined ? [] : [{ name, column }];
  });
  if (columnOf.length === 0) return { problem: "lines of source without figures are left out; print them with --print-source cuda,sass" };
  const lines = rows.flatMap(({ row, cells }): MeasuredLine[] => {
    const number = numberOf(cells[line] ?? "", mark);
    if (number === undefined || !Number.isSafeInteger(number) || number < 1) return [];
    const figures = Object.fromEntries(
      columnOf.flatMap(({ name, column }) => {
        const value = numberOf(cells[column] ?? "", mark);
        if (value !== undefined && value < 0) note(row, `nothing measured is \`${value}\``, head[column]);
        return value === undefined || value <= 0 ? [] : [[name, value]];
      }),
    );
    const own = cells[text] ?? "";
    return Object.keys(figures).length === 0 ? [] : [{ line: number, ...(own.trim() === "" ? {} : { digest: digestOf(own) }), figures }];
  });
  const kernel = about.get("Function Name") ?? about.get("Kernel Name");
  if (kernel === undefined) return { problem: "a table of source does not say of which kernel it is" };
  const path = about.get("File Path") ?? about.get("File Name") ?? "";
  return { kernel, file: { name: path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1), lines } };
}

/** A launch of which it is known what it is called. */
type Launch = Omit<MeasuredLaunch, "device"> & { readonly device: MeasuredDevice };

/**
 * Launches with the sections that are theirs: a page has one a launch and file, in the order in which they ran. Of a kernel of which
 * nothing else is told each is a launch.
 * @returns beside them what could not be told apart, a sentence each
 */
export function withSources(
  launches: readonly Launch[],
  sections: readonly SourceSection[],
): { readonly launches: readonly Launch[]; readonly notes: readonly string[] } {
  const files = new Map<Launch, MeasuredFile[]>();
  const added: Launch[] = [];
  const notes: string[] = [];
  const launchesOf = grouped(launches, ({ kernel }) => keyOf(kernel));
  for (const [kernel, ofKernel] of grouped(sections, (section) => section.kernel)) {
    const told = launchesOf.get(keyOf(kernel)) ?? [];
    const byFile = [...grouped(ofKernel, ({ file }) => file.name).values()];
    const own = told.length > 0 ? told : (byFile[0] ?? []).map((): Launch => ({ kernel, figures: {}, device: {} }));
    if (told.length === 0) added.push(...own);
    for (const parts of byFile) {
      if (parts.length !== own.length) {
        notes.push(`Lines of ${kernel} are there ${parts.length} times, its launches ${own.length} times: they are left out.`);
        continue;
      }
      for (const [index, launch] of own.entries()) {
        const part = parts[index];
        if (part) files.set(launch, [...(files.get(launch) ?? []), part.file]);
      }
    }
  }
  const all = [...launches, ...added].map((launch): Launch => {
    const found = files.get(launch);
    return found ? { ...launch, files: found } : launch;
  });
  return { launches: all, notes };
}

function grouped<T>(all: readonly T[], groupOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = groupOf(one);
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return groups;
}

/** What printed names of one kernel have in common, and no other has. */
function keyOf(printed: string): string {
  const { name, templateArguments } = kernelSymbol(printed);
  return `${name}\n${instanceKey(templateArguments)}`;
}
