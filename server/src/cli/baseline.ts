/** Findings that are known and not to be reported again. They are known by rule, file and the text of their line, not by its number. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Diagnostic } from "../lint.ts";
import { type Io, UsageError } from "./io.ts";

interface Entry {
  readonly path: string;
  readonly ruleId: string;
  readonly text: string;
  readonly count: number;
}

type Finding = { readonly diagnostic: Diagnostic; readonly name: string; readonly line: string };

const keyOf = ({ path: file, ruleId, text }: Omit<Entry, "count">): string => JSON.stringify([file, ruleId, text]);
const entryOf = ({ diagnostic, name, line }: Finding): Omit<Entry, "count"> => ({
  path: name,
  ruleId: diagnostic.ruleId,
  text: line.trim(),
});

/**
 * The findings that a baseline file does not know. Without the file all are recorded in it, and none is left.
 * Throws a UsageError when the file is not a baseline.
 */
export function withoutBaseline(file: string, findings: readonly Finding[], io: Io): Finding[] {
  const absolute = path.resolve(io.cwd, file);
  if (!existsSync(absolute)) {
    record(absolute, findings);
    io.error(`recorded ${findings.length} finding${findings.length === 1 ? "" : "s"} in ${file}\n`);
    return [];
  }
  const left = new Map(read(absolute, file).map((entry) => [keyOf(entry), entry.count]));
  return findings.filter((finding) => {
    const key = keyOf(entryOf(finding));
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count <= 0;
  });
}

function record(file: string, findings: readonly Finding[]): void {
  const entries = new Map<string, Entry>();
  for (const finding of findings) {
    const entry = entryOf(finding);
    const key = keyOf(entry);
    entries.set(key, { ...entry, count: (entries.get(key)?.count ?? 0) + 1 });
  }
  writeFileSync(file, `${JSON.stringify({ version: 1, findings: [...entries.values()] }, null, 2)}\n`);
}

function read(absolute: string, file: string): readonly Entry[] {
  try {
    const content: unknown = JSON.parse(readFileSync(absolute, "utf8"));
    if (typeof content === "object" && content !== null && "findings" in content && Array.isArray(content.findings))
      return content.findings.filter(isEntry);
  } catch {
    // Said below, with every other reason.
  }
  throw new UsageError(`${file} is not a baseline; remove it to record a new one`);
}

const isEntry = (value: unknown): value is Entry =>
  typeof value === "object" &&
  value !== null &&
  "path" in value &&
  "ruleId" in value &&
  "text" in value &&
  "count" in value &&
  typeof value.count === "number";
