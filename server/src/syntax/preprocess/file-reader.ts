import type { NotRead } from "../file-text.ts";
import type { Place } from "../reading.ts";
import { between, type Checkpoint } from "./checkpoints.ts";
import { deepestCondition, holds } from "./expression.ts";
import { includeTarget } from "./include-target.ts";
import { COMMENT, FIRST, IDENTIFIER, type Lexed, NUMBER, PUNCTUATION } from "./lexer.ts";
import { type CallReader, define, type Macro, type Token, token, tokenAt } from "./macros.ts";
import { Nesting, type NestingState } from "./nesting.ts";
import type { SourceMapBuilder } from "./source-map.ts";
import type { Comment, MacroUse } from "./types.ts";

/** A file being read. */
export interface Source {
  readonly file: number;
  readonly directory: string;
  readonly lexed: Lexed;
  readonly comments: boolean;
}

/** What reading one file needs of the whole reading. */
export interface Whole {
  readonly out: SourceMapBuilder;
  /** Macro uses recorded so far. */
  readonly uses: number;
  /** The macro that the text from `start` to `end` names, if any. */
  macro(text: string, start: number, end: number): Macro | undefined;
  isDefined(name: string): boolean;
  define(macro: Macro): void;
  undefine(name: string): void;
  /** `ofFile`: the line is that of the file, as `__LINE__` has it outside declarations. */
  expand(tokens: readonly Token[], source: CallReader, file: number, line: number, ofFile: boolean): Token[];
  /** Something is not read as a compiler reads it. */
  cut(place: Place, reason: string): void;
  /** A call of a macro is never closed: how it is read depends on all the rest of the file. */
  leaveOpen(): void;
  /** Tokens that a checkpoint is worth at the least. */
  readonly checkpointCost: number;
  /** Notes where the opened file is, and how things stand. */
  checkpoint(place: Pick<Checkpoint, "token" | "offset" | "line" | "lineAt">, inside: string): Checkpoint;
  comment(comment: Comment): void;
  use(use: MacroUse): void;
  /** `#pragma once`. */
  once(file: number): void;
  find(path: string, angled: boolean, directory: string): { readonly path: string; readonly text: string } | NotRead | undefined;
  include(path: string, angled: boolean, directory: string, place: Place): void;
}

/** What a file's reader is in the middle of, as text in a checkpoint. */
interface Inside {
  readonly conditionals: readonly Conditional[];
  readonly nesting: NestingState;
}

/** A conditional that is open. */
interface Conditional {
  /** A branch has been taken, or none may be. */
  taken: boolean;
  seenElse: boolean;
}

/** Conditions in each other; nobody has so many. Checkpoints note those that are open. */
const mostOpen = 256;

/** Reads one file from its first token to its last. */
export class FileReader {
  readonly #whole: Whole;
  readonly #source: Source;
  readonly #lexed: Lexed;
  readonly #open: Conditional[] = [];
  #at = 0;
  /** The token of the last checkpoint. */
  #noted = 0;
  /** The last token that decided whether a macro before it is called: what was read so far depends on it. */
  #lookedAt = -1;
  /** Up to here the file's text has been put down or blanked. */
  #done = 0;
  #line = 1;
  #lineAt = 0;
  readonly #nesting = new Nesting();
  /** Parentheses that are never closed, by token. */
  #unclosed: ReadonlySet<number> | undefined;

  /** @param from where a reading of the text before had come to, to go on there */
  constructor(whole: Whole, source: Source, from?: Checkpoint) {
    this.#whole = whole;
    this.#source = source;
    this.#lexed = source.lexed;
    if (!from) return;
    const { conditionals, nesting } = JSON.parse(from.state.inside) as Inside;
    this.#at = this.#noted = from.token;
    this.#done = from.offset;
    this.#line = from.line;
    this.#lineAt = from.lineAt;
    for (const conditional of conditionals) this.#open.push(conditional);
    this.#nesting.set(nesting);
  }

  /** @param end tokens at which the rest may be known: `isEnd` says so, and then ends the reading there */
  run(end?: { readonly tokens: ReadonlyMap<number, unknown>; isEnd(here: Checkpoint): boolean }): void {
    const { count, kinds, starts, ends, flags, text } = this.#lexed;
    while (this.#at < count) {
      const at = this.#at;
      const kind = kinds[at];
      const start = starts[at] ?? 0;
      if ((flags[at] ?? 0) & FIRST) {
        const mayEnd = end?.tokens.has(at) ?? false;
        if (
          this.#source.file === 0 &&
          at > this.#lookedAt &&
          (mayEnd || at === 0 || at - this.#noted >= Math.max(between, this.#whole.checkpointCost))
        ) {
          const here = this.#note(at, at === 0 ? 0 : start);
          if (mayEnd && end?.isEnd(here)) return;
        }
        if (kind !== COMMENT) this.#nesting.line();
      }
      if (kind === IDENTIFIER) {
        if (this.#nesting.depth === 0) this.#nesting.word(text, start, ends[at] ?? start);
        const macro = this.#whole.macro(text, start, ends[at] ?? start);
        if (!macro || !this.#expandHere(macro)) this.#at++;
      } else if (kind === COMMENT) {
        this.#comment(at);
        this.#at++;
      } else if (kind === PUNCTUATION && (flags[at] ?? 0) & FIRST && text.charCodeAt(start) === 35 && (ends[at] ?? 0) - start === 1)
        this.#directive();
      else {
        if (kind === PUNCTUATION) this.#nesting.punctuation(text.charCodeAt(start));
        this.#at++;
      }
    }
    this.#keepTo(text.length);
  }

  #note(token: number, offset: number): Checkpoint {
    this.#keepTo(offset);
    this.#noted = token;
    const inside: Inside = { conditionals: this.#open, nesting: this.#nesting.get() };
    this.#lineOf(offset);
    return this.#whole.checkpoint({ token, offset, line: this.#line, lineAt: this.#lineAt }, JSON.stringify(inside));
  }

  /** Puts down the text as it stands up to an offset. */
  #keepTo(end: number): void {
    if (end > this.#done) this.#put(this.#lexed.text.slice(this.#done, end), this.#done);
    this.#done = Math.max(this.#done, end);
  }

  #put(text: string, start: number): void {
    const { out } = this.#whole;
    if (out.length && needsSpace(out.last, text[0] ?? "")) out.putNowhere(" ");
    out.put(text, this.#source.file, start);
  }

  /** Blanks the text up to an offset: the opened file keeps its layout, in headers only lines are kept apart. */
  #blankTo(end: number): void {
    if (end <= this.#done) return;
    const text = this.#lexed.text.slice(this.#done, end);
    if (this.#source.file === 0 || text.length < 16) this.#whole.out.put(blank(text), this.#source.file, this.#done);
    else this.#whole.out.putNowhere(text.includes("\n") ? "\n" : " ");
    this.#done = end;
  }

  #comment(at: number): void {
    const start = this.#lexed.starts[at] ?? 0;
    const end = this.#lexed.ends[at] ?? start;
    if (this.#source.comments)
      this.#whole.comment({ text: this.#lexed.text.slice(start, end), place: { file: this.#source.file, start, end } });
    this.#keepTo(start);
    this.#blankTo(end);
  }

  // ---------------------------------------------------------------- macros

  /** Expands the macro the current token names; false when it is a function-like macro that is not called. */
  #expandHere(macro: Macro): boolean {
    const first = this.#at;
    if (macro.parameters) {
      if (!this.#calledAt(first + 1)) return false;
      if (!this.#closes(first + 1)) {
        this.#whole.leaveOpen();
        return false;
      }
    }
    const { starts, ends, text } = this.#lexed;
    const start = starts[first] ?? 0;
    this.#keepTo(start);
    const ofFile = this.#nesting.depth === 0;
    const line = ofFile ? this.#lineOf(start) : this.#nesting.lines;
    this.#at++;
    let end = ends[first] ?? start;
    // Directives and comments between the arguments take effect as they are passed.
    const tokens = this.#whole.expand(
      [{ ...tokenAt(this.#lexed, first, this.#source.file), spaced: false }],
      {
        open: () => {
          if (!this.#calledAt(this.#at)) return false;
          const next = this.#nextToken();
          if (next) end = next.start + next.text.length;
          return next !== undefined;
        },
        next: () => {
          const next = this.#nextToken();
          if (next) end = next.start + next.text.length;
          return next;
        },
      },
      this.#source.file,
      line,
      ofFile,
    );
    this.#emit(macro.name, tokens, start, end);
    for (let at = text.indexOf("\n", start); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) this.#whole.out.putNowhere("\n");
    this.#done = end;
    return true;
  }

  /** Whether the next token that is no comment is `(`; across lines, but not across a directive. */
  #calledAt(from: number): boolean {
    const { count, kinds, starts, text } = this.#lexed;
    let at = from;
    while (at < count && kinds[at] === COMMENT) at++;
    this.#lookedAt = at;
    return at < count && text.charCodeAt(starts[at] ?? 0) === 40;
  }

  /** Whether the parenthesis that opens next is closed at all: while a call is being typed, the rest of the file is not its argument. */
  #closes(from: number): boolean {
    const { kinds } = this.#lexed;
    this.#unclosed ??= unclosedIn(this.#lexed);
    let at = from;
    while (kinds[at] === COMMENT) at++;
    return !this.#unclosed.has(at);
  }

  /** The next token of the file, for an argument. */
  #nextToken(): Token | undefined {
    const { count, kinds, starts, ends, flags, text } = this.#lexed;
    while (this.#at < count) {
      const at = this.#at;
      const start = starts[at] ?? 0;
      if (kinds[at] === COMMENT) {
        if (this.#source.comments)
          this.#whole.comment({ text: text.slice(start, ends[at]), place: { file: this.#source.file, start, end: ends[at] ?? start } });
        this.#at++;
      } else if ((flags[at] ?? 0) & FIRST && kinds[at] === PUNCTUATION && text.charCodeAt(start) === 35 && (ends[at] ?? 0) - start === 1) {
        this.#done = Math.max(this.#done, start);
        this.#directive();
      } else {
        if ((flags[at] ?? 0) & FIRST) this.#nesting.line();
        this.#at++;
        return tokenAt(this.#lexed, at, this.#source.file);
      }
    }
    return undefined;
  }

  /** Puts an expansion down, each token where it is spelled. */
  #emit(name: string, tokens: readonly Token[], start: number, end: number): void {
    const { out } = this.#whole;
    const use = this.#whole.uses;
    const from = out.length;
    let before: Token | undefined;
    for (const each of tokens) {
      const adjacent = before && before.file >= 0 && before.file === each.file && before.macro === each.macro;
      const gap = before ? each.start - before.start - before.text.length : 0;
      if (
        before
          ? each.spaced || (!(adjacent && gap === 0) && needsSpace(out.last, each.text[0] ?? ""))
          : needsSpace(out.last, each.text[0] ?? "")
      ) {
        // One space that stands in the body as well keeps the range in one piece.
        if (before && adjacent && gap === 1) out.put(" ", before.file, startOf(before) + before.text.length, use, before.macro);
        else out.putNowhere(" ", use);
      }
      if (each.file >= 0) out.put(each.text, each.file, startOf(each), use, each.macro);
      else out.putNowhere(each.text, use);
      before = each;
    }
    this.#whole.use({ name, place: { file: this.#source.file, start, end }, start: from, end: out.length });
  }

  /** 1-based; asked at rising offsets. */
  #lineOf(offset: number): number {
    const { text } = this.#lexed;
    for (let at = text.indexOf("\n", this.#lineAt); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) {
      this.#line++;
      this.#lineAt = at + 1;
    }
    return this.#line;
  }

  // ---------------------------------------------------------------- directives

  /** The directive whose `#` is the current token: takes effect, and is blanked. */
  #directive(): void {
    const { ends, starts } = this.#lexed;
    const hash = this.#at;
    const words = this.#lineTokens(hash + 1);
    const last = this.#at - 1;
    const end = ends[last] ?? starts[hash] ?? 0;
    const name = words[0]?.text ?? "";
    const rest = words.slice(1);
    this.#keepTo(starts[hash] ?? 0);
    if (name === "pragma" && /^(no)?unroll$/.test(rest[0]?.text ?? "")) {
      this.#unroll(hash, last);
      return;
    }
    this.#blankTo(end);
    switch (name) {
      case "define": {
        const macro = define(rest);
        if (macro) this.#whole.define(macro);
        break;
      }
      case "undef":
        if (rest[0]) this.#whole.undefine(rest[0].text);
        break;
      case "include":
      case "include_next":
      case "import":
        this.#include(rest, hash, end);
        break;
      case "pragma":
        if (rest[0]?.text === "once") this.#whole.once(this.#source.file);
        break;
      case "if":
      case "ifdef":
      case "ifndef": {
        const taken = this.#condition(name, rest);
        if (this.#open.length >= mostOpen) {
          this.#cut(words, `conditions are nested deeper than ${mostOpen}: what stands in this one is not read`);
          this.#open.push({ taken: true, seenElse: true });
          this.#skip();
          break;
        }
        this.#open.push({ taken, seenElse: false });
        if (!taken) this.#skip();
        break;
      }
      case "elif":
      case "elifdef":
      case "elifndef":
      case "else":
        // Reached from within a branch that was taken: the rest is not.
        if (this.#open.length) this.#skip();
        break;
      case "endif":
        this.#open.pop();
        break;
    }
  }

  /** The tokens up to the end of the line, comments aside; moves past them. */
  #lineTokens(from: number): Token[] {
    const { count, flags, kinds } = this.#lexed;
    const tokens: Token[] = [];
    let at = from;
    for (; at < count && !((flags[at] ?? 0) & FIRST); at++) {
      if (kinds[at] === COMMENT) this.#noteComment(at);
      else tokens.push(tokenAt(this.#lexed, at, this.#source.file));
    }
    this.#at = at;
    return tokens;
  }

  #noteComment(at: number): void {
    const start = this.#lexed.starts[at] ?? 0;
    const end = this.#lexed.ends[at] ?? start;
    if (this.#source.comments)
      this.#whole.comment({ text: this.#lexed.text.slice(start, end), place: { file: this.#source.file, start, end } });
  }

  /** `#pragma unroll N` stays for the parser's side, with its macros expanded, as nvcc does. */
  #unroll(hash: number, last: number): void {
    this.#at = hash + 3;
    while (this.#at <= last) {
      const at = this.#at;
      const start = this.#lexed.starts[at] ?? 0;
      const macro =
        this.#lexed.kinds[at] === IDENTIFIER ? this.#whole.macro(this.#lexed.text, start, this.#lexed.ends[at] ?? start) : undefined;
      if (macro && this.#expandHere(macro)) continue;
      if (this.#lexed.kinds[at] === COMMENT) {
        this.#keepTo(start);
        this.#blankTo(this.#lexed.ends[at] ?? start);
      }
      this.#at++;
    }
  }

  #include(words: readonly Token[], hash: number, end: number): void {
    const { starts, text } = this.#lexed;
    const place = { file: this.#source.file, start: starts[hash] ?? 0, end };
    let target = includeTarget(words, text);
    if (!target && words.length) target = includeTarget(this.#expandAll(words), text);
    if (target) this.#whole.include(target.path, target.angled, this.#source.directory, place);
  }

  #expandAll(words: readonly Token[]): Token[] {
    return this.#whole.expand(words, { open: () => false, next: () => undefined }, this.#source.file, this.#line, true);
  }

  #condition(name: string, words: readonly Token[]): boolean {
    if (name === "ifdef" || name === "elifdef") return this.#whole.isDefined(words[0]?.text ?? "");
    if (name === "ifndef" || name === "elifndef") return !this.#whole.isDefined(words[0]?.text ?? "");
    const condition = holds(this.#expandAll(this.#answered(words)));
    if (condition.cut) this.#cut(words, `this condition is nested deeper than ${deepestCondition} levels, and taken not to hold`);
    return condition.holds;
  }

  #cut(words: readonly Token[], reason: string): void {
    const [first] = words;
    const last = words.at(-1);
    if (first && last) this.#whole.cut({ file: this.#source.file, start: first.start, end: last.start + last.text.length }, reason);
  }

  /** `defined X` and `__has_include(...)` are answered before macros are expanded. */
  #answered(words: readonly Token[]): Token[] {
    const result: Token[] = [];
    for (let i = 0; i < words.length; i++) {
      const each = words[i];
      if (!each) continue;
      if (each.text === "defined") {
        const bracketed = words[i + 1]?.text === "(";
        const name = words[i + (bracketed ? 2 : 1)]?.text ?? "";
        result.push(token(NUMBER, this.#whole.isDefined(name) ? "1" : "0"));
        i += bracketed ? 3 : 1;
      } else if (/^__has_include(_next)?$/.test(each.text)) {
        const close = words.findIndex((word, at) => at > i && word.text === ")");
        const target = includeTarget(words.slice(i + 2, close < 0 ? words.length : close), this.#lexed.text);
        const found = target && this.#whole.find(target.path, target.angled, this.#source.directory);
        result.push(token(NUMBER, found && "text" in found ? "1" : "0"));
        i = close < 0 ? words.length : close;
      } else result.push(each);
    }
    return result;
  }

  /** Passes over branches not taken, up to one that is or to the `#endif`; blank. */
  #skip(): void {
    const { count, flags, kinds, starts, ends, text } = this.#lexed;
    const conditional = this.#open.at(-1);
    let depth = 0;
    while (this.#at < count) {
      const at = this.#at;
      const start = starts[at] ?? 0;
      if (!((flags[at] ?? 0) & FIRST) || kinds[at] !== PUNCTUATION || text.charCodeAt(start) !== 35) {
        this.#at++;
        continue;
      }
      const word = at + 1 < count && !((flags[at + 1] ?? 0) & FIRST) ? text.slice(starts[at + 1], ends[at + 1]) : "";
      this.#at++;
      if (word === "if" || word === "ifdef" || word === "ifndef") depth++;
      else if (word === "endif" && depth-- === 0) {
        this.#endSkip(at);
        this.#open.pop();
        return;
      } else if (depth === 0 && conditional && !conditional.taken && (word === "else" || word.startsWith("elif"))) {
        const words = this.#lineTokens(at + 2);
        if (conditional.seenElse) continue;
        if (word === "else") conditional.seenElse = true;
        if (word !== "else" && !this.#condition(word, words)) continue;
        conditional.taken = true;
        this.#blankTo(ends[this.#at - 1] ?? start);
        return;
      }
    }
    this.#blankTo(text.length);
  }

  /** Leaves the `#endif` at a token behind, with what else stands on its line. */
  #endSkip(hash: number): void {
    this.#lineTokens(hash + 1);
    this.#blankTo(this.#lexed.ends[this.#at - 1] ?? 0);
  }
}

function unclosedIn({ count, kinds, starts, text }: Lexed): ReadonlySet<number> {
  const open: number[] = [];
  for (let at = 0; at < count; at++) {
    if (kinds[at] !== PUNCTUATION) continue;
    const code = text.charCodeAt(starts[at] ?? 0);
    if (code === 40) open.push(at);
    else if (code === 41) open.pop();
  }
  return new Set(open);
}

const startOf = ({ start, moved }: Token): number => start + (moved?.by ?? 0);

const blank = (text: string): string => text.replace(/[^\r\n]/g, " ");

/** Two characters that would read as one token if they met. */
function needsSpace(before: string, after: string): boolean {
  if (!before || !after) return false;
  if (/[\w$"'.\u0080-\uffff]/.test(before) && /[\w$\u0080-\uffff]/.test(after)) return true;
  return /[-+<>&|=:/*%^!#.]/.test(before) && /[-+<>&|=:/*%#]/.test(after);
}
