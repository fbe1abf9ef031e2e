/** Columns as wide as they must be; the first row is the head. */
export function textTable(rows: readonly (readonly string[])[], bold: (text: string) => string): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  const lines = rows.map((row) =>
    row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join("  "),
  );
  return lines.map((line, index) => `${index === 0 ? bold(line) : line}\n`).join("");
}
