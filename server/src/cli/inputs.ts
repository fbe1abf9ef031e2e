/** Which files a command is about, and their texts. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { suggest } from "../rules/suggest.ts";
import { UsageError } from "./io.ts";

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
}

const cuda = /\.(cu|cuh)$/i;
const maybe = /\.(h|hh|hpp|hxx|inl|cpp|cc|cxx)$/i;
const deviceCode = /\b__(global|device|shared|constant)__\b|<<</;
const skipped = new Set(["node_modules", ".git", ".hg", ".svn"]);
const largest = 32 * 2 ** 20;

/**
 * The files that paths stand for, each once: files as named, folders searched for CUDA sources.
 * @param note told of what is left out and why
 */
export function collectInputs(paths: readonly string[], cwd: string, note: (message: string) => void): Input[] {
  const found = new Map<string, Input>();
  for (const given of paths) {
    const absolute = path.resolve(cwd, given);
    const status = statSync(absolute, { throwIfNoEntry: false });
    if (!status) throw new UsageError(`there is no ${given}${nearby(absolute, given)}`);
    const files = status.isDirectory() ? [...sourcesIn(absolute)] : [absolute];
    for (const file of files) {
      const input = read(file, cwd, !status.isDirectory(), note);
      if (input) found.set(file, input);
    }
    if (status.isDirectory() && files.length === 0) note(`${given}: no CUDA sources`);
  }
  return [...found.values()];
}

function* sourcesIn(folder: string): Generator<string> {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!skipped.has(entry.name)) yield* sourcesIn(full);
    } else if (entry.isFile() && (cuda.test(entry.name) || maybe.test(entry.name))) yield full;
  }
}

/** A file that sources include; undefined when it cannot be read any more. */
export function readIncluded(file: string, cwd: string): Input | undefined {
  try {
    return read(file, cwd, true, () => undefined);
  } catch {
    return undefined;
  }
}

/** A named file is read whatever it is called; a found one only if it holds device code. */
function read(file: string, cwd: string, named: boolean, note: (message: string) => void): Input | undefined {
  const relative = path.relative(cwd, file);
  const shown = (relative.startsWith("..") ? file : relative).replaceAll(path.sep, "/");
  let bytes: Buffer;
  try {
    if (statSync(file).size > largest) {
      note(`${shown}: larger than 32 MB, left out`);
      return undefined;
    }
    bytes = readFileSync(file);
  } catch (error) {
    const message = `${shown} cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    if (named) throw new UsageError(message);
    note(message);
    return undefined;
  }
  if (bytes.includes(0)) {
    const message = `${shown} is not a text file`;
    if (named) throw new UsageError(message);
    note(`${message}, left out`);
    return undefined;
  }
  const text = bytes.toString("utf8");
  if (!named && maybe.test(file) && !deviceCode.test(text)) return undefined;
  const exact = Buffer.from(text).equals(bytes);
  const bom = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  return { path: file.replaceAll(path.sep, "/"), name: shown, text: text.slice(bom.length), bom, exact };
}

function nearby(absolute: string, given: string): string {
  try {
    const near = suggest(path.basename(absolute), readdirSync(path.dirname(absolute)));
    return near === undefined ? "" : `; did you mean ${path.join(path.dirname(given), near)}?`;
  } catch {
    return "";
  }
}
