/**
 * git, asked what revisions hold. Nothing is checked out, no shell is between, no name is taken for an option, and of what the
 * repository's settings would have git run (monitors, hooks, filters, drivers) nothing runs.
 */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { UsageError } from "../io.ts";
import { nameOf } from "./names.ts";

export interface TreeEntry {
  /** `file`, `link` (its content is where it leads), or `module`: another repository, whose files are not in this one. */
  readonly kind: "file" | "link" | "module";
  readonly object: string;
  /** Bytes; 0 of a module, and of what is not here. */
  readonly size: number;
}

/** A file that has another name at the later revision. */
export interface Rename {
  /** Relative to the root. */
  readonly from: string;
  readonly to: string;
}

/** Nothing is fetched either: an object that a partial clone lacks is one that is not here, wherever its settings would have it asked for. */
const here = { GIT_ALLOW_PROTOCOL: "none", GIT_NO_LAZY_FETCH: "1" };
const quiet = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-pager", "--literal-pathspecs"];
/** Bytes of one answer. */
const longestAnswer = 2 ** 30;
/** Objects at which git ends that are asked around: each takes it two starts. */
const mostBroken = 1_000;
const kinds: Readonly<Record<string, TreeEntry["kind"]>> = {
  "100644": "file",
  "100755": "file",
  "100664": "file",
  "120000": "link",
  "160000": "module",
};

export class Repository {
  /** Absolute, `/` separated. */
  readonly root: string;

  private constructor(root: string) {
    this.root = root.replaceAll(path.sep, "/");
  }

  /** The repository whose work tree a folder is in. Throws a UsageError where it is in none, or there is no git. */
  static of(folder: string): Repository {
    const { status, out, error } = git(folder, ["rev-parse", "--is-inside-work-tree", "--show-cdup"]);
    if (status !== 0)
      throw new UsageError(error.includes("not a git repository") ? "this folder is in no git repository" : `git: ${error}`);
    const [isInside, up = ""] = out.toString().split("\n");
    if (isInside !== "true")
      throw new UsageError("this folder is in no work tree (a bare repository has none): revisions are compared from within one");
    return new Repository(path.resolve(folder, up));
  }

  /** The commit that a name stands for. Throws a UsageError where there is none. */
  commit(name: string): string {
    // No revision begins with a hyphen; git would take it for an option.
    const found = /^-|\0/.test(name) ? undefined : git(this.root, ["rev-parse", "--verify", "--quiet", `${name}^{commit}`]);
    if (found?.status === null) throw new UsageError(`git rev-parse: ${found.error}`);
    const commit = found?.out.toString().trim() ?? "";
    if (found?.status !== 0 || !/^[0-9a-f]{40,64}$/.test(commit)) throw new UsageError(`there is no revision \`${name}\``);
    return commit;
  }

  /** Where two lines of commits part. Throws a UsageError where they never met. */
  mergeBase(one: string, other: string): string {
    const { status, out, error } = git(this.root, ["merge-base", one, other]);
    if (status === null) throw new UsageError(`git merge-base: ${error}`);
    if (status !== 0) throw new UsageError("the revisions have no common ancestor here: a shallow clone lacks it");
    return out.toString().trim();
  }

  /** The first digits of a commit, as many as tell it from others. */
  short(commit: string): string {
    return this.#ask(["rev-parse", "--short", commit]).toString().trim();
  }

  /** All files of a commit, by path relative to the root. */
  tree(commit: string): Map<string, TreeEntry> {
    const entries = new Map<string, TreeEntry>();
    for (const line of parts(this.#ask(["ls-tree", "-r", "-l", "-z", "--full-tree", commit]))) {
      const [, mode = "", object = "", size = "", file = ""] = /^(\d+) \w+ ([0-9a-f]+) +(\d+|-|BAD)\t(.*)$/s.exec(line) ?? [];
      const kind = kinds[mode];
      if (kind) entries.set(file, { kind, object, size: Number(size) || 0 });
    }
    return entries;
  }

  /**
   * What objects hold, in the order asked; undefined for those that are not here, or not whole. At such a one git may end, and is asked
   * for those behind it again.
   */
  contents(objects: readonly string[]): (Buffer | undefined)[] {
    const found: (Buffer | undefined)[] = [];
    for (let broken = 0; found.length < objects.length && broken < mostBroken; ) {
      const asked = objects.slice(found.length);
      const whole = blobsIn(git(this.root, ["cat-file", "--batch"], `${asked.join("\n")}\n`).out, asked.length);
      for (const blob of whole) found.push(blob);
      if (whole.length === 0) broken = found.push(undefined) && broken + 1;
    }
    return objects.map((_, index) => found[index]);
  }

  /** The files that have another name in `to`, or in the index where there is none. */
  renames(from: string, to: string | undefined): Rename[] {
    const options = ["-M", "-z", "--name-status", "--diff-filter=R"];
    const compared =
      to === undefined ? ["diff-index", "--cached", ...options, from, "--"] : ["diff-tree", "-r", ...options, from, to, "--"];
    const fields = parts(this.#ask(compared));
    return fields.flatMap((field, index) => {
      const [was, is] = [fields[index + 1], fields[index + 2]];
      return index % 3 === 0 && field.startsWith("R") && was !== undefined && is !== undefined ? [{ from: was, to: is }] : [];
    });
  }

  /** The files of the working tree that git knows or would add, relative to the root, in order. */
  workingFiles(): string[] {
    return [...new Set(parts(this.#ask(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])))].sort();
  }

  /** Those of them that git leaves alone in the working tree, where they may be missing: those outside of a sparse checkout. */
  sparse(): string[] {
    return parts(this.#ask(["ls-files", "-z", "-t", "--cached"])).flatMap((line) => (line.startsWith("S ") ? line.slice(2) : []));
  }

  /** Other repositories in the working tree, submodules and those that only stand there: folders, relative to the root. */
  others(): string[] {
    const modules = parts(this.#ask(["ls-files", "-z", "--stage"])).flatMap((line) => /^160000 [^\t]*\t(.*)$/s.exec(line)?.[1] ?? []);
    return [...modules, ...parts(this.#ask(["ls-files", "-z", "--others", "--exclude-standard"])).filter((name) => name.endsWith("/"))];
  }

  /** What the working tree holds that git is told to ignore: files, and folders (with a `/`), relative to the root. */
  ignored(): string[] {
    return parts(this.#ask(["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"]));
  }

  #ask(args: readonly string[], input?: string): Buffer {
    const { status, out, error } = git(this.root, args, input);
    if (status !== 0) throw new UsageError(`git ${args[0]}: ${error}`);
    return out;
  }
}

interface Ran {
  readonly status: number | null;
  readonly out: Buffer;
  /** Why it has failed, in one line. */
  readonly error: string;
}

function git(cwd: string, args: readonly string[], input = ""): Ran {
  const env = { ...process.env, GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0", LC_ALL: "C", ...here };
  const { status, signal, stdout, stderr, error } = spawnSync("git", [...quiet, ...args], { cwd, env, input, maxBuffer: longestAnswer });
  if (error && "code" in error && error.code === "ENOENT") throw new UsageError("git is not installed, or not on PATH");
  const reason = error?.message ?? (signal === null ? reasonIn(stderr.toString()) : `it was ended by ${signal}`);
  return { status, out: stdout ?? Buffer.alloc(0), error: reason };
}

/** What follows what went wrong is advice. */
function reasonIn(said: string): string {
  const lines = said.trim().split("\n");
  return lines.find((line) => line.startsWith("fatal: "))?.slice("fatal: ".length) ?? lines.at(-1) ?? "";
}

/** What an answer about so many objects holds, up to where it ends too early. */
function blobsIn(out: Buffer, count: number): (Buffer | undefined)[] {
  const blobs: (Buffer | undefined)[] = [];
  for (let at = 0; blobs.length < count; ) {
    const end = out.indexOf(0x0a, at);
    const [, kind, size] = out.toString("utf8", at, Math.max(at, end)).split(" ");
    const next = end + 1 + (kind === "blob" ? Number(size) + 1 : 0);
    if (end < 0 || next > out.length) break;
    blobs.push(kind === "blob" ? out.subarray(end + 1, next - 1) : undefined);
    at = next;
  }
  return blobs;
}

/** What a list with zeros between holds. */
function parts(out: Buffer): string[] {
  const found: string[] = [];
  for (let at = 0; at < out.length; ) {
    const zero = out.indexOf(0, at);
    const end = zero < 0 ? out.length : zero;
    if (end > at) found.push(nameOf(out.subarray(at, end)));
    at = end + 1;
  }
  return found;
}
