import type { Place, Preprocessed } from "../reading.ts";
import { FileReader, type Whole } from "./file-reader.ts";
import { type Lexed, lex, lexCached } from "./lexer.ts";
import { type CallReader, Expander, type Macro, type Token } from "./macros.ts";
import { NameFilter } from "./name-filter.ts";
import { directoryOf, join, normalize } from "./paths.ts";
import { predefined } from "./predefined.ts";
import { SourceMapBuilder } from "./source-map.ts";
import type { Comment, FileHost, MacroUse, ReadOptions } from "./types.ts";

const MAX_READING = 8_000_000;
const MAX_INCLUDE_DEPTH = 64;

/**
 * Reads a file as nvcc would while it compiles device code: project headers spliced in, conditionals decided, macros
 * expanded. Where nothing was expanded the opened file's text stays as it is, comments and directives blank. Headers that
 * are not found are skipped. Never throws.
 */
export function read(path: string, text: string, host: FileHost, options: ReadOptions): Preprocessed {
  return new Preprocessor(host, options).run(normalize(path), text);
}

class Preprocessor implements Whole {
  readonly #host: FileHost;
  readonly #includeDirs: readonly string[];
  readonly #macros: Map<string, Macro>;
  readonly #expander: Expander;
  readonly #filter = new NameFilter();
  readonly #out = new SourceMapBuilder();
  readonly #files: string[] = [];
  readonly #sources: string[] = [];
  readonly #once = new Set<string>();
  readonly #comments: Comment[] = [];
  readonly #uses: MacroUse[] = [];
  readonly #missing: Preprocessed["missingIncludes"][number][] = [];
  #depth = 0;

  constructor(host: FileHost, options: ReadOptions) {
    this.#host = host;
    this.#includeDirs = (options.includeDirs ?? []).map(normalize);
    this.#macros = predefined(options);
    for (const name of this.#macros.keys()) this.#filter.add(name);
    this.#expander = new Expander(this.#macros);
  }

  run(path: string, text: string): Preprocessed {
    this.#enter(path, text, lex(text));
    return this.#out.finish({
      files: this.#files,
      sources: this.#sources,
      comments: this.#comments,
      macroUses: this.#uses,
      missingIncludes: this.#missing,
    });
  }

  #enter(path: string, text: string, lexed: Lexed): void {
    let file = this.#files.indexOf(path);
    const comments = file < 0;
    if (comments) {
      file = this.#files.push(path) - 1;
      this.#sources.push(text);
    }
    this.#depth++;
    new FileReader(this, { file, directory: directoryOf(path), lexed, comments }).run();
    this.#depth--;
  }

  // What a file's reader needs of the whole.

  get out(): SourceMapBuilder {
    return this.#out;
  }

  /** Cheaply rules out most names: asked for every identifier. */
  macro(text: string, start: number, end: number): Macro | undefined {
    return this.#filter.mayHold(text.charCodeAt(start), end - start) ? this.#macros.get(text.slice(start, end)) : undefined;
  }

  isDefined(name: string): boolean {
    return this.#macros.has(name) || name === "__has_include" || name === "__has_include_next";
  }

  define(macro: Macro): void {
    this.#macros.set(macro.name, macro);
    this.#filter.add(macro.name);
  }

  undefine(name: string): void {
    this.#macros.delete(name);
  }

  expand(tokens: readonly Token[], source: CallReader, file: number, line: number): Token[] {
    return this.#expander.expand(tokens, source, { line, file: this.#files[file] ?? "" });
  }

  comment(comment: Comment): void {
    this.#comments.push(comment);
  }

  use(use: MacroUse): void {
    this.#uses.push(use);
  }

  get uses(): number {
    return this.#uses.length;
  }

  once(file: number): void {
    this.#once.add(this.#files[file] ?? "");
  }

  /** Where an `#include` leads, if to a project file. */
  find(path: string, angled: boolean, directory: string): { path: string; text: string } | undefined {
    const directories = angled ? this.#includeDirs : [directory, ...this.#includeDirs];
    for (const each of directories) {
      const candidate = join(each, path);
      const text = this.#host.read(candidate);
      if (text !== undefined) return { path: candidate, text };
    }
    return undefined;
  }

  include(path: string, angled: boolean, directory: string, place: Place): void {
    const found = this.#depth < MAX_INCLUDE_DEPTH ? this.find(path, angled, directory) : undefined;
    if (!found || this.#out.length + found.text.length > MAX_READING) {
      this.#missing.push({ path, angled, place });
      return;
    }
    if (this.#once.has(found.path)) return;
    this.#out.putNowhere("\n");
    this.#enter(found.path, found.text, lexCached(found.text));
    this.#out.putNowhere("\n");
  }
}
