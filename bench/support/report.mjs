/** Markdown for the terminal and for docs/accuracy.md. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "./bundle.mjs";

export const percent = (share) => (Number.isNaN(share) ? "-" : `${(100 * share).toFixed(1)} %`);
export const count = (part, whole) => `${part} of ${whole}`;

/** A Markdown table whose columns line up; the first is text, the rest are aligned right. */
export function table(head, rows) {
  const widths = head.map((title, k) => Math.max(title.length, 3, ...rows.map((row) => String(row[k]).length)));
  const line = (cells) =>
    `| ${cells.map((cell, k) => (k === 0 ? String(cell).padEnd(widths[k]) : String(cell).padStart(widths[k]))).join(" | ")} |`;
  const rule = `| ${widths.map((width, k) => (k === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)).join(" | ")} |`;
  return [line(head), rule, ...rows.map(line)].join("\n");
}

/** What was simulated of a launch next to what was measured, in one line. */
export function figures({ time, instructions, resources, traffic, occupancy }, launch) {
  const bytes = (traffic.dramReadBytes ?? Number.NaN) + (traffic.dramWriteBytes ?? Number.NaN);
  return [
    ["us", (time?.ns ?? Number.NaN) / 1e3, launch.time_ns / 1e3],
    ["thousand instructions", instructions.warp / 1e3, launch.warp_instructions / 1e3],
    ["registers", resources.registersPerThread.value, launch.registers_per_thread],
    ["MB of memory", bytes / 1e6, (launch.dram_read_bytes + launch.dram_write_bytes) / 1e6],
    ["% achieved", occupancy.achievedPct ?? Number.NaN, launch.achieved_occupancy_pct],
  ]
    .map(([unit, simulated, measured]) => `${Number(simulated.toPrecision(4))} of ${Number(measured.toPrecision(4))} ${unit}`)
    .join(", ");
}

const file = path.join(root, "docs/accuracy.md");

/** Replaces what stands between `<!-- NAME: ... -->` and `<!-- end NAME -->` in docs/accuracy.md. */
export function renew(name, content) {
  const text = readFileSync(file, "utf8");
  const part = new RegExp(`(<!-- ${name}:[^>]*-->\n)[\\s\\S]*?(\n<!-- end ${name} -->)`);
  if (!part.test(text)) throw new Error(`docs/accuracy.md has no part "${name}"`);
  writeFileSync(
    file,
    text.replace(part, (_, start, end) => `${start}\n${content}\n${end}`),
  );
}
