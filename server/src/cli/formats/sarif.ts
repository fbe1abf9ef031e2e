/** SARIF 2.1.0, for code scanning. */
import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import type { Diagnostic, PositionRange } from "../../lint.ts";
import { rules } from "../../rules/index.ts";
import { rulePage } from "../../rules/page.ts";
import type { Severity } from "../../rules/rule.ts";
import type { Result } from "../report.ts";

const levels: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", information: "note", hint: "note" };

export function sarif({ files }: Result, version: string, cwd: string, nameOf: (path: string) => string): string {
  const artifact = (path: string): object => {
    const name = nameOf(path);
    return isAbsolute(name)
      ? { uri: pathToFileURL(name).href }
      : { uri: name.split("/").map(encodeURIComponent).join("/"), uriBaseId: "SRCROOT" };
  };
  const location = (path: string, range: PositionRange): object => ({
    physicalLocation: { artifactLocation: artifact(path), region: regionOf(range) },
  });
  const results = files.flatMap(({ diagnostics }) =>
    diagnostics.map((diagnostic: Diagnostic) => ({
      ruleId: diagnostic.ruleId,
      ruleIndex: rules.findIndex(({ id }) => id === diagnostic.ruleId),
      level: levels[diagnostic.severity],
      message: { text: diagnostic.message },
      locations: [
        {
          ...location(diagnostic.path, diagnostic.range),
          ...(diagnostic.kernel === undefined ? {} : { logicalLocations: [{ name: diagnostic.kernel, kind: "function" }] }),
        },
      ],
      ...(diagnostic.related.length > 0
        ? {
            relatedLocations: diagnostic.related.map(({ path, range, message }, id) => ({
              id,
              ...location(path, range),
              message: { text: message },
            })),
          }
        : {}),
      ...(diagnostic.fixes.length > 0
        ? {
            fixes: diagnostic.fixes.map(({ title, edits }) => ({
              description: { text: title },
              artifactChanges: [
                {
                  artifactLocation: artifact(diagnostic.path),
                  replacements: edits.map(({ range, newText }) => ({ deletedRegion: regionOf(range), insertedContent: { text: newText } })),
                },
              ],
            })),
          }
        : {}),
    })),
  );
  const driver = {
    name: "WarpLens",
    semanticVersion: version,
    informationUri: "https://github.com/warplens/warplens",
    rules: rules.map((rule) => ({
      id: rule.id,
      shortDescription: { text: rule.summary },
      fullDescription: { text: `${rule.why} ${rule.remedy}` },
      help: { text: `${rule.why}\n\n${rule.remedy}`, markdown: rulePage(rule) },
      helpUri: rule.url,
      defaultConfiguration: { level: levels[rule.severity] },
      properties: { tags: [rule.group], precision: rule.simulated ? "high" : "very-high" },
    })),
  };
  const run = {
    tool: { driver },
    columnKind: "utf16CodeUnits",
    originalUriBaseIds: { SRCROOT: { uri: `${pathToFileURL(cwd).href}/` } },
    artifacts: files.map(({ input }) => ({ location: artifact(input.path), sourceLanguage: "cplusplus" })),
    results,
  };
  return `${JSON.stringify({ $schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0", runs: [run] }, null, 2)}\n`;
}

const regionOf = ({ start, end }: PositionRange): object => ({
  startLine: start.line + 1,
  startColumn: start.character + 1,
  endLine: end.line + 1,
  endColumn: end.character + 1,
});
