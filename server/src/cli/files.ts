/** Where a run reads: the disk, or a revision of a repository. */
import type { FileHost } from "../analysis/settings.ts";
import { diskFiles, readBytes } from "../files.ts";
import type { NotRead } from "../syntax/file-text.ts";

/** Which revision: plain data, so that a process of its own can open it. */
export interface Revision {
  /** Of the repository. */
  readonly root: string;
  readonly commit: string;
}

/** Functions are properties of its own: hosts are spread into others. */
export interface Host extends FileHost {
  /** Absent for the disk. */
  readonly revision?: Revision;
}

export interface Files extends Host {
  /** The bytes of a file; why it is not read; undefined where there is none. */
  bytes(file: string): Buffer | NotRead | undefined;
}

/** Files of which all are known. */
export interface ListedFiles extends Files {
  /** Absolute, in order. */
  readonly paths: readonly string[];
  /** Reads many at once, where that is cheaper. */
  prepare?(files: readonly string[]): void;
}

export const disk: Files = { ...diskFiles, bytes: readBytes };
