/** Findings that are known and not to be reported again. */
import { lstatSync } from "node:fs";
import path from "node:path";
import { findNodeAtLocation, getNodeValue } from "jsonc-parser";
import { leadsTo, readText } from "../files.ts";
import { parseJson, placesIn } from "../lint/json-text.ts";
import { isInHidden } from "../lint/project-file.ts";
import { groupBy } from "../rules/support/group-by.ts";
import { NotRead } from "../syntax/file-text.ts";
import { type FindingKey, keyedFindings, keyText, withoutCounted } from "./finding-keys.ts";
import { type Io, UsageError } from "./io.ts";
import { isIn, nameOfPath } from "./names.ts";
import type { ProjectFolder } from "./project-folders.ts";
import type { FileResult } from "./report.ts";
import { writeNamed } from "./write-file.ts";

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
  if (file === "") throw new UsageError("--baseline needs a file: --baseline FILE");
  const text = readText(path.resolve(cwd, file));
  if (text instanceof NotRead) throw new UsageError(`${file} is not read: ${text.reason}`);
  return { file, entries: text === undefined ? undefined : parsed(text.replace(/^\uFEFF/, " "), file) };
}

/** One that is to be recorded, though there may be one. Throws a UsageError where it would take the place of what is none. */
export function recordedAnew(file: string, { cwd }: Pick<Io, "cwd">): Baseline {
  refuseLink(file, path.resolve(cwd, file));
  // Nothing is lost of an empty file.
  if (readText(path.resolve(cwd, file)) !== "") readBaseline(file, { cwd });
  return { file, entries: undefined };
}

/**
 * The baseline that the project's file names; absolute. Throws a UsageError where a link leads it out of the project's folder, or into a
 * hidden one.
 */
export function projectBaseline({ root, file: { baseline } }: ProjectFolder): string | undefined {
  if (baseline === undefined) return undefined;
  const file = path.resolve(root, baseline);
  const refuse = (where: string) =>
    new UsageError(`the baseline ${baseline} that warplens.json names is behind a link that leads ${where}`);
  if (!isIn(leadsTo(root), leadsTo(file))) throw refuse("out of its folder");
  if (isInHidden(path.posix.relative(leadsTo(root), `${leadsTo(path.dirname(file))}/x`))) throw refuse("into a hidden folder");
  return file;
}

export const noBaseline = (file: string): string =>
  `there is no baseline ${file}; \`warplens check --baseline FILE --write-baseline\` records one`;

/** The files with those findings alone that the baseline does not know. */
export const withoutKnown = (files: readonly FileResult[], { file, entries = [] }: Baseline, { cwd }: Pick<Io, "cwd">): FileResult[] =>
  withoutCounted(files, new Map(entries.map((entry) => [keyText(entry), entry.count])), namesIn(path.resolve(cwd, file)));

/** Records the findings of these files, and no others. Throws a UsageError where it cannot. */
export function recordBaseline(files: readonly FileResult[], file: string, { cwd, error: say }: Pick<Io, "cwd" | "error">): void {
  const absolute = path.resolve(cwd, file);
  refuseLink(file, absolute);
  const found = files.flatMap((each) => keyedFindings(each, namesIn(absolute)));
  const counts = groupBy(found, ({ key }) => keyText(key));
  const findings = [...counts.values()].flatMap(([first, ...others]) => (first ? [{ ...first.key, count: 1 + others.length }] : []));
  findings.sort((a, b) => (keyText(a) < keyText(b) ? -1 : 1));
  writeNamed(file, absolute, `${JSON.stringify({ version: 1, findings }, null, 2)}\n`);
  say(`recorded ${found.length} finding${found.length === 1 ? "" : "s"} in ${file}\n`);
}

/** A checkout may hold links to anywhere. */
function refuseLink(file: string, absolute: string): void {
  if (isLink(absolute)) throw new UsageError(`${file} is a link: name the file that it leads to`);
}

/** False of what cannot be looked at, as a name that is too long: whoever writes it says so. */
function isLink(file: string): boolean {
  try {
    return lstatSync(file).isSymbolicLink();
  } catch {
    return false;
  }
}

/** How a baseline names files: relative to the folder it is in. */
const namesIn = (baseline: string): ((path: string) => string) => nameOfPath(path.dirname(baseline));

/** Throws a UsageError that says where the text is no baseline. */
function parsed(text: string, file: string): readonly Entry[] {
  const placeOf = placesIn(text);
  const fail = (problem: string, offset: number): never => {
    const { line, column } = placeOf(offset);
    throw new UsageError(`${file}:${line}:${column}: ${problem}; it stays as it is: remove it to record a new one`);
  };
  const tree = parseJson(text, false);
  if ("problem" in tree) return fail(tree.problem, tree.offset);
  const version = findNodeAtLocation(tree, ["version"]);
  if (version && version.value !== 1) fail("this is no baseline of version 1", version.offset);
  const findings = findNodeAtLocation(tree, ["findings"]);
  if (findings?.type !== "array") return fail("a baseline has a list of `findings`", (findings ?? tree).offset);
  return (findings.children ?? []).map((node) => {
    const value: unknown = getNodeValue(node);
    return isEntry(value)
      ? value
      : fail("a finding has `path`, `ruleId` and `text`, which are texts, and `count`, a number from 1", node.offset);
  });
}

function isEntry(value: unknown): value is Entry {
  const { path: file, ruleId, text, count } = { ...(value as Partial<Entry> | null) };
  return [file, ruleId, text].every((each) => typeof each === "string") && Number.isInteger(count) && Number(count) >= 1;
}
