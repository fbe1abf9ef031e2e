/**
 * All files that the command line writes for its user: whole or not at all. What was there stays until all of the new text is on disk
 * beside it, so that a full disk, or a limit on the size of files, costs nobody a source.
 */
import { randomBytes } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { UsageError } from "./io.ts";

/** Permissions, less what the user's mask takes away. */
const newFile = 0o666;
const permissions = 0o7777;
const sameOwner = -1;

/**
 * Writes a file, or throws and leaves what was there. A link stays, and what it leads to is written; nothing but a regular file is
 * replaced, and none that may not be written.
 */
export function writeWhole(file: string, text: string): void {
  const target = lstatSync(file, { throwIfNoEntry: false }) ? realpathSync.native(file) : file;
  const before = statSync(target, { throwIfNoEntry: false });
  if (before && !before.isFile())
    throw new Error(before.isDirectory() ? "it is a folder" : "it is a pipe, a socket or a device, not a file");
  if (before) accessSync(target, constants.W_OK);
  // A name of its own length might be too long.
  const unfinished = path.join(path.dirname(target), `.warplens-${randomBytes(8).toString("hex")}.tmp`);
  const descriptor = opened(unfinished);
  try {
    try {
      if (before) takeOver(before, descriptor);
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(unfinished, target);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/** What goes wrong here is the folder's fault: nobody knows the name. */
function opened(unfinished: string): number {
  try {
    return openSync(unfinished, "wx", newFile);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    const folder = path.dirname(unfinished);
    if (code === "ENOENT") throw new Error(`there is no folder ${folder}`);
    if (code === "EACCES" || code === "EPERM") throw new Error(`you may make no files in ${folder}`);
    throw error;
  }
}

/** The same for a file that an option or `warplens.json` names. Throws a UsageError. */
export function writeNamed(name: string, file: string, text: string): void {
  try {
    writeWhole(file, text);
  } catch (error) {
    throw new UsageError(`${name} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Owner and group, where the user may give files away, and permissions, which a change of the owner may take away. */
function takeOver({ uid, gid, mode }: Stats, descriptor: number): void {
  const made = fstatSync(descriptor);
  if (made.uid !== uid || made.gid !== gid)
    try {
      fchownSync(descriptor, uid, gid);
    } catch {
      keepGroup(gid, descriptor);
    }
  fchmodSync(descriptor, mode & permissions);
}

/** The file is the user's then, as what an editor saves is, and the others of its group may still write it. */
function keepGroup(gid: number, descriptor: number): void {
  try {
    fchownSync(descriptor, sameOwner, gid);
  } catch {
    // The user is not in it.
  }
}
