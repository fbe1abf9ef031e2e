/** The `warplens.json` that holds for a folder: the nearest one above it. */
import path from "node:path";
import { readBuildFile } from "../analysis/reach.ts";
import type { FileHost } from "../analysis/settings.ts";
import { diskFiles, slashes } from "../files.ts";
import { type ProjectFile, readProjectFile } from "../lint/project-file.ts";
import { NotRead } from "../syntax/file-text.ts";
import { UsageError } from "./io.ts";

export interface ProjectFolder {
  /** The folder of `warplens.json`. */
  readonly root: string;
  readonly file: ProjectFile;
}

export class ProjectFolders {
  readonly #cwd: string;
  readonly #files: FileHost;
  readonly #known = new Map<string, ProjectFolder | UsageError>();

  /** @param cwd what paths in messages are relative to */
  constructor(cwd: string, files: FileHost = diskFiles) {
    this.#cwd = cwd;
    this.#files = files;
  }

  /** Throws a UsageError that says where the file is wrong. */
  of(folder: string): ProjectFolder {
    const found = this.#known.get(folder) ?? this.#find(folder);
    this.#known.set(folder, found);
    if (found instanceof UsageError) throw found;
    return found;
  }

  #find(folder: string): ProjectFolder | UsageError {
    const file = path.join(folder, "warplens.json");
    const parent = path.dirname(folder);
    const text = readBuildFile(slashes(file), this.#files);
    if (text instanceof NotRead) return new UsageError(`${this.#nameOf(file)} is not read: ${text.reason}`);
    if (text === undefined) return parent === folder ? { root: folder, file: {} } : this.of(parent);
    const { file: content, problems } = readProjectFile(text);
    const name = this.#nameOf(file);
    if (problems.length === 0) return { root: folder, file: content };
    return new UsageError(problems.map(({ line, column, message }) => `${name}:${line}:${column}: ${message}`).join("\n"));
  }

  #nameOf(file: string): string {
    return path.relative(this.#cwd, file) || file;
  }
}
