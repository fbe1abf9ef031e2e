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
