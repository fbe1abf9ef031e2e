/**
 * Annotations of GitHub Actions: one workflow command a finding, the worst first, as GitHub shows ten of a kind.
 * https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
 */
import type { PositionRange } from "../../lint.ts";
import type { Severity } from "../../rules/rule.ts";
import { severities } from "../../rules/severities.ts";
import { failureText } from "../jobs/job.ts";
import type { Result } from "../report.ts";

type AnnotationLevel = "error" | "warning" | "notice";

const levels: Readonly<Record<Severity, AnnotationLevel>> = { error: "error", warning: "warning", information: "notice", hint: "notice" };

/** @param nameOf a path relative to the repository's root */
export function github({ files }: Result, nameOf: (path: string) => string): string {
  const failures = files.flatMap(({ input, failures }) =>
    failures.map((failure) => annotation("error", { file: nameOf(input.path) }, "WarpLens", failureText(failure))),
  );
  const findings = files
    .flatMap(({ diagnostics }) => diagnostics)
    .sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity))
    .map(({ ruleId, severity, message, range, path }) =>
      annotation(levels[severity], { file: nameOf(path), range }, `WarpLens ${ruleId}`, message),
    );
  return [...failures, ...findings].join("");
}

/**
 * One workflow command.
 * @param place a file relative to the repository's root, and a line of it (1-based) or a range
 */
export function annotation(
  level: AnnotationLevel,
  place: { readonly file: string; readonly line?: number; readonly range?: PositionRange },
  title: string,
  message: string,
): string {
  const { file, line, range } = place;
  const properties: [string, string | number][] = [["file", file]];
  if (line !== undefined) properties.push(["line", line]);
  if (range) {
    const { start, end } = range;
    properties.push(["line", start.line + 1], ["endLine", end.line + 1]);
    // Columns may be given only for a range within one line.
    if (start.line === end.line) properties.push(["col", start.character + 1], ["endColumn", end.character + 1]);
  }
  properties.push(["title", title]);
  return `::${level} ${properties.map(([name, value]) => `${name}=${property(String(value))}`).join(",")}::${data(message)}\n`;
}

const data = (text: string): string => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const property = (text: string): string => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
