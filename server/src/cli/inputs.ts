/** Which files a command is about, and their texts. */
import path from "node:path";
import { entriesOf, isFolder, readBytes, slashes } from "../files.ts";
import { suggest } from "../rules/suggest.ts";
import { NotRead } from "../syntax/file-text.ts";
import type { Files, ListedFiles } from "./files.ts";
import { UsageError } from "./io.ts";
import { nameOfPath } from "./names.ts";

export interface Input {
  /** Absolute, `/` separated. */
  readonly path: string;
  /** As it is shown: relative to the working directory where it lies below it. */
  readonly name: string;
  /** Without a byte order mark. */
  readonly text: string;
  /** The byte order mark, or "". */
  readonly bom: string;
  /** The text is all that the file holds: false where bytes were not UTF-8. */
  readonly exact: boolean;
  /** The folder that was searched for it, absolute, `/` separated; absent for a file that is named itself. */
  readonly folder?: string;
}

const cuda = /\.(cu|cuh)$/i;
const maybe = /\.(h|hh|hpp|hxx|inl|cpp|cc|cxx)$/i;
const deviceCode = /\b__(global|device|shared|constant)__\b|<<</;
const skipped = new Set(["node_modules", ".git", ".hg", ".svn"]);
/** Folders within folders, and entries of all folders together, that are searched for sources. */
const deepest = 64;
const mostEntries = 1_000_000;
/** Names beside a missing file among which the one meant is looked for. */
const mostBeside = 1_000;

/**
 * The files that paths stand for, each once: files as named, folders searched for CUDA sources.
 * @param note told of what is left out and why
 * @param unread told of a file that is named and not read, and why; else that is a UsageError
 */
export function collectInputs(
  paths: readonly string[],
  cwd: string,
  note: (message: string) => void,
  unread: (message: string) => void = (message) => {
    throw new UsageError(message);
  },
): Input[] {
  const found = new Map<string, Input>();
  for (const given of paths) {
    const absolute = path.resolve(cwd, given);
    const searched = isFolder(absolute);
    if (searched === undefined) throw new UsageError(`there is no ${given}${nearby(absolute, given)}`);
    const files = searched ? sourcesIn(absolute, given, note) : [absolute];
    for (const file of files) {
      const input = read(file, cwd, !searched, searched ? (message) => note(`${message}; it is left out`) : unread);
      if (input) found.set(file, searched ? { ...input, folder: slashes(absolute) } : input);
    }
    if (searched && files.length === 0) note(`${given}: no CUDA sources`);
  }
  return [...found.values()];
}

/**
 * Links are not followed: what they lead to is found where it is. Throws a UsageError where there is too much to search.
 * @param given the folder as the user names it
 */
function sourcesIn(root: string, given: string, note: (message: string) => void): string[] {
  const found: string[] = [];
  let left = mostEntries;
  const search = (folder: string, depth: number): void => {
    const entries = depth > deepest ? new NotRead(`folders are nested deeper than ${deepest}`) : entriesOf(folder, mostEntries);
    if (entries instanceof NotRead) {
      const shown = path.join(given, path.relative(root, folder));
      if (folder === root) throw new UsageError(`${shown} cannot be searched: ${entries.reason}`);
      note(`${shown} is not searched: ${entries.reason}; it is left out`);
      return;
    }
    left -= entries.length;
    if (left < 0) throw new UsageError(`${given} holds more than ${mostEntries.toLocaleString("en")} files: name folders in it`);
    for (const entry of entries) {
      const full = path.join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!skipped.has(entry.name)) search(full, depth + 1);
      } else if (entry.isFile() && mayHoldKernels(entry.name)) found.push(full);
    }
  };
  search(root, 0);
  return found;
}

/** Of files that are all known those that paths stand for; none for a path that is not among them. */
export function listedInputs(files: ListedFiles, paths: readonly string[], cwd: string): Input[] {
  const wanted = paths.map((given) => slashes(path.resolve(cwd, given)));
  const found = files.paths.flatMap((file): { file: string; folder: string | undefined }[] => {
    const named = wanted.includes(file);
    const searched = wanted.find((folder) => file.startsWith(`${folder}/`));
    const below = searched === undefined ? [] : file.slice(searched.length + 1).split("/");
    if (named) return [{ file, folder: undefined }];
    return searched !== undefined && mayHoldKernels(file) && !below.some((name) => skipped.has(name)) ? [{ file, folder: searched }] : [];
  });
  files.prepare?.(found.map(({ file }) => file));
  return found.flatMap(({ file, folder }) => {
    const bytes = files.bytes(file);
    const input = bytes instanceof Buffer && !bytes.includes(0) ? inputOf(file, bytes, cwd, folder === undefined) : undefined;
    return input ? [folder === undefined ? input : { ...input, folder }] : [];
  });
}

/** A file that sources include; undefined when it cannot be read any more. */
export function readIncluded(file: string, cwd: string, files: Pick<Files, "bytes">): Input | undefined {
  const content = files.bytes(file);
  return content instanceof Buffer ? inputOf(file, content, cwd, true) : undefined;
}

function read(file: string, cwd: string, named: boolean, unread: (message: string) => void): Input | undefined {
  const bytes = readBytes(file) ?? new NotRead("it is not there");
  const reason = bytes instanceof NotRead ? bytes.reason : bytes.includes(0) ? "it is not UTF-8 text" : undefined;
  if (bytes instanceof NotRead || reason !== undefined) {
    unread(`${nameOfPath(cwd)(file)} is not read: ${reason}`);
    return undefined;
  }
  return inputOf(file, bytes, cwd, named);
}

/** A named file is read whatever it is called; a found one only if it holds device code. */
function inputOf(file: string, bytes: Buffer, cwd: string, named: boolean): Input | undefined {
  const text = bytes.toString("utf8");
  if (!named && maybe.test(file) && !deviceCode.test(text)) return undefined;
  const exact = Buffer.from(text).equals(bytes);
  const bom = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  return { path: slashes(file), name: nameOfPath(cwd)(file), text: text.slice(bom.length), bom, exact };
}

const mayHoldKernels = (name: string): boolean => cuda.test(name) || maybe.test(name);

function nearby(absolute: string, given: string): string {
  const beside = entriesOf(path.dirname(absolute), mostBeside);
  if (beside instanceof NotRead) return "";
  const near = suggest(
    path.basename(absolute),
    beside.map(({ name }) => name),
  );
  return near === undefined ? "" : `; did you mean ${path.join(path.dirname(given), near)}?`;
}
