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
  readonly #known = new Map<string, ProjectFolder>();

  /** @param cwd what paths in messages are relative to */
  constructor(cwd: string, files: FileHost = diskFiles) {
    this.#cwd = cwd;
    this.#files = files;
  }

  /** Throws a UsageError that says where the file is wrong. */
  of(folder: string): ProjectFolder {
    const known = this.#known.get(folder);
    if (known) return known;
    const file = path.join(folder, "warplens.json");
    const parent = path.dirname(folder);
    let project: ProjectFolder;
    const text = readBuildFile(slashes(file), this.#files);
    if (text instanceof NotRead) throw new UsageError(`${this.#nameOf(file)} is not read: ${text.reason}`);
    if (text !== undefined) project = { root: folder, file: this.#read(file, text) };
    else project = parent === folder ? { root: folder, file: {} } : this.of(parent);
    this.#known.set(folder, project);
    return project;
  }

  #read(file: string, text: string): ProjectFile {
    const { file: content, problems } = readProjectFile(text);
    const name = this.#nameOf(file);
    if (problems.length > 0)
      throw new UsageError(problems.map(({ line, column, message }) => `${name}:${line}:${column}: ${message}`).join("\n"));
    return content;
  }

  #nameOf(file: string): string {
    return path.relative(this.#cwd, file) || file;
  }
}
