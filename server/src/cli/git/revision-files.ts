/**
 * The files of a revision, where they would be if it were checked out: what is read below the repository's root is read from the
 * commit. From the disk comes what no revision holds: what lies outside, what git ignores (a build's folder, with its compilation
 * database and generated headers), and what is in other repositories below this one. Links are followed as those of a checkout would be,
 * also out of it: `realPath` tells where they lead, as the disk's does, and whoever reads for a program looks at that.
 */
import path from "node:path";
import { isSource } from "../../analysis/source-names.ts";
import { diskFiles, largerThanRead, readBytes } from "../../files.ts";
import { type FileText, NotRead } from "../../syntax/file-text.ts";
import type { ListedFiles, Revision } from "../files.ts";
import { isIn } from "../names.ts";
import { isNamed, lost, notNamed } from "./names.ts";
import { Repository, type TreeEntry } from "./repository.ts";

/** Bytes of files that are read ahead, and how many of them. */
const smallFile = 2 ** 18;
const mostAhead = 256;
/** Links on the way to a file. */
const mostLinks = 40;
/** Bytes of a path, the zero at its end left out: no system makes a link to more. */
const longestPath = 4095;

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
    this.#readAhead(files.flatMap((file) => this.#relative(file) ?? []));
  }

  bytes(file: string): Buffer | NotRead | undefined {
    const name = this.#relative(file);
    const place = name === undefined ? { onDisk: file } : this.#place(name);
    if (place instanceof NotRead) return place;
    if ("onDisk" in place) return readBytes(place.onDisk);
    const entry = this.#tree.get(place.inTree);
    if (!entry) return this.#folders.has(place.inTree) ? new NotRead("it is a folder") : undefined;
    if (!isNamed(place.inTree)) return notNamed;
    return largerThanRead(file, entry.size) ?? this.#content(entry.object, this.#likelyWith(place.inTree));
  }

  // Hosts are spread into others, so these are properties of its own.
  readonly read = (file: string): FileText => {
    const bytes = this.bytes(file);
    if (bytes === undefined || bytes instanceof NotRead) return bytes;
    return bytes.includes(0) ? new NotRead("it is not UTF-8 text") : bytes.toString("utf8");
  };

  readonly list = (folder: string): readonly string[] => {
    const name = this.#relative(folder);
    const place = name === undefined ? { onDisk: folder } : this.#place(name);
    if (place instanceof NotRead) return [];
    return "onDisk" in place ? (diskFiles.list?.(place.onDisk) ?? []) : (this.#folders.get(place.inTree) ?? []).filter(isSource);
  };

  readonly realPath = (file: string): string | undefined => {
    const name = this.#relative(file);
    const place = name === undefined ? { onDisk: file } : this.#place(name);
    if (place instanceof NotRead) return undefined;
    if ("onDisk" in place) return diskFiles.realPath?.(place.onDisk);
    const real = place.inTree === "" ? this.#repository.root : `${this.#repository.root}/${place.inTree}`;
    return this.#tree.has(place.inTree) || this.#folders.has(place.inTree) ? real : undefined;
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
    return [name, ...beside.slice(0, mostAhead)];
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

  /**
   * Where a name leads, its links followed as the disk's are. It ends at the first part that is not there: nothing is below that,
   * and a path without end costs no more than what there is of it.
   */
  #place(name: string): Place {
    let links = 0;
    let done = "";
    /** What is left, the next part last. */
    let left = partsOf(name).reverse();
    for (let part = left.pop(); part !== undefined; part = left.pop()) {
      if (part === "..") {
        if (done !== "") {
          done = folderOf(done);
          continue;
        }
        const above = path.posix.join(this.#repository.root, "..", ...left.reverse());
        const back = this.#within(above);
        if (back === undefined) return { onDisk: above };
        left = partsOf(back).reverse();
        continue;
      }
      const next = done === "" ? part : `${done}/${part}`;
      if (this.#onDisk.has(next)) return { onDisk: [this.#repository.root, next, ...left.reverse()].join("/") };
      const entry = this.#tree.get(next);
      if (entry?.kind !== "link") {
        const isThere = entry ? left.length === 0 : this.#folders.has(next);
        if (!isThere) return { inTree: [next, ...left.reverse()].join("/") };
        done = next;
        continue;
      }
      if (entry.size > longestPath) return new NotRead("it is a link to more than a path may have");
      const target = this.#content(entry.object, [next]);
      if (target instanceof NotRead) return target;
      if (++links > mostLinks) return new NotRead("its links lead in a circle");
      const leads = target.toString("utf8");
      if (!path.posix.isAbsolute(leads)) {
        left.push(...partsOf(leads).reverse());
        continue;
      }
      const back = this.#within(leads);
      if (back === undefined) return { onDisk: path.posix.join(leads, ...left.reverse()) };
      left.push(...partsOf(back).reverse());
      done = "";
    }
    return { inTree: done };
  }

  /** Where an absolute path is in the repository, by its name or its real one; undefined where it is not. */
  #within(file: string): string | undefined {
    const { root } = this.#repository;
    const real = diskFiles.realPath?.(root) ?? root;
    return this.#relative(file) ?? this.#relative(isIn(real, file) ? `${root}${file.slice(real.length)}` : file);
  }

  /** @param likely files that are read with it */
  #content(object: string, likely: readonly string[]): Buffer | NotRead {
    if (!this.#known.has(object)) this.#readAhead(likely);
    return this.#known.get(object) ?? lost;
  }

  #readAhead(names: readonly string[]): void {
    const wanted = new Set(
      names.flatMap((name) => {
        const entry = this.#tree.get(name);
        return entry && entry.kind !== "module" && !largerThanRead(name, entry.size) && !this.#known.has(entry.object) ? entry.object : [];
      }),
    );
    const contents = this.#repository.contents([...wanted]);
    for (const [index, object] of [...wanted].entries()) this.#known.set(object, contents[index] ?? lost);
  }
}

/** In the revision, relative to the root; or on the disk, absolute. */
type Place = { readonly inTree: string } | { readonly onDisk: string } | NotRead;

const partsOf = (name: string): string[] => name.split("/").filter((part) => part !== "" && part !== ".");

const folderOf = (file: string): string => (file.includes("/") ? path.posix.dirname(file) : "");
