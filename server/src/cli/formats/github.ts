/**
 * Annotations of GitHub Actions: one workflow command a finding, the worst first, as GitHub shows ten of a kind.
 * https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
 */
import type { Severity } from "../../rules/rule.ts";
import { severities } from "../../rules/selection.ts";
import { failureText } from "../jobs/job.ts";
import type { Result } from "../report.ts";

const commands: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", information: "notice", hint: "notice" };
const data = (text: string): string => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const property = (text: string): string => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

/** @param nameOf a path relative to the repository's root */
export function github({ files }: Result, nameOf: (path: string) => string): string {
  const failures = files.flatMap(({ input, failures }) =>
    failures.map((failure) => `::error file=${property(nameOf(input.path))},title=WarpLens::${data(failureText(failure))}\n`),
  );
  const findings = files
    .flatMap(({ diagnostics }) => diagnostics)
    .sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity))
    .map(({ ruleId, severity, message, range: { start, end }, path }) => {
      // Columns may be given only for a range within one line.
      const columns = start.line === end.line ? `,col=${start.character + 1},endColumn=${end.character + 1}` : "";
      const place = `file=${property(nameOf(path))},line=${start.line + 1},endLine=${end.line + 1}${columns}`;
      return `::${commands[severity]} ${place},title=${property(`WarpLens ${ruleId}`)}::${data(message)}\n`;
    });
  return [...failures, ...findings].join("");
}
