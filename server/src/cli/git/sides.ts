/** The two states of a repository that are compared. */
import { existsSync, lstatSync } from "node:fs";
import { disk, type ListedFiles } from "../files.ts";
import { UsageError } from "../io.ts";
import type { Repository } from "./repository.ts";
import { RevisionFiles } from "./revision-files.ts";

export interface Side {
  /** As it is shown. */
  readonly name: string;
  readonly files: ListedFiles;
  /** Absent for the working tree. */
  readonly commit?: string;
  /** Files that a sparse checkout leaves out of the working tree, absolute: neither there nor gone. */
  readonly sparse?: ReadonlySet<string>;
}

/**
 * What `REV1`, `REV1 REV2`, `REV1..REV2` and `REV1...REV2` stand for, as git has it: without a second one the working tree, with
 * three dots from where the two part. Throws a UsageError.
 */
export function sidesNamed(names: readonly string[], repository: Repository): { readonly before: Side; readonly after: Side } {
  const [first = "", second, ...more] = names;
  const dots = /\.{2,3}/.exec(first)?.[0];
  const [from, to] = dots === undefined ? [] : [first.slice(0, first.indexOf(dots)), first.slice(first.indexOf(dots) + dots.length)];
  if (first === "" || more.length > 0 || (dots !== undefined && second !== undefined))
    throw new UsageError("diff needs one or two revisions: warplens diff main, warplens diff main...HEAD; paths stand behind --");
  if (dots === undefined)
    return { before: side(repository, first), after: second === undefined ? workingTree(repository) : side(repository, second) };
  const [one, other] = [from || "HEAD", to || "HEAD"];
  if (dots === "..") return { before: side(repository, one), after: side(repository, other) };
  return {
    before: side(repository, repository.mergeBase(repository.commit(one), repository.commit(other))),
    after: side(repository, other),
  };
}

function side(repository: Repository, name: string): Side {
  const commit = repository.commit(name);
  const short = repository.short(commit);
  const isHash = commit.startsWith(name);
  return { name: isHash ? short : `${name} (${short})`, commit, files: new RevisionFiles({ root: repository.root, commit }) };
}

const workingTree = (repository: Repository): Side => ({
  name: "working tree",
  files: { ...disk, paths: filesIn(repository) },
  sparse: sparseIn(repository),
});

/** What somebody has put there, all the same, or told git to leave as it is, is there. */
function sparseIn(repository: Repository): ReadonlySet<string> {
  const files = repository.sparse().map((name) => `${repository.root}/${name}`);
  return new Set(files.filter((file) => !existsSync(file)));
}

/** Without links, and what lies behind them, which git may know by an older name: a revision has no such files, and no search finds any. */
function filesIn(repository: Repository): string[] {
  const folders = new Map<string, boolean>([["", true]]);
  const isFolder = (name: string): boolean => {
    const known = folders.get(name);
    if (known !== undefined) return known;
    const is = isFolder(name.slice(0, Math.max(0, name.lastIndexOf("/")))) && kindOf(`${repository.root}/${name}`) === "folder";
    folders.set(name, is);
    return is;
  };
  return repository.workingFiles().flatMap((name) => {
    const file = `${repository.root}/${name}`;
    return isFolder(name.slice(0, Math.max(0, name.lastIndexOf("/")))) && kindOf(file) === "other" ? [file] : [];
  });
}

/** Undefined of links. What cannot be looked at is for whoever reads it. */
function kindOf(file: string): "folder" | "other" | undefined {
  try {
    const found = lstatSync(file, { throwIfNoEntry: false });
    return found?.isSymbolicLink() ? undefined : found?.isDirectory() ? "folder" : "other";
  } catch {
    return "other";
  }
}

/** A path of before as it is afterwards. */
export function renaming(repository: Repository, before: Side, after: Side): (path: string) => string {
  if (before.commit === undefined) return (path) => path;
  const renamed = new Map<string, string>();
  for (const { from, to } of repository.renames(before.commit, after.commit))
    renamed.set(`${repository.root}/${from}`, `${repository.root}/${to}`);
  return (path) => renamed.get(path) ?? path;
}
