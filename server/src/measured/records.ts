/** Comma-separated values as Nsight Compute prints them: a record a line, between whatever else was printed. */

export interface CsvRecord {
  /** 1-based, of the text. */
  readonly row: number;
  /** None where the line begins as a record and is none, as where it is cut off. */
  readonly cells: readonly string[];
}

/** Cells of a record: the raw page of all metrics has some thousands. */
const mostCells = 50_000;

/** Cells of a line; undefined where it is none: a quote that nobody closes, or that stands within a cell; or too many. */
export function cellsOf(line: string): string[] | undefined {
  const cells: string[] = [];
  for (let at = 0; cells.length < mostCells; at++) {
    if (line[at] !== '"') {
      const end = line.indexOf(",", at);
      const cell = end < 0 ? line.slice(at) : line.slice(at, end);
      if (cell.includes('"')) return undefined;
      cells.push(cell.trim());
      if (end < 0) return cells;
      at = end;
      continue;
    }
    let text = "";
    let from = at + 1;
    for (;;) {
      const end = line.indexOf('"', from);
      if (end < 0) return undefined;
      text += line.slice(from, end);
      at = end + 1;
      if (line[at] !== '"') break;
      text += '"';
      from = at + 1;
    }
    cells.push(text);
    if (at >= line.length) return cells;
    if (line[at] !== ",") return undefined;
  }
  return undefined;
}

/** The records of a text. Lines of the profiler itself (`==PROF==`) are none, nor what has a single cell. */
export function* recordsOf(text: string): Generator<CsvRecord> {
  let row = 0;
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf("\n", from);
    const line = text.slice(from, end < 0 ? undefined : end).replace(/\r$/, "");
    from = end < 0 ? text.length : end + 1;
    row++;
    if (line.startsWith("==") || !/[",]/.test(line)) continue;
    const cells = cellsOf(row === 1 ? line.replace(/^\uFEFF/, "") : line);
    if (cells ? cells.length > 1 : line.startsWith('"')) yield { row, cells: cells ?? [] };
  }
}
