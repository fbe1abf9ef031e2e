/**
 * What the database knows of files: from texts to items and their meaning. Keys are paths, or units: a path with what decides how
 * it is read.
 */
import { Cancelled } from "@warplens/sim-engine";
import type { FunctionDeclaration } from "../../syntax/ast.ts";
import { currentParser } from "../../syntax/current-parser.ts";
import { type FileText, sameText } from "../../syntax/file-text.ts";
import { FileParser, type ParsedFile, read } from "../../syntax/index.ts";
import type { Item } from "../../syntax/item.ts";
import type { Parser } from "../../syntax/parser/parser.ts";
import { directoryOf, join } from "../../syntax/preprocess/paths.ts";
import type { Preprocessed } from "../../syntax/reading.ts";
import { stage } from "../../trace.ts";
import { type CompileOptions, compileOptions } from "../compile-commands.ts";
import { headerFolder, withHeaders } from "../headers/index.ts";
import { type Reach, reachOf } from "../reach.ts";
import { bindUnit, type Semantics } from "../sema/index.ts";
import type { AnalysisSettings, FileHost } from "../settings.ts";
import { type ToldCode, toldCode } from "../told-code.ts";
import { type Database, type InputKind, type Query, sameMembers } from "./database.ts";
import { headWords, Mentions } from "./mentions.ts";

/** A file as it is read: the path, and what of the settings decides what is read. Equal units are equal texts. */
export type UnitKey = string;

type ReadSettings = Required<Pick<AnalysisSettings, "computeCapability" | "defines" | "includeDirs" | "roots" | "code">>;

export const unitKey = (path: string, { computeCapability, defines, includeDirs, roots = [], code = {} }: AnalysisSettings): UnitKey =>
  JSON.stringify([path, computeCapability, defines, includeDirs, roots, code]);

const partsOf = (key: UnitKey): ReadSettings & { readonly path: string } => {
  const [path, computeCapability, defines, includeDirs, roots, code] = JSON.parse(key) as [
    string,
    number,
    ReadSettings["defines"],
    readonly string[],
    readonly string[],
    ReadSettings["code"],
  ];
  return { path, computeCapability, defines, includeDirs, roots, code };
};

const sameOptions = ({ files: before, ...options }: CompileOptions, { files: after, ...others }: CompileOptions): boolean =>
  sameMembers(before, after) && JSON.stringify(options) === JSON.stringify(others);

/** What a file's newest version is parsed from. */
interface Parsed {
  readonly parser: FileParser;
  readonly file: ParsedFile;
}

/** Types and names already worked out, and the items they hold for. */
interface Meaning {
  readonly semantics: Semantics;
  items: readonly Item[];
}

/** What there is to ask of files; `disk` gives those that are not open. */
export class FileQueries {
  /** The text of a file: as it is open, else as it is on disk. */
  readonly source: InputKind<string, FileText>;
  /** The names in a folder. */
  readonly folder: InputKind<string, readonly string[]>;
  /** Where links lead, and the folder of a file's repository. */
  readonly realPath: InputKind<string, string | undefined>;
  readonly repository: InputKind<string, string | undefined>;
  /** Counts the times that settling a unit gave another version of it than there was. */
  readonly #settlings: InputKind<UnitKey, number> = { name: "settlings", initial: () => 0 };
  readonly #disk: FileHost;
  readonly #parser: Parser | undefined;
  readonly #units = new WeakMap<Item, UnitKey>();

  constructor(disk: FileHost, parser?: Parser) {
    this.#parser = parser;
    this.source = { name: "source", initial: (path) => disk.read(path), equal: sameText };
    this.folder = { name: "folder", initial: (path) => disk.list?.(path) ?? [], equal: sameMembers };
    this.realPath = { name: "real path", initial: (path) => disk.realPath?.(path) };
    this.repository = { name: "repository", initial: (path) => disk.repository?.(path) };
    this.#disk = disk;
  }

  /** Files, for those who read them while they compute. */
  host(db: Database): FileHost {
    return {
      read: (path) => db.get(this.source, path),
      ...(this.#disk.list && { list: (folder: string) => db.get(this.folder, folder) }),
      ...(this.#disk.realPath && { realPath: (path: string) => db.get(this.realPath, path) }),
      ...(this.#disk.repository && { repository: (path: string) => db.get(this.repository, path) }),
    };
  }

  /** How a file is compiled, as its project says. */
  readonly compiled: Query<string, CompileOptions> = {
    name: "compile options",
    compute: (db, path) => compileOptions(path, this.host(db)),
    equal: sameOptions,
  };

  /** How a unit's kernels are compiled. */
  readonly code: Query<UnitKey, ToldCode> = {
    name: "code options",
    compute: (db, key) => {
      const settings = partsOf(key);
      return toldCode(db.get(this.compiled, settings.path), settings);
    },
    equal: (before, after) => JSON.stringify(before) === JSON.stringify(after),
  };

  /** Which files may be read for a unit. */
  readonly reach: Query<UnitKey, Reach> = {
    name: "reach",
    compute: (db, key) => {
      const { path, includeDirs, roots } = partsOf(key);
      return reachOf(path, roots, [...includeDirs, ...db.get(this.compiled, path).includeDirs], this.host(db));
    },
  };

  readonly preprocessed: Query<UnitKey, Preprocessed> = {
    name: "preprocess",
    compute: (db, key, before) => {
      const { path, computeCapability, defines, includeDirs } = partsOf(key);
      const compiled = db.get(this.compiled, path);
      const reach = db.get(this.reach, key);
      const host = this.host(db);
      const options = {
        computeCapability,
        defines: [...compiled.defines, ...defines],
        includeDirs: [
          ...[...includeDirs, ...compiled.includeDirs].filter((folder) => !isToolkit(folder, host)),
          ...headerFolders(path).filter((folder) => !reach.refusal(`${folder}/any.h`)),
          headerFolder,
        ],
      };
      const text = db.get(this.source, path);
      const reachable = withHeaders(reach.within(host));
      return stage("preprocess", () => read(path, typeof text === "string" ? text : "", reachable, options, before));
    },
  };

  /** Parsed from the version before: see `FileParser`. */
  readonly parsed: Query<UnitKey, Parsed> = {
    name: "parse",
    compute: (db, key, before) => {
      const parser = before?.parser ?? new FileParser(this.#parser ?? currentParser());
      const { work } = db;
      db.get(this.#settlings, key);
      const file = parser.parse(db.get(this.preprocessed, key), () => work.isCancelled);
      if (!file) throw new Cancelled();
      return { parser, file };
    },
  };

  /** Has a unit be as it would be if no other text of it had been seen: see `FileParser.settle`. Throws `Cancelled`. */
  settle(db: Database, key: UnitKey): void {
    const { work } = db;
    const { parser } = db.get(this.parsed, key);
    const isAnother = parser.settle(() => work.isCancelled);
    if (isAnother === undefined) throw new Cancelled();
    if (isAnother) db.set(this.#settlings, key, db.get(this.#settlings, key) + 1);
  }

  /** The declarations, wherever they stand: the same where nothing but blanks, comments and places changed. */
  readonly items: Query<UnitKey, readonly Item[]> = {
    name: "items",
    compute: (db, key) => {
      const items = db.get(this.parsed, key).file.placed.map(({ item }) => item);
      for (const item of items) this.#units.set(item, key);
      return items;
    },
    equal: sameMembers,
  };

  /**
   * What names and types mean. The same object goes on while only bodies of functions are exchanged: it is a memory of answers
   * already given, and whoever uses it depends on the items it asks about (`heads`), not on it.
   */
  readonly meaning: Query<UnitKey, Meaning> = {
    name: "bind",
    compute: (db, key, before) => {
      const items = db.get(this.items, key);
      const exchanged = before && exchangedBodies(before.items, items);
      if (before && exchanged && before.semantics.exchangeBodies(exchanged)) {
        before.items = items;
        return before;
      }
      const { unit } = db.peek(this.parsed, key).file;
      return { semantics: stage("bind", () => bindUnit(unit)), items };
    },
  };

  /** What each item tells the others: equal while only bodies change that are nobody else's matter. */
  readonly heads: Query<UnitKey, readonly object[]> = {
    name: "heads",
    compute: (db, key) => db.get(this.items, key).map(headOf),
    equal: sameMembers,
  };

  readonly #mentions: Query<UnitKey, Mentions> = {
    name: "mentions",
    compute: (db, key) => {
      db.get(this.heads, key);
      return new Mentions(db.peek(this.items, key));
    },
  };

  /** What an item's meaning rests on besides itself: the heads of what it mentions, and of what they mention; all, where they are many. */
  readonly foundation: Query<Item, readonly object[]> = {
    name: "foundation",
    compute: (db, item) => {
      const unit = this.unitOf(item);
      return db.get(this.#mentions, unit).reach(item, wordsOfHead)?.map(headOf) ?? [db.get(this.heads, unit)];
    },
    equal: sameMembers,
  };

  /** What the code made of an item rests on: all that it mentions, bodies too; all there is, where they are many. */
  readonly bodies: Query<Item, readonly Item[]> = {
    name: "bodies",
    compute: (db, item) => {
      const unit = this.unitOf(item);
      return db.get(this.#bodyMentions, unit).reach(item, ({ words }) => words) ?? db.get(this.items, unit);
    },
    equal: sameMembers,
  };

  readonly #bodyMentions: Query<UnitKey, Mentions> = {
    name: "body mentions",
    compute: (db, key) => new Mentions(db.get(this.items, key)),
  };

  /** All that is kept of a unit. */
  get ofUnits(): readonly Query<UnitKey, unknown>[] {
    const queries = [this.preprocessed, this.parsed, this.items, this.meaning, this.heads, this.#mentions, this.#bodyMentions];
    return queries as Query<UnitKey, unknown>[];
  }

  /** The unit an item stands in. */
  unitOf(item: Item): UnitKey {
    const key = this.#units.get(item);
    if (key === undefined) throw new Error("an item of no unit");
    return key;
  }
}

/** Functions with other bodies; undefined where more than that differs. */
function exchangedBodies(before: readonly Item[], after: readonly Item[]): FunctionDeclaration[] | undefined {
  if (before.length !== after.length) return undefined;
  const exchanged: FunctionDeclaration[] = [];
  for (const [index, item] of after.entries()) {
    if (item === before[index]) continue;
    const [declaration] = item.declarations;
    if (declaration?.kind !== "function" || declaration !== before[index]?.declarations[0]) return undefined;
    exchanged.push(declaration);
  }
  return exchanged;
}

/** Bodies no longer than this may be worth a constant to others. */
const shortBody = 8;

/** A function's declaration, which is the same object while its head stays, where its body is its own matter; else the item. */
function headOf(item: Item): object {
  const [only, ...others] = item.declarations;
  if (only?.kind !== "function" || others.length > 0 || !only.body) return item;
  const { constexpr, global } = only.specifiers;
  return constexpr || mentionsAuto(only) || (!global && only.body.body.length <= shortBody) ? item : only;
}

const wordsOfHead = (item: Item): ReadonlySet<string> => (headOf(item) === item ? item.words : headWords(item));

const mentionsAuto = ({ result }: FunctionDeclaration): boolean => {
  let type = result;
  while (type.kind === "pointer" || type.kind === "reference") type = type.to;
  return type.kind === "auto" || type.kind === "decltype";
};

/**
 * Whether a folder has the CUDA toolkit's headers. They are no part of a program: what they declare the analysis knows, and their code
 * is written for nvcc's own functions.
 */
const isToolkit = (folder: string, host: FileHost): boolean => typeof host.read(join(folder, "cuda_runtime_api.h")) === "string";

/** Where projects keep the headers of a source, looked into when nothing says which folders it is compiled with. */
function headerFolders(path: string): string[] {
  const folder = directoryOf(path);
  const above = directoryOf(folder);
  return [join(folder, "inc"), join(folder, "include"), above, join(above, "inc"), join(above, "include"), join(above, "common")];
}
