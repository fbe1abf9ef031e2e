/**
 * The programs of a workspace: files as they are, open or on disk, and all that is known of them. Whoever holds one tells it what
 * changes, and asks it for programs.
 */

import type { Work } from "@warplens/sim-engine";
import type { FunctionDeclaration } from "../syntax/ast.ts";
import { forgetTree } from "../syntax/current-parser.ts";
import type { Parser } from "../syntax/parser/parser.ts";
import type { PlacedReading } from "../syntax/placed-reading.ts";
import type { Reading } from "../syntax/reading.ts";
import { stage } from "../trace.ts";
import { Database, type InputKind, type Query, sameMembers } from "./database/database.ts";
import { FileQueries, type UnitKey, unitKey } from "./database/queries.ts";
import type { KernelFact, LaunchFact, Program } from "./facts.ts";
import { leadingFunctions } from "./host/launches/launch-sites.ts";
import { writtenParameters } from "./host/launches/written-parameters.ts";
import { type HostUnit, hostUnit } from "./host/program/unit.ts";
import { usesAmong } from "./host/program/written-variables.ts";
import { type HostLaunches, hostLaunches } from "./host-launches.ts";
import { type FileFacts, launchFacts, resolveLaunch } from "./launch-facts.ts";
import type { RunCommand } from "./makefile.ts";
import { placeMark } from "./places-in-words.ts";
import { ProgramLinker, type ProgramUnit } from "./program-linker.ts";
import { lastName } from "./sema/scope.ts";
import type { AnalysisSettings, DeviceProperties, FileHost } from "./settings.ts";
import { UserDirectives } from "./user-directives.ts";

/** Characters, headers included, of a file that is read only for what it tells of another. */
const longestReading = 600_000;

const unset: AnalysisSettings = { computeCapability: 90, defines: [], includeDirs: [], launches: [], assume: [], argv: [] };

const sameJson = (before: unknown, after: unknown): boolean => JSON.stringify(before) === JSON.stringify(after);

interface Effective {
  readonly settings: AnalysisSettings;
  /** Where the settings' `argv` comes from, where the user does not say it. */
  readonly run?: RunCommand;
}

const pathOf = (unit: UnitKey): string => (JSON.parse(unit) as [string])[0];

/** A file's launches, and what is known now for what they ask later. */
interface Evaluated {
  readonly launches: HostLaunches;
  /** Set by whoever makes facts of the launches. */
  readonly now: { facts: FileFacts | undefined };
}

export class ProgramDatabase {
  readonly db = new Database();
  readonly files: FileQueries;
  readonly #disk: FileHost;
  readonly #open = new Set<string>();

  /**
   * @param disk files that are not open
   * @param parser without, the process' own
   */
  constructor(disk: FileHost, parser?: Parser) {
    this.#disk = disk;
    this.files = new FileQueries(disk, parser);
  }

  // ---------------------------------------------------------------- what it is told

  /** The text of an open file, which goes before what is on disk. */
  setText(path: string, text: string): void {
    this.#open.add(path);
    this.db.set(this.files.source, path, text);
  }

  close(path: string): void {
    this.#open.delete(path);
    this.db.set(this.files.source, path, this.#disk.read(path));
  }

  configure(path: string, { device, ...settings }: AnalysisSettings): void {
    this.db.set(this.#settings, path, settings);
    this.db.set(this.#device, path, device);
  }

  /** Files on disk have changed: these, or any. */
  filesChanged(paths: readonly string[] = this.db.keys(this.files.source)): void {
    for (const path of paths) if (!this.#open.has(path)) this.db.set(this.files.source, path, this.#disk.read(path));
    for (const path of this.db.keys(this.files.realPath)) this.db.set(this.files.realPath, path, this.#disk.realPath?.(path));
    for (const folder of this.db.keys(this.files.folder)) this.db.set(this.files.folder, folder, this.#disk.list?.(folder) ?? []);
  }

  /**
   * Forgets what was made of other files' texts than these, and than those that launches of these were found in: trees, types,
   * launches.
   */
  keepOnly(paths: ReadonlySet<string>): void {
    const { db, files } = this;
    const units = [...paths].flatMap((path) => [...db.restsOn(this.#evaluated, path, files.parsed)]);
    const kept = new Set([...paths, ...units.map(pathOf)]);
    for (const query of files.ofUnits) this.#forget(query, (unit) => pathOf(unit), kept);
    for (const query of [this.#hostCode, this.#hostUnit, this.#programUnit])
      this.#forget(query as Query<string, unknown>, (key) => pathOf((JSON.parse(key) as [UnitKey])[0]), kept);
    for (const query of [this.#evaluated, this.#inputs]) this.#forget(query as Query<string, unknown>, (path) => path, paths);
    for (const path of db.keys(files.source)) if (!kept.has(path) && !this.#open.has(path)) forgetTree(path);
  }

  #forget(query: Query<string, unknown>, pathOfKey: (key: string) => string, kept: ReadonlySet<string>): void {
    for (const key of this.db.keys(query)) if (!kept.has(pathOfKey(key))) this.db.forget(query, key);
  }

  // ---------------------------------------------------------------- what it is asked

  /** Everything the rules, the editor and the engine need to know of a file as it is now. Good until something is told. */
  program(path: string): Program {
    const { db, files } = this;
    const unit = this.#unitOf(path);
    const { reading, unit: tree } = db.get(files.parsed, unit).file;
    const { semantics } = db.get(files.meaning, unit);
    const { settings, run } = db.get(this.#effective, path);
    const kernels = kernelFacts(semantics.functions, reading);
    const directives = new UserDirectives(reading, settings);
    const evaluated = this.#evaluated;
    let launches: readonly LaunchFact[] | undefined;
    const facts = (): readonly LaunchFact[] => {
      if (launches) return launches;
      const { launches: host, now } = db.get(this.#evaluated, path);
      const { own } = this.#ownUnit(path);
      now.facts = { own, launches: host, settings, kernels, directives, ...(run ? { run } : {}) };
      launches = stage("launches", () => launchFacts(now.facts as FileFacts));
      return launches;
    };
    return {
      path,
      reading,
      unit: tree,
      items: db.get(files.items, unit),
      semantics,
      kernels,
      db,
      files,
      wordsFor: (of, start) => this.#line(settings, of, start, reading, path),
      isOfProject: (file) => db.get(files.reach, unit).isOfProject(file, files.host(db)),
      buildProblems: db.get(files.compiled, path).problems,
      code: db.get(files.code, unit).options,
      get launches() {
        return facts();
      },
      get hostFaults() {
        return db.get(evaluated, path).launches.faults;
      },
      get device() {
        return db.get(evaluated, path).launches.device;
      },
      get problems() {
        facts();
        return directives.problems;
      },
    };
  }

  /** Whether a file, and what its launches rest on, is as it would be if no other texts had been seen. */
  isSettled(path: string): boolean {
    return this.#unitsBehind(path).every((unit) => this.db.last(this.files.parsed, unit)?.parser.isSettled !== false);
  }

  /** Has them be so: see `FileParser.settle`. Throws `Cancelled`. */
  settle(path: string): void {
    for (const unit of this.#unitsBehind(path)) this.files.settle(this.db, unit);
  }

  /** The files whose texts what is known of a file rests on: its own, headers, and those that its launches were found in. */
  textsBehind(path: string): ReadonlySet<string> {
    const { db, files } = this;
    return new Set([...db.restsOn(files.parsed, this.#unitOf(path), files.source), ...db.restsOn(this.#evaluated, path, files.source)]);
  }

  #unitsBehind(path: string): readonly UnitKey[] {
    return [...new Set([this.#unitOf(path), ...this.db.restsOn(this.#evaluated, path, this.files.parsed)])];
  }

  /** Edits of a file are awaited: what the first would take longer for than others is done now, when nobody waits. */
  prepareForEdits(path: string): void {
    const { db, files } = this;
    db.last(files.parsed, this.#unitOf(path))?.parser.keepTree(() => db.work.isCancelled);
  }

  /** The same within a budget, for what may take long. Throws `Cancelled`. */
  within<T>(work: Work, ask: () => T): T {
    return this.db.within(work, ask);
  }

  readonly #settings: InputKind<string, Omit<AnalysisSettings, "device">> = { name: "settings", initial: () => unset, equal: sameJson };
  readonly #device: InputKind<string, DeviceProperties | undefined> = { name: "device", initial: () => undefined, equal: sameJson };

  /** The settings with the arguments that the program's own makefile gives it. */
  readonly #effective: Query<string, Effective> = {
    name: "settings",
    compute: (db, path) => {
      const given = db.get(this.#settings, path);
      const { run } = db.get(this.files.compiled, path);
      const device = this.#device;
      const taken = given.argv.length === 0 && run !== undefined && run.argv.length > 0 ? run : undefined;
      return {
        // Who asks for the device depends on it, and nobody else.
        settings: {
          ...given,
          ...(taken ? { argv: taken.argv } : {}),
          get device() {
            return db.get(device, path);
          },
        } as AnalysisSettings,
        ...(taken ? { run: taken } : {}),
      };
    },
  };

  #unitOf(path: string): UnitKey {
    return unitKey(path, this.db.get(this.#settings, path));
  }

  /** What the host code of a unit rests on: bodies of functions for the device count only where they lead to launches. */
  readonly #hostCode: Query<string, readonly unknown[]> = {
    name: "host code",
    compute: (db, key) => {
      const [unit, launching] = JSON.parse(key) as [UnitKey, readonly string[]];
      const items = db.get(this.files.items, unit);
      const { semantics } = db.get(this.files.meaning, unit);
      const { reading } = db.peek(this.files.parsed, unit).file;
      const ownerOf = (fn: FunctionDeclaration) => semantics.context.scopes.records.get(fn)?.name?.parts.at(-1)?.text;
      const textOf = (start: number, end: number) => reading.textOf(start, end);
      const all = items.flatMap((item) => item.declarations);
      const variables = all.filter((each) => each.kind === "variable" && (each.specifiers.device || each.specifiers.managed));
      const names = new Set(
        [...variables, ...(variables.length > 0 ? semantics.functions : [])].flatMap((each) =>
          each.kind === "variable" || each.kind === "function" ? [lastName(each.name)] : [],
        ),
      );
      const leading = leadingFunctions(semantics.functions, textOf, ownerOf, new Set(launching));
      return items.flatMap((item): unknown[] => {
        const [only, ...others] = item.declarations;
        if (only?.kind !== "function" || others.length > 0 || !only.body || leading.has(only)) return [item];
        const { global, device, host } = only.specifiers;
        if (!global && (!device || host)) return [item];
        const stored = names.size > 0 ? [usesAmong(only, names)] : [];
        return global ? [only, [...writtenParameters(only)].join(), ...stored] : [only, ...stored];
      });
    },
    equal: sameMembers,
  };

  readonly #hostUnit: Query<string, HostUnit> = {
    name: "host unit",
    compute: (db, key) => {
      db.get(this.#hostCode, key);
      const [unit, launching] = JSON.parse(key) as [UnitKey, readonly string[]];
      const { semantics } = db.get(this.files.meaning, unit);
      const { unit: tree, reading } = db.peek(this.files.parsed, unit).file;
      return stage("host unit", () => hostUnit(tree, semantics, reading, new Set(launching)));
    },
  };

  /** A unit for evaluating and lowering; where things stand in it is looked up when it is asked for. */
  readonly #programUnit: Query<string, ProgramUnit> = {
    name: "program unit",
    compute: (db, key) => {
      const [unit] = JSON.parse(key) as [UnitKey];
      const [path] = JSON.parse(unit) as [string];
      const { files } = this;
      return {
        ...db.get(this.#hostUnit, key),
        path,
        code: db.get(files.code, unit),
        get reading() {
          return db.peek(files.parsed, unit).file.reading;
        },
        whereIs: ({ start }) => placeMark(path, start),
        bodiesBehind: (kernel) => this.#bodiesBehind(unit, kernel),
      };
    },
  };

  #bodiesBehind(unit: UnitKey, kernel: FunctionDeclaration): readonly object[] {
    const { db, files } = this;
    const item = db.peek(files.parsed, unit).file.reading.itemAt(kernel.start);
    return item ? [item, ...db.peek(files.bodies, item)] : db.peek(files.items, unit);
  }

  readonly #inputs: Query<string, readonly (readonly [string, number])[]> = {
    name: "inputs",
    compute: (db, path) => {
      const { reading } = db.get(this.files.parsed, this.#unitOf(path)).file;
      return [...new UserDirectives(reading, db.get(this.#settings, path)).inputs];
    },
    equal: sameJson,
  };

  #ownUnit(path: string): { readonly own: ProgramUnit; readonly key: string } {
    const key = JSON.stringify([this.#unitOf(path), []]);
    return { own: this.db.get(this.#programUnit, key), key };
  }

  readonly #evaluated: Query<string, Evaluated> = {
    name: "host evaluation",
    compute: (db, path) => {
      const { settings } = db.get(this.#effective, path);
      const { own } = this.#ownUnit(path);
      const host = db.get(this.files.reach, this.#unitOf(path)).within(this.files.host(db));
      const load = (other: string, _text: string, launching: ReadonlySet<string>): ProgramUnit | undefined => {
        const unit = unitKey(other, settings);
        if (db.get(this.files.preprocessed, unit).text.length > longestReading) return undefined;
        return db.get(this.#programUnit, JSON.stringify([unit, [...launching].sort()]));
      };
      const linker = new ProgramLinker(own, host, load, db.get(this.files.compiled, path).files);
      const now: Evaluated["now"] = { facts: undefined };
      const launches = stage("host evaluation", () =>
        hostLaunches({
          own,
          linker,
          settings,
          inputs: new Map(db.get(this.#inputs, path)),
          given: new Set(settings.launches.flatMap((text) => /^\s*([\w:]+)\s*:/.exec(text)?.[1] ?? [])),
          resolveLaunch: (entry, work) => now.facts && resolveLaunch(now.facts, entry, work),
          onResources: () => void db.get(this.files.items, this.#unitOf(path)),
          work: db.work,
        }),
      );
      return { launches, now };
    },
  };

  /** `line 12`, or `line 12 of kernels.cuh`. */
  #line(settings: AnalysisSettings, path: string, start: number, own: Reading, ownPath: string): string {
    const unit = unitKey(path, settings);
    // What somebody else wrote into a sentence is no place of ours: nothing is read for it.
    if (path !== ownPath && !this.db.last(this.files.parsed, unit)) return "a line elsewhere";
    const reading = path === ownPath ? own : this.db.peek(this.files.parsed, unit).file.reading;
    const at = reading.locate(start, start + 1);
    const line = `line ${reading.position(at.file, at.start).line + 1}`;
    return at.file === 0 ? line : `${line} of ${(reading.files[at.file] ?? "").split("/").at(-1)}`;
  }
}

/** Every `__global__` function with a body, in the order of the reading. */
function kernelFacts(functions: readonly FunctionDeclaration[], reading: PlacedReading): KernelFact[] {
  return functions
    .filter((fn) => fn.specifiers.global && fn.body !== undefined)
    .map((declaration) => ({
      name: lastName(declaration.name),
      declaration,
      nameAt: reading.locate(declaration.nameSpan.start, declaration.nameSpan.end),
      at: reading.locate(declaration.start, declaration.end),
      isTemplate: (declaration.templateParameters?.length ?? 0) > 0,
    }));
}
