import { type FileText, NotRead, sameText } from "../file-text.ts";
import { differenceBetween, type TextEdit } from "../parser/edit.ts";
import type { Place, Preprocessed } from "../reading.ts";
import { type Checkpoint, moveMacros, type Output, restOf, type State, sameState } from "./checkpoints.ts";
import { FileReader, type Whole } from "./file-reader.ts";
import { type Lexed, lex, lexCached, type Relexed, relex } from "./lexer.ts";
import {
  type CallReader,
  CHARACTERS_A_TOKEN,
  deepestUse,
  Expander,
  MAX_TOKENS,
  MAX_TOKENS_A_USE,
  type Macro,
  type Token,
} from "./macros.ts";
import { NameFilter } from "./name-filter.ts";
import { directoryOf, join, normalize } from "./paths.ts";
import { predefined } from "./predefined.ts";
import { SourceMapBuilder } from "./source-map.ts";
import type { Comment, FileHost, MacroUse, ReadOptions } from "./types.ts";

/** Characters of all that is read of a file and its headers. */
const MAX_READING = 8_000_000;
/** Headers within headers: nvcc allows 200, and programs have a dozen. */
const MAX_INCLUDE_DEPTH = 64;
/** Characters of headers that are gone through, those that are left out and those that come again too. */
const MAX_INCLUDED = 128_000_000;
/** What going through a header costs besides its own characters, and looking for one in a folder. */
const INCLUDING = 4_000;
const LOOKING = 250;

/** Macros that are held on to for each token between two checkpoints. */
const macrosAToken = 4;

const cutExpansion = `the expansion of this is given up: it comes to more than ${MAX_TOKENS_A_USE} tokens (a long one counts for each ${CHARACTERS_A_TOKEN} characters), ${MAX_TOKENS} in the file, or ${deepestUse} uses in each other`;
const tooDeep = new NotRead(`headers are nested deeper than ${MAX_INCLUDE_DEPTH}`);
const tooMuch = new NotRead("the headers before it are all that WarpLens reads");

/**
 * Reads a file as nvcc would while it compiles device code: project headers spliced in, conditionals decided, macros
 * expanded. Where nothing was expanded the opened file's text stays as it is, comments and directives blank. Headers that
 * are not found are skipped. Never throws.
 * @param before a reading of an earlier text of the file: what the edit does not touch is not read again
 */
export function read(path: string, text: string, host: FileHost, options: ReadOptions, before?: Preprocessed): Preprocessed {
  const preprocessor = new Preprocessor(host, options);
  const result = preprocessor.run(normalize(path), text, before && kept.get(before));
  if (before && preprocessor.common) goneOn.set(result, { ...preprocessor.common, from: new WeakRef(before) });
  return result;
}

type Missing = Preprocessed["missingIncludes"][number] | Preprocessed["cuts"][number];

/** What the next reading of the same file begins with. */
interface Kept {
  readonly options: string;
  readonly lexed: Lexed;
  /** Every file that was asked for, with what was found. */
  readonly reads: ReadonlyMap<string, FileText>;
  readonly files: readonly string[];
  readonly sources: readonly string[];
  readonly once: readonly string[];
  readonly missing: readonly Missing[];
  readonly output: Output;
  /** The macros at the end. */
  readonly macros: ReadonlyMap<string, Macro>;
  /** How some of it is read depends on all that comes behind. */
  readonly open: boolean;
}

const kept = new WeakMap<Preprocessed, Kept>();

/** How many characters of a reading, at its start and at its end, were taken from the one before: the same text, written the same way. */
export interface Common {
  readonly head: number;
  readonly tail: number;
}

const goneOn = new WeakMap<Preprocessed, Common & { readonly from: WeakRef<Preprocessed> }>();

/** What a reading took from `before`; undefined where it did not go on from that one. */
export function inCommon(before: Preprocessed, after: Preprocessed): Common | undefined {
  const common = goneOn.get(after);
  return common?.from.deref() === before ? common : undefined;
}

class Preprocessor implements Whole {
  readonly #host: { read(path: string): FileText; realPath(path: string): string };
  readonly #includeDirs: readonly string[];
  readonly #options: string;
  readonly #reads = new Map<string, FileText>();
  #macros: Map<string, Macro>;
  /** Somebody holds on to the macros as they are. */
  #shared = false;
  readonly #expander: Expander;
  readonly #filter = new NameFilter();
  readonly #out = new SourceMapBuilder();
  readonly #files: string[] = [];
  readonly #sources: string[] = [];
  /** Names by where they lead, the first of each file; and of how many files. */
  readonly #names = new Map<string, string>();
  #named = 0;
  readonly #once = new Set<string>();
  readonly #comments: Comment[] = [];
  readonly #uses: MacroUse[] = [];
  readonly #missing: Missing[] = [];
  readonly #checkpoints: Checkpoint[] = [];
  #fileLines = 0;
  #open = false;
  #depth = 0;
  /** Spent of `MAX_INCLUDED`. */
  #included = 0;
  #common: Common | undefined;

  constructor(host: FileHost, options: ReadOptions) {
    this.#host = {
      read: (path) => {
        const text = host.read(path);
        this.#reads.set(path, text);
        return text;
      },
      realPath: (path) => host.realPath?.(path) ?? path,
    };
    this.#options = JSON.stringify(options);
    this.#includeDirs = (options.includeDirs ?? []).map(normalize);
    this.#macros = predefined(options);
    for (const name of this.#macros.keys()) this.#filter.add(name);
    this.#expander = new Expander(this.#macros);
  }

  /** What was taken from the reading before. */
  get common(): Common | undefined {
    return this.#common;
  }

  run(path: string, text: string, before?: Kept): Preprocessed {
    const edit = before && before.files[0] === path ? differenceBetween(before.lexed.text, text) : undefined;
    const start =
      before && edit && this.#mayGoOn(before)
        ? before.output.checkpoints.findLast(({ token, offset }) => offset < edit.start || token === 0)
        : undefined;
    let lexed: Lexed;
    if (before && edit && start) {
      const relexed = relex(before.lexed, start.token, text, edit);
      lexed = relexed.lexed;
      this.#goOn(before, start, relexed, edit, path);
    } else {
      lexed = lex(text);
      this.#enter(path, directoryOf(path), text, lexed);
    }
    const result = this.#out.finish({
      files: this.#files,
      sources: this.#sources,
      comments: this.#comments,
      macroUses: this.#uses,
      missingIncludes: this.#missing.flatMap((each) => ("path" in each ? each : [])),
      cuts: this.#missing.flatMap((each) => ("path" in each ? [] : each)),
    });
    const output = {
      text: result.text,
      segments: this.#out.segments,
      comments: this.#comments,
      uses: this.#uses,
      fileLines: this.#fileLines,
      checkpoints: this.#checkpoints,
    };
    kept.set(result, {
      options: this.#options,
      lexed,
      reads: this.#reads,
      files: this.#files,
      sources: this.#sources,
      once: [...this.#once],
      missing: this.#missing,
      output,
      macros: this.#macros,
      open: this.#open,
    });
    return result;
  }

  /** Whether everything but the file itself is as it was. Asks for every file again: whoever gives them may count on that. */
  #mayGoOn({ options, reads, open }: Kept): boolean {
    if (options !== this.#options || open) return false;
    let same = true;
    for (const [path, text] of reads) if (!sameText(this.#host.read(path), text)) same = false;
    return same;
  }

  /** Reads on from a checkpoint, up to one in the same state behind the edit, or to the end. */
  #goOn(before: Kept, start: Checkpoint, relexed: Relexed, edit: TextEdit, path: string): void {
    const { text } = relexed.lexed;
    const shift = { from: edit.oldEnd, by: relexed.characters };
    const { state, counts } = start;
    const { output: old } = before;
    this.#macros = state.macros as Map<string, Macro>;
    this.#shared = true;
    this.#expander.macros = this.#macros;
    this.#expander.counter = state.counter;
    for (const name of this.#macros.keys()) this.#filter.add(name);
    for (const file of before.files.slice(0, state.files)) this.#files.push(file);
    this.#sources.push(text, ...before.sources.slice(1, state.files));
    for (const each of before.once.slice(0, state.once)) this.#once.add(each);
    for (const missing of before.missing.slice(0, state.missing)) this.#missing.push(missing);
    this.#out.append(old.text.slice(0, counts.length), old.segments.slice(0, counts.segments));
    this.#common = { head: counts.length, tail: 0 };
    pushAll(this.#comments, old.comments.slice(0, counts.comments));
    pushAll(this.#uses, old.uses.slice(0, counts.uses));
    this.#fileLines = counts.fileLines;
    this.#included = state.included;
    for (const checkpoint of old.checkpoints) if (checkpoint.token <= start.token) this.#checkpoints.push(checkpoint);
    const ends = new Map(
      old.checkpoints.flatMap((each) => (each.token + relexed.tokens >= relexed.same ? [[each.token + relexed.tokens, each]] : [])),
    );
    this.#depth++;
    const reader = new FileReader(this, { file: 0, directory: directoryOf(path), lexed: relexed.lexed, comments: true }, start);
    const isEnd = (here: Checkpoint): boolean => {
      const end = ends.get(here.token);
      if (!end || !sameState(here.state, end.state, shift)) return false;
      const lines = here.line - end.line;
      if (lines !== 0 && old.fileLines !== end.counts.fileLines) return false;
      const rest = restOf(old, before.missing, end, here.counts, relexed, shift, lines);
      this.#out.append(rest.text, rest.segments);
      this.#common = { head: counts.length, tail: rest.text.length };
      pushAll(this.#comments, rest.comments);
      pushAll(this.#uses, rest.uses);
      this.#fileLines = rest.fileLines;
      pushAll(this.#files, before.files.slice(end.state.files));
      pushAll(this.#sources, before.sources.slice(end.state.files));
      for (const each of before.once.slice(end.state.once)) this.#once.add(each);
      pushAll(this.#missing, rest.missing);
      moveMacros([before.macros, ...rest.checkpoints.map(({ state }) => state.macros)], shift);
      this.#macros = before.macros as Map<string, Macro>;
      this.#shared = true;
      // The one it ends at is the first of the rest.
      this.#checkpoints.pop();
      pushAll(this.#checkpoints, rest.checkpoints);
      return true;
    };
    reader.run({ tokens: ends, isEnd });
    this.#depth--;
  }

  #state(inside: string): State {
    return {
      macros: this.#macros,
      counter: this.#expander.counter,
      files: this.#files.length,
      once: this.#once.size,
      missing: this.#missing.length,
      included: this.#included,
      inside,
    };
  }

  /** @param directory where it was found: what stands beside that name is beside it */
  #enter(path: string, directory: string, text: string, lexed: Lexed): void {
    let file = this.#files.indexOf(path);
    const comments = file < 0;
    if (comments) {
      file = this.#files.push(path) - 1;
      this.#sources.push(text);
    }
    this.#depth++;
    new FileReader(this, { file, directory, lexed, comments }).run();
    this.#depth--;
  }

  /**
   * A file by the name that it was read by first, and with the text that it had: links in a circle give one file any number of names, of
   * which each would be one more file.
   */
  #known(path: string, text: string): { readonly name: string; readonly path: string; readonly text: string } {
    for (; this.#named < this.#files.length; this.#named++) {
      const name = this.#files[this.#named] ?? "";
      const real = this.#host.realPath(name);
      if (!this.#names.has(real)) this.#names.set(real, name);
    }
    const name = this.#names.get(this.#host.realPath(path)) ?? path;
    return { name, path, text: name === path ? text : (this.#sources[this.#files.indexOf(name)] ?? text) };
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
    this.#ownMacros().set(macro.name, macro);
    this.#filter.add(macro.name);
  }

  undefine(name: string): void {
    if (this.#macros.has(name)) this.#ownMacros().delete(name);
  }

  #ownMacros(): Map<string, Macro> {
    if (this.#shared) {
      this.#macros = new Map(this.#macros);
      this.#expander.macros = this.#macros;
      this.#shared = false;
    }
    return this.#macros;
  }

  expand(tokens: readonly Token[], source: CallReader, file: number, line: number, ofFile: boolean): Token[] {
    const before = this.#expander.lines;
    const cut = this.#expander.cut;
    const expanded = this.#expander.expand(tokens, source, { line, file: this.#files[file] ?? "" });
    const [first] = tokens;
    if (this.#expander.cut > cut && first) this.cut({ file, start: first.start, end: first.start + first.text.length }, cutExpansion);
    if (ofFile && this.#expander.lines > before) this.#fileLines++;
    return expanded;
  }

  cut(place: Place, reason: string): void {
    this.#missing.push({ place, reason });
  }

  leaveOpen(): void {
    this.#open = true;
  }

  /**
   * Each holds on to the macros as they are, and where some are defined between two of them each has its own: in a file of nothing but
   * macros they would come to the square of its length.
   */
  get checkpointCost(): number {
    return this.#shared ? 0 : this.#macros.size / macrosAToken;
  }

  checkpoint(place: Pick<Checkpoint, "token" | "offset" | "line" | "lineAt">, inside: string): Checkpoint {
    this.#shared = true;
    const { length, segments } = this.#out;
    const counts = {
      length,
      segments: segments.length,
      comments: this.#comments.length,
      uses: this.#uses.length,
      fileLines: this.#fileLines,
    };
    const here = { ...place, state: this.#state(inside), counts };
    this.#checkpoints.push(here);
    return here;
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

  /** Where an `#include` leads, if to a project file; why the first of its name is not read, where none is. */
  find(path: string, angled: boolean, directory: string): { path: string; text: string } | NotRead | undefined {
    if (this.#included > MAX_INCLUDED) return tooMuch;
    let refused: NotRead | undefined;
    const directories = angled ? this.#includeDirs : [directory, ...this.#includeDirs];
    for (const each of directories) {
      this.#included += LOOKING;
      const candidate = join(each, path);
      const text = this.#host.read(candidate);
      if (typeof text === "string") return { path: candidate, text };
      refused ??= text;
    }
    return refused;
  }

  include(path: string, angled: boolean, directory: string, place: Place): void {
    const found = this.find(path, angled, directory);
    this.#included += INCLUDING;
    const file = found !== undefined && "text" in found ? this.#known(found.path, found.text) : found;
    const isText = file !== undefined && "text" in file;
    if (isText && this.#once.has(file.name)) return;
    const refused = isText ? this.#refusal(file.text) : file;
    if (!isText || refused) {
      this.#missing.push({ path, angled, place, ...(refused ? { reason: refused.reason } : {}) });
      return;
    }
    this.#included += file.text.length;
    this.#out.putNowhere("\n");
    this.#enter(file.name, directoryOf(file.path), file.text, lexCached(file.text));
    this.#out.putNowhere("\n");
  }

  #refusal({ length }: string): NotRead | undefined {
    if (this.#depth >= MAX_INCLUDE_DEPTH) return tooDeep;
    return this.#out.length + length > MAX_READING || this.#included + length > MAX_INCLUDED ? tooMuch : undefined;
  }
}

function pushAll<T>(into: T[], items: readonly T[]): void {
  for (const each of items) into.push(each);
}
