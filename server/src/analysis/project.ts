/** The other files of a project, read and parsed when something in them is wanted. */
import type { FunctionDeclaration, TranslationUnit } from "../syntax/ast.ts";
import { directoryOf, join } from "../syntax/preprocess/paths.ts";
import type { Reading } from "../syntax/reading.ts";
import type { FileHost } from "./facts.ts";
import type { HostUnit, Linker } from "./host/unit.ts";

/** A file of the project, ready to be evaluated and lowered. */
export interface ProjectUnit extends HostUnit {
  readonly path: string;
  readonly reading: Reading;
  readonly unit: TranslationUnit;
}

/** Parses a file, if it is not too long; `launching` names functions elsewhere that launch kernels. */
export type LoadUnit = (path: string, text: string, launching: ReadonlySet<string>) => ProjectUnit | undefined;

const sourceFile = /\.(?:cu|cpp|cc|cxx|c)$/i;
const mostFiles = 80;
const longestText = 300_000;
/** Files one analysis parses besides the opened one. */
const mostUnits = 5;

export class Project implements Linker {
  readonly #own: ProjectUnit;
  readonly #host: FileHost;
  readonly #load: LoadUnit;
  readonly #units = new Map<string, ProjectUnit | undefined>();
  readonly #owners = new WeakMap<FunctionDeclaration, ProjectUnit>();
  readonly #definitions = new Map<string, FunctionDeclaration | undefined>();
  #texts: ReadonlyMap<string, string> | undefined;
  readonly #commands: readonly string[];

  /** `commands`: files that `compile_commands.json` lists. */
  constructor(own: ProjectUnit, host: FileHost, load: LoadUnit, commands: readonly string[]) {
    this.#own = own;
    this.#host = host;
    this.#load = load;
    this.#commands = commands;
    for (const fn of own.semantics.functions) this.#owners.set(fn, own);
  }

  unitOf(fn: FunctionDeclaration): ProjectUnit | undefined {
    return this.#owners.get(fn);
  }

  /** All functions of that name count as one: overloads across files are not told apart. */
  definition(name: string): FunctionDeclaration | undefined {
    if (this.#definitions.has(name)) return this.#definitions.get(name);
    this.#definitions.set(name, undefined);
    const found = this.#define(name);
    this.#definitions.set(name, found);
    return found;
  }

  #define(name: string): FunctionDeclaration | undefined {
    const own = this.#own.semantics.functions.find((fn) => fn.body !== undefined && lastText(fn) === name);
    if (own !== undefined) return own;
    const definition = new RegExp(String.raw`(?:[\w*&>]\s+|[*&])(?:\w+::)*${name}\s*\([^;{}]*\)[\s\w]*\{`);
    for (const [path, text] of this.#siblings()) {
      if (!text.includes(name) || !definition.test(text)) continue;
      const fn = this.#unit(path, text)?.semantics.functions.find((each) => each.body !== undefined && lastText(each) === name);
      if (fn !== undefined) return fn;
    }
    return undefined;
  }

  /** The file whose `main` uses functions of the opened file; the only one with a `main`, where none names them. */
  main(): { readonly unit: ProjectUnit; readonly main: FunctionDeclaration } | undefined {
    const programs = [...this.#siblings()].filter(([, text]) => /\bmain\s*\(/.test(text));
    const names = this.#own.sites.roots.map(lastText);
    const [path, text] =
      programs.find(([, source]) => names.some((name) => source.includes(name))) ?? (programs.length === 1 ? (programs[0] ?? []) : []);
    if (path === undefined || text === undefined) return undefined;
    const unit = this.#unit(path, text);
    const main = unit?.semantics.functions.find((fn) => lastText(fn) === "main" && fn.body !== undefined);
    return unit === undefined || main === undefined ? undefined : { unit, main };
  }

  /** A file that launches a kernel of the opened one. */
  launcherOf(kernel: string): ProjectUnit | undefined {
    const launch = new RegExp(String.raw`\b${kernel}\s*(?:<[^;{}]*>)?\s*<<<`);
    const found = [...this.#siblings()].find(([, text]) => text.includes(kernel) && launch.test(text));
    return found === undefined ? undefined : this.#unit(...found);
  }

  #unit(path: string, text: string): ProjectUnit | undefined {
    if (this.#units.has(path)) return this.#units.get(path);
    if (this.#units.size >= mostUnits) return undefined;
    const unit = this.#load(path, text, this.#own.sites.launching);
    this.#units.set(path, unit);
    if (unit !== undefined) for (const fn of unit.semantics.functions) this.#owners.set(fn, unit);
    return unit;
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
      if (path === this.#own.path || !sourceFile.test(path) || this.#own.reading.files.includes(path)) continue;
      const text = this.#host.read(path);
      if (text !== undefined && text.length <= longestText) texts.set(path, text);
    }
    this.#texts = texts;
    return texts;
  }
}

function lastText(fn: FunctionDeclaration): string {
  return fn.name.parts.at(-1)?.text ?? "";
}
