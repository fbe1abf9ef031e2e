/** SARIF 2.1.0, as code scanning wants it: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html */
import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import { visible } from "../../foreign-text.ts";
import type { Diagnostic, DiagnosticFix, PositionRange } from "../../lint.ts";
import { rules } from "../../rules/index.ts";
import { rulePage } from "../../rules/page.ts";
import type { Rule, Severity } from "../../rules/rule.ts";
import type { Input } from "../inputs.ts";
import { failureText } from "../jobs/job.ts";
import type { FileResult, Result } from "../report.ts";
import { lineHashes } from "./line-hashes.ts";

const levels: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", information: "note", hint: "note" };
/** What GitHub calls them. */
const problems: Readonly<Record<Severity, string>> = {
  error: "error",
  warning: "warning",
  information: "recommendation",
  hint: "recommendation",
};
const base = "%SRCROOT%";

export interface Run {
  readonly result: Result;
  /** Of WarpLens. */
  readonly version: string;
  /** The folder that names are relative to: for code scanning the repository's root. */
  readonly root: string;
  /** A path below the root relative to it, any other absolute; `/` separated. */
  nameOf(path: string): string;
  readonly exitCode: number;
  /** What was left out, and why. */
  readonly notes: readonly string[];
}

export function sarif({ result, version, root, nameOf, exitCode, notes }: Run): string {
  const { gpu, files } = result;
  const places = new Places(files, nameOf);
  const run = {
    tool: { driver: driver(version) },
    automationDetails: { id: `warplens/${gpu.id}/` },
    invocations: [
      {
        executionSuccessful: exitCode < 2,
        exitCode,
        toolExecutionNotifications: [
          ...notes.map((text) => ({ level: "warning", message: { text: literal(text) } })),
          ...files.flatMap((file) => notificationsOf(file, places)),
        ],
      },
    ],
    columnKind: "utf16CodeUnits",
    originalUriBaseIds: { [base]: { uri: `${pathToFileURL(root).href.replace(/\/$/, "")}/` } },
    artifacts: files.map(({ input }) => ({ location: places.artifact(input.path), sourceLanguage: "cplusplus" })),
    results: files.flatMap(({ input, diagnostics }) => resultsOf(input, diagnostics, places)),
  };
  return `${JSON.stringify({ $schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0", runs: [run] }, null, 2)}\n`;
}

const driver = (version: string): object => ({
  name: "WarpLens",
  semanticVersion: version,
  informationUri: "https://github.com/warplens/warplens",
  rules: rules.map((rule: Rule) => ({
    id: rule.id,
    name: rule.id.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase()),
    shortDescription: { text: rule.summary },
    fullDescription: { text: `${rule.why} ${rule.remedy}` },
    help: { text: `${rule.why}\n\n${rule.remedy}`, markdown: rulePage(rule) },
    helpUri: rule.url,
    defaultConfiguration: { level: levels[rule.severity], ...(rule.offByDefault ? { enabled: false } : {}) },
    properties: {
      tags: [...new Set([rule.priority === "correctness" ? "correctness" : "performance", rule.group])],
      precision: rule.simulated ? "high" : "very-high",
      "problem.severity": problems[rule.severity],
    },
  })),
});

/** Where things are, as SARIF says it. */
class Places {
  readonly #indices: ReadonlyMap<string, number>;
  readonly #nameOf: (path: string) => string;

  constructor(files: readonly FileResult[], nameOf: (path: string) => string) {
    this.#indices = new Map(files.map(({ input }, index) => [input.path, index]));
    this.#nameOf = nameOf;
  }

  artifact(path: string): object {
    const name = this.#nameOf(path);
    const index = this.#indices.get(path);
    return {
      ...(isAbsolute(name)
        ? { uri: pathToFileURL(name).href }
        : { uri: wellFormed(name).split("/").map(encodeURIComponent).join("/"), uriBaseId: base }),
      ...(index === undefined ? {} : { index }),
    };
  }

  location(path: string, region: object): object {
    return { physicalLocation: { artifactLocation: this.artifact(path), region } };
  }
}

function resultsOf(input: Input, diagnostics: readonly Diagnostic[], places: Places): object[] {
  if (diagnostics.length === 0) return [];
  const lines = input.text.split("\n");
  const hashes = lineHashes(input.bom + input.text);
  return diagnostics.map((diagnostic) => {
    const { ruleId, severity, message, range, kernel, related, fixes, simulated } = diagnostic;
    const { line, character } = range.start;
    const indent = /\S/.exec(lines[line] ?? "")?.index ?? 0;
    const hash = hashes[line];
    return {
      ruleId,
      ruleIndex: rules.findIndex(({ id }) => id === ruleId),
      level: levels[severity],
      message: { text: literal(message) },
      locations: [
        {
          ...places.location(input.path, regionOf(range)),
          ...(kernel === undefined ? {} : { logicalLocations: [{ name: kernel, kind: "function" }] }),
        },
      ],
      ...(related.length === 0 ? {} : { relatedLocations: related.map((each, id) => relatedLocation(each, id, places)) }),
      ...(hash === undefined
        ? {}
        : { partialFingerprints: { primaryLocationLineHash: hash, primaryLocationStartColumnFingerprint: String(character - indent) } }),
      ...(fixes.length === 0 ? {} : { fixes: fixes.map((fix) => fixOf(fix, input.path, places)) }),
      properties: { severity, simulated, ...(kernel === undefined ? {} : { kernel }) },
    };
  });
}

const relatedLocation = ({ path, range, message }: Diagnostic["related"][number], id: number, places: Places): object => ({
  id,
  ...places.location(path, regionOf(range)),
  message: { text: literal(message) },
});

const fixOf = ({ title, safe, edits }: DiagnosticFix, path: string, places: Places): object => ({
  description: { text: literal(title) },
  artifactChanges: [
    {
      artifactLocation: places.artifact(path),
      replacements: edits.map(({ range, newText }) => ({ deletedRegion: regionOf(range), insertedContent: { text: newText } })),
    },
  ],
  properties: { safe },
});

/** What went wrong inside, and what was not simulated. */
const notificationsOf = ({ input, simulation, failures }: FileResult, places: Places): object[] => [
  ...failures.map((failure) => ({
    level: "error",
    message: { text: literal(failureText(failure)) },
    locations: [places.location(input.path, { startLine: 1 })],
  })),
  ...(simulation?.notSimulated ?? []).map(({ kernel, line, reason }) => ({
    level: "note",
    message: { text: literal(`${kernel} is not simulated: ${reason}`) },
    locations: [places.location(input.path, { startLine: line })],
  })),
];

const regionOf = ({ start, end }: PositionRange): object => ({
  startLine: start.line + 1,
  startColumn: start.character + 1,
  endLine: end.line + 1,
  endColumn: end.character + 1,
});

/** What a source spells is no link (3.11.6: `a[i](x)` would be one) and no placeholder (3.11.5). */
const literal = (text: string): string => visible(text).replaceAll("](", "] (").replace(/[{}]/g, "$&$&");

/** Without halves of surrogate pairs, which a file's name may have and an address may not. */
const wellFormed = (name: string): string => name.replace(/\p{Cs}/gu, "\uFFFD");
