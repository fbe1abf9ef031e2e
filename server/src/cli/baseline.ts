/** Findings that are known and not to be reported again. They are known by rule, file and the text of their line, not by its number. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Diagnostic } from "../lint.ts";
import { groupBy } from "../rules/support/group-by.ts";
import { type Io, UsageError } from "./io.ts";
import { nameOfPath } from "./names.ts";
import type { ProjectFolder } from "./project-folders.ts";
import type { FileResult } from "./report.ts";

interface Entry {
  /** Relative to the baseline's own folder, `/` separated. */
  readonly path: string;
  readonly ruleId: string;
  /** The finding's first line, blanks as one. */
  readonly text: string;
  readonly count: number;
}

type Key = Omit<Entry, "count">;

const textOf = ({ path: file, ruleId, text }: Key): string => JSON.stringify([file, ruleId, text]);

export interface Baseline {
  /** As the user wrote it. */
  readonly file: string;
  /** Undefined where there is no file yet. */
  readonly entries: readonly Entry[] | undefined;
}

/** Throws a UsageError when the file is there and is not a baseline. */
export function readBaseline(file: string, { cwd }: Pick<Io, "cwd">): Baseline {
  let text: string;
  try {
    text = readFileSync(path.resolve(cwd, file), "utf8");
  } catch {
    return { file, entries: undefined };
  }
  return { file, entries: parsed(text, file) };
}

/** The baseline that the project's file names; absolute. */
export const projectBaseline = ({ root, file: { baseline } }: ProjectFolder): string | undefined =>
  baseline === undefined ? undefined : path.resolve(root, baseline);

export const noBaseline = (file: string): string =>
  `there is no baseline ${file}; \`warplens check --baseline FILE --write-baseline\` records one`;

/** The findings that the baseline does not know. Of equal lines as many are known as were recorded. */
export function withoutKnown(files: readonly FileResult[], { file, entries = [] }: Baseline, { cwd }: Pick<Io, "cwd">): FileResult[] {
  const left = new Map(entries.map((entry) => [textOf(entry), entry.count]));
  return files.map((each) => ({
    ...each,
    diagnostics: keyed(each, path.resolve(cwd, file)).flatMap(({ key, diagnostic }) => {
      const count = left.get(textOf(key)) ?? 0;
      left.set(textOf(key), count - 1);
      return count > 0 ? [] : [diagnostic];
    }),
  }));
}

/** Records the findings of these files, and no others. */
export function recordBaseline(files: readonly FileResult[], file: string, { cwd, error: say }: Pick<Io, "cwd" | "error">): void {
  const absolute = path.resolve(cwd, file);
  const found = files.flatMap((each) => keyed(each, absolute));
  const counts = groupBy(found, ({ key }) => textOf(key));
  const findings = [...counts.values()].flatMap(([first, ...others]) => (first ? [{ ...first.key, count: 1 + others.length }] : []));
  findings.sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
  try {
    writeFileSync(absolute, `${JSON.stringify({ version: 1, findings }, null, 2)}\n`);
  } catch (error) {
    throw new UsageError(`${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
  say(`recorded ${found.length} finding${found.length === 1 ? "" : "s"} in ${file}\n`);
}

/** What a file's findings are known by. */
function keyed({ input, diagnostics }: FileResult, baseline: string): { readonly key: Key; readonly diagnostic: Diagnostic }[] {
  if (diagnostics.length === 0) return [];
  const lines = input.text.split("\n");
  const name = nameOfPath(path.dirname(baseline))(input.path);
  return diagnostics.map((diagnostic) => {
    const text = (lines[diagnostic.range.start.line] ?? "").trim().replace(/\s+/g, " ");
    return { key: { path: name, ruleId: diagnostic.ruleId, text }, diagnostic };
  });
}

function parsed(text: string, file: string): readonly Entry[] {
  try {
    const content: unknown = JSON.parse(text);
    if (typeof content === "object" && content !== null && "findings" in content && Array.isArray(content.findings))
      return content.findings.filter(isEntry);
  } catch {
    // Said below, with every other reason.
  }
  throw new UsageError(`${file} is not a baseline; --write-baseline records a new one`);
}

const isEntry = (value: unknown): value is Entry =>
  typeof value === "object" &&
  value !== null &&
  "path" in value &&
  "ruleId" in value &&
  "text" in value &&
  "count" in value &&
  typeof value.count === "number";
