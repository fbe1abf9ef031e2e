/** Finds what other files of a program define and launch: they are read and parsed when something in them is wanted. */

import type { FunctionDeclaration } from "../syntax/ast.ts";
import { directoryOf, join } from "../syntax/preprocess/paths.ts";
import type { Reading } from "../syntax/reading.ts";
import type { GlobalVariable } from "./host/program/globals.ts";
import type { HostUnit, Linker } from "./host/program/unit.ts";
import { lastName } from "./sema/scope.ts";
import type { FileHost } from "./settings.ts";
import { isSource } from "./source-names.ts";
import { outlineOf, type SourceOutline } from "./source-outline.ts";
import type { ToldCode } from "./told-code.ts";

/** A file of the program, ready to be evaluated and lowered. */
export interface ProgramUnit extends HostUnit {
  readonly path: string;
  /** How its kernels are compiled. */
  readonly code: ToldCode;
  /** As it is now: where things stand may change while the unit stays. */
  readonly reading: Reading;
  /** Everything of which the code that a kernel becomes is made: the items it and what it mentions stand in. */
  bodiesBehind(kernel: FunctionDeclaration): readonly object[];
}

/** Parses a file, if it is not too long; `launching` names functions elsewhere that launch kernels. */
export type LoadUnit = (path: string, text: string, launching: ReadonlySet<string>) => ProgramUnit | undefined;

const mostFiles = 80;
const longestText = 300_000;
/** Files one analysis parses besides the opened one. */
const mostUnits = 8;

export class ProgramLinker implements Linker {
  readonly #own: ProgramUnit;
  readonly #host: FileHost;
  readonly #load: LoadUnit;
  readonly #units = new Map<string, ProgramUnit | undefined>();
  readonly #owners = new WeakMap<FunctionDeclaration, ProgramUnit>();
  readonly #definitions = new Map<string, FunctionDeclaration | undefined>();
  readonly #variables = new Map<string, { readonly variable: GlobalVariable; readonly unit: HostUnit } | undefined>();
  #texts: ReadonlyMap<string, string> | undefined;
  #launching: ReadonlySet<string> | undefined;
  readonly #commands: readonly string[];

  /** `commands`: files that `compile_commands.json` lists. */
  constructor(own: ProgramUnit, host: FileHost, load: LoadUnit, commands: readonly string[]) {
    this.#own = own;
    this.#host = host;
    this.#load = load;
    this.#commands = commands;
    for (const fn of own.semantics.functions) this.#owners.set(fn, own);
  }

  unitOf(fn: FunctionDeclaration): ProgramUnit | undefined {
    return this.#owners.get(fn);
  }

  /** All functions of that name count as one, or all methods of that class: overloads across files are not told apart. */
  definition(name: string, owner?: string): FunctionDeclaration | undefined {
    const key = owner === undefined ? name : `${owner}::${name}`;
    if (this.#definitions.has(key)) return this.#definitions.get(key);
    this.#definitions.set(key, undefined);
    const found = this.#define(name, owner);
    this.#definitions.set(key, found);
    return found;
  }

  #define(name: string, owner: string | undefined): FunctionDeclaration | undefined {
    const inside = ({ semantics, globals }: ProgramUnit) =>
      semantics.functions.find(
        (fn) =>
          fn.body !== undefined &&
          lastName(fn.name) === name &&
          (owner === undefined ? globals.classOf(fn) : globals.pathOf(fn).at(-1)) === owner,
      );
    const own = inside(this.#own);
    if (own !== undefined) return own;
    for (const [path, text] of this.#siblings()) {
      const { functions, methods } = outlineOf(text);
      if (!(owner === undefined ? functions.has(name) : methods.has(`${owner}::${name}`))) continue;
      const unit = this.#unit(path, text);
      const fn = unit === undefined ? undefined : inside(unit);
      if (fn !== undefined) return fn;
    }
    return undefined;
  }

  variable(name: string): { readonly variable: GlobalVariable; readonly unit: HostUnit } | undefined {
    if (!this.#variables.has(name)) this.#variables.set(name, this.#defineVariable(name));
    return this.#variables.get(name);
  }

  #defineVariable(name: string): { readonly variable: GlobalVariable; readonly unit: HostUnit } | undefined {
    const own = this.#own.globals.definition(name);
    if (own !== undefined) return { variable: own, unit: this.#own };
    for (const [path, text] of this.#siblings()) {
      if (!outlineOf(text).variables.has(name)) continue;
      const unit = this.#unit(path, text);
      const variable = unit?.globals.definition(name);
      if (unit !== undefined && variable !== undefined) return { variable, unit };
    }
    return undefined;
  }

  /** The file whose `main` uses functions of the opened file; the only one with a `main`, where none names them. */
  main(): { readonly unit: ProgramUnit; readonly main: FunctionDeclaration } | undefined {
    const programs = [...this.#siblings()].filter(([, text]) => outlineOf(text).hasMain);
    const names = this.#own.sites.roots.map((fn) => lastName(fn.name));
    const [path, text] =
      programs.find(([, source]) => names.some((name) => outlineOf(source).words.has(name))) ??
      (programs.length === 1 ? (programs[0] ?? []) : []);
    if (path === undefined || text === undefined) return undefined;
    const unit = this.#unit(path, text);
    const main = unit?.semantics.functions.find((fn) => lastName(fn.name) === "main" && fn.body !== undefined);
    return unit === undefined || main === undefined ? undefined : { unit, main };
  }

  /** A file that launches a kernel of the opened one. */
  launcherOf(kernel: string): ProgramUnit | undefined {
    const found = [...this.#siblings()].find(([, text]) => outlineOf(text).launched.has(kernel));
    return found === undefined ? undefined : this.#unit(...found);
  }

  #unit(path: string, text: string): ProgramUnit | undefined {
    if (this.#units.has(path)) return this.#units.get(path);
    if (this.#units.size >= mostUnits) return undefined;
    const unit = this.#load(path, text, this.#launchers());
    this.#units.set(path, unit);
    if (unit !== undefined) for (const fn of unit.semantics.functions) this.#owners.set(fn, unit);
    return unit;
  }

  /** Functions that may lead to launches of the opened file: its own, and those of files that name any of them. */
  #launchers(): ReadonlySet<string> {
    if (this.#launching !== undefined) return this.#launching;
    const names = new Set(this.#own.sites.launching);
    const naming = new Map<string, SourceOutline[]>();
    for (const text of this.#siblings().values()) {
      const outline = outlineOf(text);
      for (const word of outline.words) {
        const known = naming.get(word);
        if (known) known.push(outline);
        else naming.set(word, [outline]);
      }
    }
    const reached = new Set<SourceOutline>();
    // A set that grows while it is walked: what is added comes, too.
    for (const name of names)
      for (const outline of naming.get(name) ?? []) {
        if (reached.has(outline)) continue;
        reached.add(outline);
        for (const body of outline.bodies) names.add(body);
      }
    this.#launching = names;
    return names;
  }

  /** Texts of source files beside the opened one, and of those built with it. */
  #siblings(): ReadonlyMap<string, string> {
    if (this.#texts !== undefined) return this.#texts;
    const folder = directoryOf(this.#own.path);
    const listed = (this.#host.list?.(folder) ?? []).map((name) => join(folder, name));
    const near = this.#commands.filter((path) => path.startsWith(`${directoryOf(folder)}/`));
    const texts = new Map<string, string>();
    for (const path of new Set([...listed, ...near])) {
      if (texts.size >= mostFiles) break;
      if (path === this.#own.path || !isSource(path) || this.#own.reading.files.includes(path)) continue;
      const text = this.#host.read(path);
      if (typeof text === "string" && text.length <= longestText) texts.set(path, text);
    }
    this.#texts = texts;
    return texts;
  }
}
