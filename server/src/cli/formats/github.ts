/** Annotations of GitHub Actions: one workflow command a finding. */
import type { Severity } from "../../rules/rule.ts";
import type { Result } from "../report.ts";

const commands: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", information: "notice", hint: "notice" };
const data = (text: string): string => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const property = (text: string): string => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

export function github({ files }: Result, nameOf: (path: string) => string): string {
  const lines = files.flatMap(({ diagnostics }) =>
    diagnostics.map(({ ruleId, severity, message, range: { start, end }, path }) => {
      // Columns may be given only for a range within one line.
      const columns = start.line === end.line ? `,col=${start.character + 1},endColumn=${end.character + 1}` : "";
      const place = `file=${property(nameOf(path))},line=${start.line + 1},endLine=${end.line + 1}${columns}`;
      return `::${commands[severity]} ${place},title=${property(`WarpLens ${ruleId}`)}::${data(message)}\n`;
    }),
  );
  return lines.join("");
}
