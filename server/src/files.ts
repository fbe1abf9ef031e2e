/**
 * All that is read of a project from disk is read here: regular files of a bounded size, and folders of a bounded length. Links are
 * followed, and what they lead to is looked at. Nothing that may block or never end is opened: no device, no pipe, no socket, nothing
 * of the kernel's.
 */
import {
  closeSync,
  constants,
  type Dirent,
  existsSync,
  fstatSync,
  opendirSync,
  openSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import type { FileHost } from "./analysis/settings.ts";
import { isSource } from "./analysis/source-names.ts";
import { type FileText, NotRead } from "./syntax/file-text.ts";

const megabyte = 2 ** 20;
/** Bytes: larger than any source a person wrote. */
const largestSource = 8 * megabyte;
/** Bytes of a compilation database, which a build system writes: some 100,000 entries. */
const largestDatabase = 32 * megabyte;
/** Entries of a folder in which files of a program are looked for. */
const longestFolder = 10_000;
/** What the kernel makes up as it is read: of no length, or without an end. */
const kernelFiles = /^\/(?:proc|sys)\//;
const repositories = [".git", ".hg", ".svn"];

/**
 * The bytes of a file; why it is not read; undefined where there is none. Never throws.
 * @param most bytes that are read
 */
export function readBytes(file: string, most = mostOf(file)): Buffer | NotRead | undefined {
  let descriptor: number | undefined;
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    const reason = kernelFiles.test(realpathSync.native(file)) ? "it is the kernel's, not a file" : refusal(found, most);
    if (reason !== undefined) return new NotRead(reason);
    // It may have become something else by now: opening must not wait, and what was opened is looked at again.
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0));
    const opened = fstatSync(descriptor);
    const changed = refusal(opened, most);
    return changed === undefined ? bytesOf(descriptor, opened.size) : new NotRead(changed);
  } catch (error) {
    return failure(error);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** The text of a file: UTF-8. Never throws. @param most bytes that are read */
export function readText(file: string, most?: number): FileText {
  const bytes = readBytes(file, most);
  if (bytes === undefined || bytes instanceof NotRead) return bytes;
  return bytes.includes(0) ? new NotRead("it is not UTF-8 text") : bytes.toString("utf8");
}

/** What stands in a folder, by name; why it is not listed. Never throws. */
export function entriesOf(folder: string, most: number): Dirent[] | NotRead {
  try {
    const opened = opendirSync(folder, { bufferSize: 256 });
    try {
      const entries: Dirent[] = [];
      for (let entry = opened.readSync(); entry; entry = opened.readSync()) {
        if (entries.length === most) return new NotRead(`it has more than ${most.toLocaleString("en")} entries`);
        entries.push(entry);
      }
      return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    } finally {
      opened.closeSync();
    }
  } catch (error) {
    return failure(error) ?? new NotRead("it is not there");
  }
}

/** Whether a path is that of a folder; undefined where there is nothing. Never throws. */
export function isFolder(file: string): boolean | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })?.isDirectory();
  } catch (error) {
    return failure(error) && false;
  }
}

/** For the desktop's server, its worker and the command line. */
export const diskFiles: FileHost = {
  read: readText,
  list(folder) {
    const entries = entriesOf(folder, longestFolder);
    return entries instanceof NotRead ? [] : entries.flatMap((entry) => (!entry.isDirectory() && isSource(entry.name) ? [entry.name] : []));
  },
  realPath(file) {
    try {
      return slashes(realpathSync.native(file));
    } catch {
      return undefined;
    }
  },
  repository: repositoryOf,
};

/** Where a path leads, `/` separated: its links followed as far as there is something, whether or not there is all of it. */
export function leadsTo(file: string): string {
  const above = path.dirname(file);
  return diskFiles.realPath?.(file) ?? (above === file ? slashes(file) : path.posix.join(leadsTo(above), path.basename(file)));
}

/** The folder of the repository that a file belongs to. The home folder is none, nor what stands above it. */
export function repositoryOf(file: string): string | undefined {
  for (let folder = path.dirname(file); !isHomeOrAbove(folder); folder = path.dirname(folder))
    if (repositories.some((name) => existsSync(path.join(folder, name)))) return slashes(folder);
  return undefined;
}

/** Whether a folder is the user's home, or one in which that stands: much is in it that is of no project. */
export function isHomeOrAbove(folder: string): boolean {
  const up = path.relative(path.resolve(folder), homedir());
  return folder === path.dirname(folder) || (!up.startsWith("..") && !path.isAbsolute(up));
}

export const slashes = (file: string): string => file.replaceAll(path.sep, "/");

function bytesOf(descriptor: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const read = readSync(descriptor, bytes, length, size - length, null);
    if (read === 0) break;
    length += read;
  }
  return bytes.subarray(0, length);
}

function refusal(found: Stats, most: number): string | undefined {
  if (found.isDirectory()) return "it is a folder";
  if (found.isFIFO()) return "it is a pipe, not a file";
  if (found.isSocket()) return "it is a socket, not a file";
  if (!found.isFile()) return "it is a device, not a file";
  return largerThan(most, found.size)?.reason;
}

const mostOf = (file: string): number => (path.basename(file) === "compile_commands.json" ? largestDatabase : largestSource);

/** Why a file of so many bytes is not read; undefined where it is. */
export const largerThanRead = (file: string, size: number): NotRead | undefined => largerThan(mostOf(file), size);

function largerThan(most: number, size: number): NotRead | undefined {
  if (size <= most) return undefined;
  return new NotRead(`it has ${Math.ceil((10 * size) / megabyte) / 10} MB; WarpLens reads up to ${most / megabyte} MB`);
}

/** Undefined where nothing is there, or nothing can be of that name. */
function failure(error: unknown): NotRead | undefined {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ERR_INVALID_ARG_VALUE", "EINVAL"].includes(code)) return undefined;
  if (code === "ELOOP") return new NotRead("its links lead in a circle");
  if (code === "EACCES" || code === "EPERM") return new NotRead("it may not be read by you");
  return new NotRead(`the system says ${code || "that it cannot be"}`);
}
