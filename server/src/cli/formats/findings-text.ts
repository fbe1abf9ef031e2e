/** Findings for people: where, what, the line with a mark under it, and what can be done. */
import { visible } from "../../foreign-text.ts";
import type { Diagnostic } from "../../lint.ts";
import type { Severity } from "../../rules/rule.ts";
import { type Style, severityColour } from "../style.ts";

const tabWidth = 4;
/** Characters of a line of source that is shown. */
const longestLine = 400;

/** @param source the text of the finding's file */
export function findingText(diagnostic: Diagnostic, style: Style, nameOf: (path: string) => string, source: string): string {
  const { path, ruleId, severity, message, range, fixes, related } = diagnostic;
  const { line, character } = range.start;
  const place = `${style(visible(nameOf(path)), "bold")}:${line + 1}:${character + 1}`;
  const lines = [`${place}  ${style(severity, "bold", severityColour[severity])} ${style(ruleId, "dim")}`, `  ${message}`];
  const frame = frameOf(diagnostic, source, style);
  if (frame) lines.push(...frame);
  for (const { path: file, range: at, message: text } of related)
    lines.push(`  ${style("note", "cyan")} ${visible(nameOf(file))}:${at.start.line + 1}: ${text}`);
  for (const { title, safe } of fixes) lines.push(`  ${style("fix", "green")}  ${title}${safe ? "" : style(" [unsafe]", "yellow")}`);
  return `${lines.join("\n")}\n`;
}

function frameOf({ range: { start, end }, severity }: Diagnostic, source: string, style: Style): string[] | undefined {
  const text = source.split("\n", start.line + 1)[start.line]?.replace(/\r$/, "");
  if (text === undefined || text.length > longestLine) return undefined;
  const expand = (part: string): string => visible(part.replaceAll("\t", " ".repeat(tabWidth)), Number.POSITIVE_INFINITY);
  const last = end.line === start.line ? end.character : text.length;
  const before = expand(text.slice(0, start.character));
  const width = Math.max(1, expand(text.slice(start.character, last)).length);
  const number = String(start.line + 1);
  const gutter = " ".repeat(number.length);
  return [
    `  ${style(`${gutter} |`, "dim")}`,
    `  ${style(`${number} |`, "dim")} ${expand(text)}`,
    `  ${style(`${gutter} |`, "dim")} ${" ".repeat(before.length)}${style("^".repeat(width), "bold", severityColour[severity])}`,
  ];
}

const plural: Readonly<Record<Severity, string>> = { error: "errors", warning: "warnings", information: "informations", hint: "hints" };

/** `3 findings (1 warning, 2 hints)` */
export function countText(diagnostics: readonly Diagnostic[]): string {
  const counts = (Object.keys(plural) as Severity[]).flatMap((severity) => {
    const count = diagnostics.filter((each) => each.severity === severity).length;
    return count === 0 ? [] : [`${count} ${count === 1 ? severity : plural[severity]}`];
  });
  if (counts.length === 0) return "no findings";
  return `${diagnostics.length} finding${diagnostics.length === 1 ? "" : "s"} (${counts.join(", ")})`;
}
