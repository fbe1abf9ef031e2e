/** Findings that are known and not to be reported again. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { readText } from "../files.ts";
import { groupBy } from "../rules/support/group-by.ts";
import { NotRead } from "../syntax/file-text.ts";
import { type FindingKey, keyedFindings, keyText, withoutCounted } from "./finding-keys.ts";
import { type Io, UsageError } from "./io.ts";
import { nameOfPath } from "./names.ts";
import type { ProjectFolder } from "./project-folders.ts";
import type { FileResult } from "./report.ts";

/** Paths are relative to the baseline's own folder. */
interface Entry extends FindingKey {
  readonly count: number;
}

export interface Baseline {
  /** As the user wrote it. */
  readonly file: string;
  /** Undefined where there is no file yet. */
  readonly entries: readonly Entry[] | undefined;
}

/** Throws a UsageError when the file is there and is not a baseline. */
export function readBaseline(file: string, { cwd }: Pick<Io, "cwd">): Baseline {
  const text = readText(path.resolve(cwd, file));
  if (text instanceof NotRead) throw new UsageError(`${file} is not read: ${text.reason}`);
  return { file, entries: text === undefined ? undefined : parsed(text, file) };
}

/** The baseline that the project's file names; absolute. */
export const projectBaseline = ({ root, file: { baseline } }: ProjectFolder): string | undefined =>
  baseline === undefined ? undefined : path.resolve(root, baseline);

export const noBaseline = (file: string): string =>
  `there is no baseline ${file}; \`warplens check --baseline FILE --write-baseline\` records one`;

/** The files with those findings alone that the baseline does not know. */
export const withoutKnown = (files: readonly FileResult[], { file, entries = [] }: Baseline, { cwd }: Pick<Io, "cwd">): FileResult[] =>
  withoutCounted(files, new Map(entries.map((entry) => [keyText(entry), entry.count])), namesIn(path.resolve(cwd, file)));

/** Records the findings of these files, and no others. */
export function recordBaseline(files: readonly FileResult[], file: string, { cwd, error: say }: Pick<Io, "cwd" | "error">): void {
  const absolute = path.resolve(cwd, file);
  const found = files.flatMap((each) => keyedFindings(each, namesIn(absolute)));
  const counts = groupBy(found, ({ key }) => keyText(key));
  const findings = [...counts.values()].flatMap(([first, ...others]) => (first ? [{ ...first.key, count: 1 + others.length }] : []));
  findings.sort((a, b) => (keyText(a) < keyText(b) ? -1 : 1));
  try {
    writeFileSync(absolute, `${JSON.stringify({ version: 1, findings }, null, 2)}\n`);
  } catch (error) {
    throw new UsageError(`${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
  say(`recorded ${found.length} finding${found.length === 1 ? "" : "s"} in ${file}\n`);
}

/** How a baseline names files: relative to the folder it is in. */
const namesIn = (baseline: string): ((path: string) => string) => nameOfPath(path.dirname(baseline));

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
