/**
 * The files of a revision, where they would be if it were checked out: what is read below the repository's root is read from the
 * commit. From the disk comes what no revision holds: what lies outside, what git ignores (a build's folder, with its compilation
 * database and generated headers), and what is in other repositories below this one.
 */
import path from "node:path";
import { isSource } from "../../analysis/source-names.ts";
import { diskFiles, largerThanRead, readBytes } from "../../files.ts";
import { type FileText, NotRead } from "../../syntax/file-text.ts";
import type { ListedFiles, Revision } from "../files.ts";
import { Repository, type TreeEntry } from "./repository.ts";

/** Bytes of files that are read ahead, and how many of them. */
const smallFile = 2 ** 18;
const mostAhead = 256;
/** Links on the way to a file. */
const mostLinks = 40;

export class RevisionFiles implements ListedFiles {
  readonly revision: Revision;
  readonly #repository: Repository;
  readonly #tree: ReadonlyMap<string, TreeEntry>;
  /** Names by folder, relative to the root and "" itself. */
  readonly #folders = new Map<string, string[]>();
  /** Ignored files, and folders of which all is the disk's, without the `/` behind. */
  readonly #onDisk: ReadonlySet<string>;
  readonly #known = new Map<string, Buffer | NotRead>();

  constructor(revision: Revision) {
    this.revision = revision;
    this.#repository = Repository.of(revision.root);
    this.#tree = this.#repository.tree(revision.commit);
    const modules = [...this.#tree].filter(([, { kind }]) => kind === "module").map(([file]) => file);
    const ignored = this.#repository.ignored().map((name) => name.replace(/\/$/, ""));
    this.#onDisk = new Set([...modules, ...ignored.filter((name) => !this.#tree.has(name))]);
    for (const file of [...this.#tree.keys(), ...this.#onDisk]) this.#folder(folderOf(file)).push(path.posix.basename(file));
    for (const names of this.#folders.values()) names.sort();
  }

  /** The revision's own files, absolute, in order. */
  get paths(): string[] {
    const files = [...this.#tree].filter(([, { kind }]) => kind === "file").map(([file]) => file);
    return files.sort((a, b) => (a < b ? -1 : 1)).map((file) => `${this.#repository.root}/${file}`);
  }

  /** Reads many at once. */
  prepare(files: readonly string[]): void {
    const wanted = files.flatMap((file) => {
      const entry = this.#tree.get(this.#relative(file) ?? "");
      return entry?.kind === "file" && !largerThanRead(file, entry.size) && !this.#known.has(entry.object) ? [entry.object] : [];
    });
    const contents = this.#repository.contents(wanted);
    for (const [index, object] of wanted.entries()) this.#known.set(object, contents[index] ?? new NotRead("git does not have it here"));
  }

  bytes(file: string): Buffer | NotRead | undefined {
    const name = this.#relative(file);
    if (name === undefined) return readBytes(file);
    const place = this.#place(name);
    if (place === undefined) return undefined;
    if (place.onDisk) return readBytes(`${this.#repository.root}/${place.name}`);
    const entry = this.#tree.get(place.name);
    if (!entry) return this.#folders.has(place.name) ? new NotRead("it is a folder") : undefined;
    const refusal = largerThanRead(file, entry.size);
    if (refusal) return refusal;
    if (!this.#known.has(entry.object)) this.prepare(this.#likelyWith(place.name));
    return this.#known.get(entry.object);
  }

  // Hosts are spread into others, so these are properties of its own.
  readonly read = (file: string): FileText => {
    const bytes = this.bytes(file);
    if (bytes === undefined || bytes instanceof NotRead) return bytes;
    return bytes.includes(0) ? new NotRead("it is not UTF-8 text") : bytes.toString("utf8");
  };

  readonly list = (folder: string): readonly string[] => {
    const name = this.#relative(folder);
    const place = name === undefined ? undefined : this.#place(name);
    if (name === undefined || place?.onDisk) return diskFiles.list?.(folder) ?? [];
    return place ? (this.#folders.get(place.name) ?? []).filter(isSource) : [];
  };

  readonly realPath = (file: string): string | undefined => {
    const name = this.#relative(file);
    if (name === undefined) return diskFiles.realPath?.(file);
    const place = this.#place(name);
    if (!place) return undefined;
    const real = place.name === "" ? this.#repository.root : `${this.#repository.root}/${place.name}`;
    if (place.onDisk) return diskFiles.realPath?.(real);
    return this.#tree.has(place.name) || this.#folders.has(place.name) ? real : undefined;
  };

  readonly repository = (file: string): string | undefined =>
    this.#relative(file) === undefined ? diskFiles.repository?.(file) : this.#repository.root;

  /** A file and those beside it that are read as likely: asking git takes longer than reading. */
  #likelyWith(name: string): string[] {
    const folder = folderOf(name);
    const alike = (this.#folders.get(folder) ?? []).filter((each) => path.posix.extname(each) === path.posix.extname(name));
    const beside = alike
      .map((each) => (folder === "" ? each : `${folder}/${each}`))
      .filter((each) => (this.#tree.get(each)?.size ?? 0) <= smallFile);
    return [...new Set([name, ...beside.slice(0, mostAhead)])].map((each) => `${this.#repository.root}/${each}`);
  }

  /** The names in a folder, which is there from now on with those above it. */
  #folder(name: string): string[] {
    const known = this.#folders.get(name);
    if (known) return known;
    const names: string[] = [];
    this.#folders.set(name, names);
    if (name !== "") this.#folder(folderOf(name));
    return names;
  }

  #relative(file: string): string | undefined {
    const { root } = this.#repository;
    if (file === root) return "";
    return file.startsWith(`${root}/`) ? file.slice(root.length + 1) : undefined;
  }

  /** Where a name leads, its links followed; undefined where they lead out of the repository, or in a circle. */
  #place(name: string): { readonly name: string; readonly onDisk: boolean } | undefined {
    let links = 0;
    let done = "";
    let rest = name.split("/");
    while (rest.length > 0) {
      const next = done === "" ? (rest[0] ?? "") : `${done}/${rest[0]}`;
      rest = rest.slice(1);
      if (this.#onDisk.has(next)) return { name: [next, ...rest].join("/"), onDisk: true };
      const entry = this.#tree.get(next);
      if (entry?.kind !== "link") {
        done = next;
        continue;
      }
      const [target] = this.#repository.contents([entry.object]);
      const leads = path.posix.join(folderOf(next), target?.toString("utf8") ?? "");
      if (target === undefined || path.posix.isAbsolute(target.toString("utf8")) || leads.startsWith("..") || ++links > mostLinks)
        return undefined;
      rest = [...leads.split("/").filter((part) => part !== "" && part !== "."), ...rest];
      done = "";
    }
    return { name: done, onDisk: false };
  }
}

const folderOf = (file: string): string => (file.includes("/") ? path.posix.dirname(file) : "");
