/** Which files a command is about, and their texts. */
import path from "node:path";
import { entriesOf, isFolder, readBytes, slashes } from "../files.ts";
import { suggest } from "../rules/suggest.ts";
import { NotRead } from "../syntax/file-text.ts";
import type { Files, ListedFiles } from "./files.ts";
import { isNamed, notNamed, shownName } from "./git/names.ts";
import { includedFiles } from "./inclusions.ts";
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
  /** It was searched for, and others that were found include it: their launches are those of its kernels, too. */
  readonly isIncluded?: true;
  /** Why what is named is not read: all that is known of it, `text` is empty. */
  readonly unread?: string;
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
 * The files that paths stand for, each once: files as named, folders searched for CUDA sources. What cannot be read is among them, and
 * says why; a UsageError where nothing else is.
 * @param note told of what is left out, and why: headers that cannot be read, folders without sources
 * @param kept what is made of an input: nothing where it is left out, which it notes
 */
export function collectInputs(
  paths: readonly string[],
  cwd: string,
  note: (message: string) => void,
  kept: (input: Input, note: (message: string) => void) => readonly Input[] = (input) => [input],
): Input[] {
  const found = new Map<string, Input>();
  for (const given of paths) {
    if (given === "") throw new UsageError("a path is empty");
    const absolute = path.resolve(cwd, given);
    const unread = (file: string, reason: string): void => {
      if (!found.has(file)) found.set(file, unreadInput(file, cwd, reason));
    };
    const searched = isFolder(absolute);
    if (searched === undefined) unread(absolute, `there is no ${given}${nearby(absolute, given)}`);
    const files = searched ? sourcesIn(absolute, given, unread) : searched === undefined ? [] : [absolute];
    for (const file of files) {
      const input = read(file, cwd, !searched);
      // A header of another name may be anything.
      if (typeof input !== "string") {
        if (input && (!searched || !found.has(file))) found.set(file, searched ? { ...input, folder: slashes(absolute) } : input);
      } else if (!searched || cuda.test(file)) unread(file, input);
      else note(`${input}; it is left out`);
    }
    if (searched && files.length === 0) note(`${given}: no CUDA sources`);
  }
  const inputs = [...found.values()].flatMap((input) => kept(input, note));
  const reasons = inputs.flatMap(({ unread }) => unread ?? []);
  // The others lose nothing by it, where there are any.
  if (reasons.length > 0 && reasons.length === inputs.length) throw new UsageError([...new Set(reasons)].join("\n"));
  return withInclusions(inputs);
}

/** What is named itself is wanted for itself. */
function withInclusions(inputs: readonly Input[]): Input[] {
  const included = includedFiles(inputs);
  return inputs.map((input) => (input.folder !== undefined && included.has(input.path) ? { ...input, isIncluded: true } : input));
}

const unreadInput = (file: string, cwd: string, unread: string): Input => ({
  path: slashes(file),
  name: shownName(nameOfPath(cwd)(file)),
  text: "",
  bom: "",
  exact: false,
  unread,
});

/**
 * Links are not followed: what they lead to is found where it is.
 * @param given the folder as the user names it
 * @param unread told of what cannot be searched, or is no file
 */
function sourcesIn(root: string, given: string, unread: (file: string, reason: string) => void): string[] {
  const found: string[] = [];
  let left = mostEntries;
  const search = (folder: string, depth: number): void => {
    const entries = depth > deepest ? new NotRead(`folders are nested deeper than ${deepest}`) : entriesOf(folder, mostEntries);
    if (entries instanceof NotRead) {
      unread(folder, `${path.join(given, path.relative(root, folder))} cannot be searched: ${entries.reason}`);
      return;
    }
    left -= entries.length;
    for (const entry of left < 0 ? [] : entries) {
      const full = path.join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!skipped.has(entry.name)) search(full, depth + 1);
      } else if (entry.isFile()) {
        if (mayHoldKernels(entry.name)) found.push(full);
      } else if (!entry.isSymbolicLink() && cuda.test(entry.name))
        unread(full, `${path.join(given, path.relative(root, full))} is not read: it is no file`);
    }
  };
  search(root, 0);
  if (left >= 0) return found;
  unread(root, `${given} holds more than ${mostEntries.toLocaleString("en")} files: name folders in it`);
  return [];
}

/**
 * Of files that are all known those that paths stand for; none for a path that is not among them. What cannot be read is among them, and
 * says why: headers, too, see `withoutDoubtful`.
 * @param at the revision, as it is shown; absent for the disk
 * @param renamed what a file is called where the paths are: it is found by that
 */
export function listedInputs(
  files: ListedFiles,
  paths: readonly string[],
  cwd: string,
  at?: string,
  renamed: (file: string) => string = (file) => file,
): Input[] {
  const wanted = paths.map((given) => slashes(path.resolve(cwd, given)));
  const found = files.paths.flatMap((file): { file: string; folder: string | undefined }[] => {
    const place = renamed(file);
    const named = wanted.includes(place);
    const searched = wanted.find((folder) => place.startsWith(`${folder}/`));
    const below = searched === undefined ? [] : place.slice(searched.length + 1).split("/");
    if (named) return [{ file, folder: undefined }];
    return searched !== undefined && mayHoldKernels(place) && !below.some((name) => skipped.has(name)) ? [{ file, folder: searched }] : [];
  });
  files.prepare?.(found.map(({ file }) => file));
  const inputs = found.flatMap(({ file, folder }): Input[] => {
    const bytes = isNamed(file) ? files.bytes(file) : notNamed;
    if (bytes === undefined) return [];
    const reason = refusal(bytes);
    const input =
      bytes instanceof NotRead || reason !== undefined
        ? unreadInput(file, cwd, `${shownName(nameOfPath(cwd)(file))} is not read${at === undefined ? "" : ` at ${at}`}: ${reason}`)
        : inputOf(file, bytes, cwd, folder === undefined);
    return input ? [folder === undefined ? input : { ...input, folder }] : [];
  });
  return withInclusions(inputs);
}

/**
 * Without headers that were found and cannot be read, and that are no sources where they can: those may be anything, and are told.
 * @param isSource whether a path is that of a source on the side that it is compared with
 */
export function withoutDoubtful(inputs: readonly Input[], isSource: (path: string) => boolean, note: (message: string) => void): Input[] {
  return inputs.filter(({ path, folder, unread }) => {
    if (unread === undefined || folder === undefined || cuda.test(path) || isSource(path)) return true;
    note(`${unread}; it is left out`);
    return false;
  });
}

/** A file that sources include; undefined when it cannot be read any more. */
export function readIncluded(file: string, cwd: string, files: Pick<Files, "bytes">): Input | undefined {
  const content = files.bytes(file);
  return content instanceof Buffer ? inputOf(file, content, cwd, true) : undefined;
}

/** Or why it is not read; undefined where it is no matter. */
function read(file: string, cwd: string, named: boolean): Input | string | undefined {
  const bytes = readBytes(file) ?? new NotRead("it is not there");
  const reason = refusal(bytes);
  if (bytes instanceof NotRead || reason !== undefined) return `${nameOfPath(cwd)(file)} is not read: ${reason}`;
  return inputOf(file, bytes, cwd, named);
}

const refusal = (bytes: Buffer | NotRead): string | undefined =>
  bytes instanceof NotRead ? bytes.reason : bytes.includes(0) ? "it is not UTF-8 text" : undefined;

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
