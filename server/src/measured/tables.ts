/** The tables in what Nsight Compute printed: which page each is of, and its rows. */
import { type CsvRecord, recordsOf } from "./records.ts";

/** `raw`: a row a launch; `metrics`: a row a metric of a launch (`ncu --csv --metrics`); `source`: a row a line or an instruction. */
export type Page = "raw" | "metrics" | "source";

export interface Table {
  readonly page: Page;
  readonly head: readonly string[];
  /** The rows of `raw` and `metrics` pages; those of `source` that have a line's number. */
  readonly rows: CsvRecord[];
  /** What stands before a source page: `Kernel Name`, `File Path`. */
  readonly about: ReadonlyMap<string, string>;
  /** Column of a line's number; -1 where there is none. */
  readonly line: number;
}

/** What is said before a table of source, a line each. */
const abouts: ReadonlySet<string> = new Set(["Kernel Name", "Function Name", "File Path", "File Name"]);

/** Lines that are gone through; of them rows of all tables that are kept, and tables: a source page has one a launch and file. */
const mostLines = 1_000_000;
const mostRows = 200_000;
const mostTables = 20_000;

function pageOf(head: readonly string[]): Page | undefined {
  const has = (...names: readonly string[]): boolean => names.every((name) => head.includes(name));
  if (has("Metric Name", "Metric Value", "Kernel Name")) return "metrics";
  if (has("ID", "Kernel Name")) return "raw";
  return has("Source") && (has("Address") || has("Line No") || has("#")) ? "source" : undefined;
}

/** The tables of a text. @param told what is wrong with it, each with its row */
export function tablesOf(text: string, told: (row: number, problem: string) => void): Table[] {
  const tables: Table[] = [];
  let table: Table | undefined;
  let about = new Map<string, string>();
  let rows = 0;
  for (const record of recordsOf(text)) {
    const { row, cells } = record;
    if (row > mostLines || tables.length === mostTables) {
      const bound = row > mostLines ? `${mostLines.toLocaleString("en")} lines` : `${mostTables.toLocaleString("en")} tables`;
      told(row, `there are more than ${bound}; what stands from here on is not read`);
      break;
    }
    if (cells.length === 0) {
      if (table) told(row, "it is cut off, or its quotes do not match, or it has too many cells");
      continue;
    }
    const page = pageOf(cells);
    if (page) {
      table = { page, head: cells, rows: [], about, line: page === "source" ? cells.indexOf("Line No") : -1 };
      tables.push(table);
      about = new Map(about);
      continue;
    }
    const [name = "", value = "", ...more] = cells;
    if (abouts.has(name) && more.every((cell) => cell === "")) {
      about.set(name, value);
      table = undefined;
      continue;
    }
    if (!table) continue;
    // The details page leaves out the cells at the end of most rows.
    const fits = cells.length === table.head.length || (table.page === "metrics" && cells.length > table.head.indexOf("Metric Value"));
    if (!fits) {
      told(row, `it has ${cells.length} cells, the head ${table.head.length}`);
      continue;
    }
    // Between a source's lines stand their instructions, which have no number.
    if (cells[table.line] === "") continue;
    if (++rows > mostRows) {
      told(row, `there are more than ${mostRows.toLocaleString("en")} rows; those from here on are not read`);
      break;
    }
    table.rows.push(record);
  }
  return tables;
}
