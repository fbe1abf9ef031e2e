/**
 * What a source file may define and launch, as far as its words tell without parsing it: enough to know which files are worth being
 * parsed. Found in one pass over its tokens.
 */
import { COMMENT, FIRST, IDENTIFIER, type Lexed, lex, NUMBER, PUNCTUATION, SPACED } from "../syntax/preprocess/lexer.ts";

export interface SourceOutline {
  /** Every word. */
  readonly words: ReadonlySet<string>;
  /** Names behind something like a type, with parameters and a body. */
  readonly functions: ReadonlySet<string>;
  /** Names with parameters and a body, whatever stands before them, where the parameters have no parentheses. */
  readonly bodies: ReadonlySet<string>;
  /** `owner::name` of what is defined, or called, outside of its class. */
  readonly methods: ReadonlySet<string>;
  /** Names that stand where a variable's does in its definition. */
  readonly variables: ReadonlySet<string>;
  /** Kernels. */
  readonly launched: ReadonlySet<string>;
  readonly hasMain: boolean;
}

const OPENING_PARENTHESIS = 40;
const CLOSING_PARENTHESIS = 41;
const SEMICOLON = 59;
const LESS = 60;
const GREATER = 62;
const OPENING_BRACE = 123;
const CLOSING_BRACE = 125;

/** What looks like a function's definition and is none. */
const keywords: ReadonlySet<string> = new Set(["if", "for", "while", "switch", "catch", "main"]);

/** Characters of texts whose outlines are kept: the neighbours of one file are those of the next. */
const mostKept = 16_000_000;
const kept = new Map<string, SourceOutline>();
let keptCharacters = 0;

export function outlineOf(text: string): SourceOutline {
  const known = kept.get(text);
  if (known) return known;
  const outline = new Outliner(withoutComments(lex(text)));
  outline.run();
  kept.set(text, outline);
  keptCharacters += text.length;
  for (const oldest of kept.keys()) {
    if (keptCharacters <= mostKept) break;
    kept.delete(oldest);
    keptCharacters -= oldest.length;
  }
  return outline;
}

function withoutComments(lexed: Lexed): Lexed {
  const { kinds, flags, starts, ends } = lexed;
  let count = 0;
  for (let at = 0; at < lexed.count; at++) {
    if (kinds[at] === COMMENT) continue;
    kinds[count] = kinds[at] ?? 0;
    flags[count] = flags[at] ?? 0;
    starts[count] = starts[at] ?? 0;
    ends[count++] = ends[at] ?? 0;
  }
  return { ...lexed, count };
}

class Outliner implements SourceOutline {
  readonly words = new Set<string>();
  readonly functions = new Set<string>();
  readonly bodies = new Set<string>();
  readonly methods = new Set<string>();
  readonly variables = new Set<string>();
  readonly launched = new Set<string>();
  hasMain = false;
  readonly #text: string;
  readonly #kinds: Uint8Array;
  readonly #flags: Uint8Array;
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;
  readonly #count: number;

  // Since the last `;`, `{` or `}`:
  /** Names of what may be a function, if a body follows. */
  #heads: string[] = [];
  /** Names before each `<` that is open. */
  #angles: (string | undefined)[] = [];
  /** The name whose arguments the last `>` closed. */
  #closed: string | undefined;
  #lastOpen = -1;
  #lastClose = -1;
  /** Nothing but words stands behind the last `)`. */
  #onlyWords = false;
  /** Parentheses that closed since the last one opened. */
  #closes = 0;
  /** The line is a declaration of something that is defined elsewhere. */
  #isExtern = false;

  constructor({ text, count, kinds, flags, starts, ends }: Lexed) {
    this.#text = text;
    [this.#kinds, this.#flags, this.#starts, this.#ends, this.#count] = [kinds, flags, starts, ends, count];
  }

  run(): void {
    const behind = this.#behindBrackets();
    for (let at = 0; at < this.#count; at++) {
      if (this.#flag(at, FIRST)) this.#isExtern = this.#is(at, "extern") && !this.#lineOf(at).includes("=");
      if (this.#kinds[at] === IDENTIFIER) this.#word(at, behind);
      else if (this.#kinds[at] === PUNCTUATION) at += this.#punctuation(at);
      else if (this.#kinds[at] !== NUMBER) this.#onlyWords = false;
    }
  }

  #word(at: number, behind: Int32Array): void {
    const word = this.#textOf(at);
    this.words.add(word);
    if (this.#isTypeLike(at - 1, ",") && !this.#isExtern && this.#begins(behind[at + 1] ?? -1, "=;,{(")) this.variables.add(word);
    const name = word === "operator" ? this.#operatorName(at) : { text: word, end: at + 1 };
    if (!this.#is(name.end, "(")) return;
    if (word === "main") this.hasMain = true;
    const isDestructor = this.#is(at - 1, "~");
    const full = isDestructor ? `~${name.text}` : name.text;
    let first = isDestructor ? at - 1 : at;
    if (this.#is(first - 1, "::")) {
      const owner = this.#kinds[first - 2] === IDENTIFIER ? this.#textOf(first - 2) : this.#closed;
      if (owner !== undefined) this.methods.add(`${owner}::${full}`);
    }
    while (this.#is(first - 1, "::") && this.#kinds[first - 2] === IDENTIFIER) first -= 2;
    if (this.#isTypeLike(first - 1, "") && (this.#flag(first, SPACED | FIRST) || this.#isPointer(first - 1))) this.#heads.push(full);
  }

  /** @returns how many tokens more belong to it */
  #punctuation(at: number): number {
    const start = this.#starts[at] ?? 0;
    const isDouble = (this.#ends[at] ?? 0) - start === 2;
    switch (this.#text.charCodeAt(start)) {
      case OPENING_BRACE:
        this.#body(at);
        this.#begin();
        return 0;
      case SEMICOLON:
      case CLOSING_BRACE:
        this.#begin();
        return 0;
      case OPENING_PARENTHESIS:
        this.#lastOpen = at;
        this.#closes = 0;
        break;
      case CLOSING_PARENTHESIS:
        this.#lastClose = at;
        this.#closes++;
        this.#onlyWords = true;
        return 0;
      case LESS:
        this.#onlyWords = false;
        if (!isDouble) this.#angles.push(this.#kinds[at - 1] === IDENTIFIER ? this.#textOf(at - 1) : undefined);
        else if (this.#text[start + 2] === "<") {
          const kernel = this.#kinds[at - 1] === IDENTIFIER ? this.#textOf(at - 1) : this.#closed;
          if (kernel !== undefined) this.launched.add(kernel);
          return 1;
        }
        return 0;
      case GREATER:
        if (isDouble && this.#text[start + 1] !== ">") break;
        if (isDouble) this.#angles.pop();
        this.#closed = this.#angles.pop();
    }
    this.#onlyWords = false;
    return 0;
  }

  #body(at: number): void {
    if (this.#lastClose >= 0 && this.#onlyWords) for (const head of this.#heads) this.functions.add(head);
    const name = this.#lastOpen - 1;
    if (this.#lastClose !== at - 1 || this.#closes !== 1 || this.#kinds[name] !== IDENTIFIER) return;
    const word = this.#textOf(name);
    if (!keywords.has(word)) this.bodies.add(word);
  }

  #begin(): void {
    if (this.#heads.length > 0) this.#heads = [];
    if (this.#angles.length > 0) this.#angles = [];
    this.#closed = undefined;
    this.#lastOpen = this.#lastClose = -1;
    this.#closes = 0;
    this.#onlyWords = false;
  }

  /** `operator[]`, `operator()`, and where it ends. */
  #operatorName(at: number): { readonly text: string; readonly end: number } {
    let end = at + 1;
    if (this.#is(end, "(") && this.#is(end + 1, ")")) end += 2;
    else while (end < this.#count && end - at <= 3 && this.#kinds[end] === PUNCTUATION && !this.#begins(end, "(;{}")) end++;
    return { text: `operator${this.#text.slice(this.#ends[at], this.#ends[end - 1])}`, end };
  }

  /** By token: itself, or what follows the brackets that begin there; -1 where they are not closed. */
  #behindBrackets(): Int32Array {
    const behind = new Int32Array(this.#count + 2).fill(this.#count);
    let close = -1;
    for (let at = this.#count - 1; at >= 0; at--) {
      if (this.#is(at, "]")) close = at;
      behind[at] = !this.#is(at, "[") ? at : close < 0 ? -1 : (behind[close + 1] ?? -1);
    }
    return behind;
  }

  /** What may stand before a name that is declared. @param more characters it may end in */
  #isTypeLike(at: number, more: string): boolean {
    const kind = this.#kinds[at];
    if (at < 0 || kind === undefined) return false;
    return kind === IDENTIFIER || kind === NUMBER || (kind === PUNCTUATION && `*&>${more}`.includes(this.#lastOf(at)));
  }

  #isPointer(at: number): boolean {
    return this.#kinds[at] === PUNCTUATION && "*&".includes(this.#lastOf(at));
  }

  #is(at: number, text: string): boolean {
    if (at < 0 || at >= this.#count) return false;
    const start = this.#starts[at] ?? 0;
    return (this.#ends[at] ?? 0) - start === text.length && this.#text.startsWith(text, start);
  }

  #begins(at: number, characters: string): boolean {
    return at >= 0 && at < this.#count && characters.includes(this.#text[this.#starts[at] ?? 0] ?? " ");
  }

  #flag(at: number, flag: number): boolean {
    return ((this.#flags[at] ?? 0) & flag) !== 0;
  }

  #textOf(at: number): string {
    return this.#text.slice(this.#starts[at], this.#ends[at]);
  }

  #lastOf(at: number): string {
    return this.#text[(this.#ends[at] ?? 0) - 1] ?? "";
  }

  #lineOf(at: number): string {
    const start = this.#starts[at] ?? 0;
    const end = this.#text.indexOf("\n", start);
    return this.#text.slice(start, end < 0 ? undefined : end);
  }
}
