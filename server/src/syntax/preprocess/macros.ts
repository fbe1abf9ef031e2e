import { CHARACTER, IDENTIFIER, type Lexed, lex, NUMBER, PUNCTUATION, SPACED, STRING } from "./lexer.ts";

/** A token on its way through expansion. */
export interface Token {
  readonly kind: number;
  readonly text: string;
  /** White space stood before it. */
  readonly spaced: boolean;
  /** Where it is spelled; file -1 when pasted or made up. */
  readonly file: number;
  readonly start: number;
  /** By how much its file's text has moved there since it was read. */
  readonly moved: Moved | undefined;
  /** The macro whose body spells it, if one does. */
  readonly macro: string | undefined;
  /** Macros it came through, which it may not call again. */
  readonly hidden: ReadonlySet<string>;
}

/** How far a definition in the opened file has moved since it was read: the same object for all its tokens. */
export interface Moved {
  by: number;
}

export interface Macro {
  readonly name: string;
  /** Where it is defined in the opened file, as that was when it was read. */
  readonly at?: number;
  readonly moved?: Moved | undefined;
  /** Absent for an object-like macro. */
  readonly parameters?: readonly string[];
  readonly variadic: boolean;
  readonly body: readonly Token[];
  /** `__LINE__` and its kin: what stands for it depends on where it is used. */
  readonly dynamic?: "line" | "file" | "counter" | "zero";
}

const noneHidden: ReadonlySet<string> = new Set();

export const token = (kind: number, text: string, spaced = false): Token => ({
  kind,
  text,
  spaced,
  file: -1,
  start: 0,
  moved: undefined,
  macro: undefined,
  hidden: noneHidden,
});

/** A token of a file as it stands there. */
export function tokenAt(lexed: Lexed, index: number, file: number, macro?: string): Token {
  const start = lexed.starts[index] ?? 0;
  const spaced = ((lexed.flags[index] ?? 0) & SPACED) !== 0;
  return {
    kind: lexed.kinds[index] ?? 0,
    text: lexed.text.slice(start, lexed.ends[index]),
    spaced,
    file,
    start,
    moved: undefined,
    macro,
    hidden: noneHidden,
  };
}

/**
 * A definition from the tokens after `#define`. Undefined when it is malformed; a definition that cannot be read is as if
 * it were not there.
 */
export function define(tokens: readonly Token[]): Macro | undefined {
  const [named, open] = tokens;
  if (named?.kind !== IDENTIFIER) return undefined;
  const name = named.text;
  const moved = named.file === 0 ? { by: 0 } : undefined;
  const place = moved && { at: named.start, moved };
  const own = (from: number) => tokens.slice(from).map((each, i): Token => ({ ...each, moved, macro: name, spaced: i > 0 && each.spaced }));
  if (open?.text !== "(" || open.spaced) return { name, ...place, variadic: false, body: own(1) };
  const parameters: string[] = [];
  let variadic = false;
  let at = 2;
  for (; at < tokens.length; at++) {
    const text = tokens[at]?.text;
    if (text === ")") break;
    if (text === ",") continue;
    if (text === "...") {
      // `args...` names what `...` alone calls __VA_ARGS__.
      if (tokens[at - 1]?.kind !== IDENTIFIER) parameters.push("__VA_ARGS__");
      variadic = true;
    } else if (tokens[at]?.kind === IDENTIFIER && text !== undefined) parameters.push(text);
    else return undefined;
  }
  if (at >= tokens.length) return undefined;
  return { name, ...place, parameters, variadic, body: own(at + 1) };
}

/** A macro given on the command line, or that the compiler or CUDA's headers define: `name`, `name(a)` and a body. */
export function defineText(head: string, body: string): Macro | undefined {
  const lexed = lex(`${head} ${body}`);
  const tokens: Token[] = [];
  for (let i = 0; i < lexed.count; i++) tokens.push({ ...tokenAt(lexed, i, -1), start: 0 });
  return define(tokens);
}

/** Gives the arguments of a call whose `(` was just read, and the hidden set of its `)`. */
export interface CallReader {
  /** The next token if it is `(`: taken. */
  open(): boolean;
  next(): Token | undefined;
}

/**
 * How many tokens macros may put down, for one use and in one reading: nested doubling would fill any memory. A long one counts for each
 * stretch of characters that it begins: `#` makes one of many, and doubles the backslashes of one that it made.
 */
export const MAX_TOKENS_A_USE = 100_000;
export const MAX_TOKENS = 1_000_000;
/** How many one replacement may come to: what its arguments took was spent before it was known to be too much. */
const MAX_TOKENS_A_BODY = 4 * MAX_TOKENS_A_USE;
export const CHARACTERS_A_TOKEN = 32;
const weightOf = ({ text }: Token): number => Math.max(1, Math.ceil(text.length / CHARACTERS_A_TOKEN));
/** Uses in each other's arguments, or macros that each stand for the next. */
export const deepestUse = 200;

export class Expander {
  macros: ReadonlyMap<string, Macro>;
  /** What `__COUNTER__` gives next. */
  counter = 0;
  /** Uses of `__LINE__`. */
  lines = 0;
  #spent = 0;
  #limit = MAX_TOKENS;
  #depth = 0;
  #cut = 0;
  /** A replacement in the present use came to too much: those around it, which would begin to grow again, are not made either. */
  #isTooMuch = false;

  /** How often something was not expanded that a compiler would expand. */
  get cut(): number {
    return this.#cut;
  }

  constructor(macros: ReadonlyMap<string, Macro>) {
    this.macros = macros;
  }

  /** Expands a token, reading further tokens from `source` for the arguments of calls. */
  expand(first: readonly Token[], source: CallReader, place: { readonly line: number; readonly file: string }): Token[] {
    if (this.#depth++ === 0) {
      this.#limit = Math.min(MAX_TOKENS, this.#spent + MAX_TOKENS_A_USE);
      this.#isTooMuch = false;
    }
    const pending = first.toReversed();
    const result: Token[] = [];
    const from: CallReader = {
      open() {
        const next = pending.at(-1);
        if (!next) return source.open();
        if (next.text !== "(") return false;
        pending.pop();
        return true;
      },
      next: () => pending.pop() ?? source.next(),
    };
    for (let next = pending.pop(); next; next = pending.pop()) {
      const macro = next.kind === IDENTIFIER && !next.hidden.has(next.text) ? this.macros.get(next.text) : undefined;
      if (macro && (this.#spent >= this.#limit || this.#depth > deepestUse || next.hidden.size >= deepestUse)) {
        this.#cut++;
        // Nor is it when what holds it is gone through again.
        result.push({ ...next, hidden: new Set(next.hidden).add(next.text) });
        continue;
      }
      const replaced = macro && this.#replace(next, macro, from, place);
      if (!replaced) {
        result.push(next);
        continue;
      }
      this.#spent++;
      for (let i = replaced.length - 1; i >= 0; i--) {
        const each = replaced[i];
        if (!each) continue;
        this.#spent += weightOf(each);
        pending.push(i === 0 ? { ...each, spaced: next.spaced } : each);
      }
    }
    this.#depth--;
    return result;
  }

  #replace(call: Token, macro: Macro, from: CallReader, place: { readonly line: number; readonly file: string }): Token[] | undefined {
    if (macro.dynamic) return this.#dynamic(macro.dynamic, call, from, place);
    if (!macro.parameters) {
      const body = macro.body.slice();
      return hide(body.some((each) => each.text === "##") ? paste(body) : body, call.hidden, macro.name);
    }
    if (!from.open()) return undefined;
    const { parts, closed } = readArguments(from);
    const asWritten = (end: readonly Token[]): Token[] => {
      const all = parts.flatMap((part, i) => (i ? [token(PUNCTUATION, ","), ...part] : part));
      return hide([call, token(PUNCTUATION, "("), ...all, ...end], call.hidden, macro.name);
    };
    // An unclosed call: what was read goes back as it was, and the name stands for itself.
    if (!closed) return asWritten([]);
    const body = this.#substitute(macro, bind(macro, parts), place);
    if (body && !this.#isTooMuch) return hide(body, call.hidden, macro.name);
    this.#isTooMuch = true;
    this.#cut++;
    return asWritten([token(PUNCTUATION, ")")]);
  }

  #dynamic(
    kind: NonNullable<Macro["dynamic"]>,
    call: Token,
    from: CallReader,
    place: { readonly line: number; readonly file: string },
  ): Token[] | undefined {
    if (kind === "line") {
      this.lines++;
      return [token(NUMBER, String(place.line), call.spaced)];
    }
    if (kind === "counter") return [token(NUMBER, String(this.counter++), call.spaced)];
    if (kind === "file") return [token(STRING, JSON.stringify(place.file), call.spaced)];
    if (!from.open()) return [token(NUMBER, "0", call.spaced)];
    readArguments(from);
    return [token(NUMBER, "0", call.spaced)];
  }

  /** The body with its parameters replaced, `#` and `##` done; undefined where it comes to too much. */
  #substitute(
    macro: Macro,
    values: ReadonlyMap<string, readonly Token[]>,
    place: { readonly line: number; readonly file: string },
  ): Token[] | undefined {
    return new Substitution(macro, values, (tokens) => this.expand(tokens, nothing, place)).run();
  }
}

const nothing: CallReader = { open: () => false, next: () => undefined };

/** The tokens, hidden from a macro and from those its call was hidden from. Tokens that share a set share the larger one. */
function hide(tokens: readonly Token[], hidden: ReadonlySet<string>, name: string): Token[] {
  const shared = new Set(hidden).add(name);
  const larger = new Map<ReadonlySet<string>, ReadonlySet<string>>([[noneHidden, shared]]);
  return tokens.map((each) => {
    let all = larger.get(each.hidden);
    if (!all) larger.set(each.hidden, (all = new Set([...each.hidden, ...shared])));
    return {
      kind: each.kind,
      text: each.text,
      spaced: each.spaced,
      file: each.file,
      start: each.start,
      moved: each.moved,
      macro: each.macro,
      hidden: all,
    };
  });
}

function readArguments(from: CallReader): { parts: Token[][]; closed: boolean } {
  const parts: Token[][] = [];
  let part: Token[] = [];
  let depth = 0;
  for (let next = from.next(); next; next = from.next()) {
    if (next.kind === PUNCTUATION) {
      if (next.text === "(") depth++;
      else if (next.text === ")" && depth-- === 0) {
        parts.push(part);
        return { parts, closed: true };
      } else if (next.text === "," && depth === 0) {
        parts.push(part);
        part = [];
        continue;
      }
    }
    part.push(next);
  }
  parts.push(part);
  return { parts, closed: false };
}

/** Pairs parameters with arguments; the last parameter of a variadic macro takes all that is left, commas and all. */
function bind(macro: Macro, parts: readonly (readonly Token[])[]): ReadonlyMap<string, readonly Token[]> {
  const values = new Map<string, readonly Token[]>();
  const names = macro.parameters ?? [];
  names.forEach((name, i) => {
    const rest = macro.variadic && i === names.length - 1;
    values.set(
      name,
      rest
        ? parts
            .slice(i)
            .flatMap((part, k) => (k ? [token(PUNCTUATION, ","), ...part.map((each, n) => (n ? each : { ...each, spaced: true }))] : part))
        : (parts[i] ?? []),
    );
  });
  return values;
}

/** One replacement of a function-like macro's body. */
class Substitution {
  readonly #macro: Macro;
  readonly #values: ReadonlyMap<string, readonly Token[]>;
  readonly #expand: (tokens: readonly Token[]) => readonly Token[];
  readonly #expanded = new Map<string, readonly Token[]>();
  #weight = 0;

  constructor(macro: Macro, values: ReadonlyMap<string, readonly Token[]>, expand: (tokens: readonly Token[]) => readonly Token[]) {
    this.#macro = macro;
    this.#values = values;
    this.#expand = expand;
  }

  /** Undefined where it comes to too much: arguments that were doubled are doubled again. */
  run(): Token[] | undefined {
    const body = this.#body(this.#macro.body);
    return this.#weight > MAX_TOKENS_A_BODY ? undefined : paste(body);
  }

  #body(body: readonly Token[]): Token[] {
    const result: Token[] = [];
    const put = (one: Token): void => {
      this.#weight += weightOf(one);
      result.push(one);
    };
    for (let i = 0; i < body.length && this.#weight <= MAX_TOKENS_A_BODY; i++) {
      const each = body[i];
      if (!each) continue;
      const next = body[i + 1];
      if (each.text === "#" && next && this.#values.has(next.text)) {
        put(token(STRING, stringify(this.#values.get(next.text) ?? []), each.spaced));
        i++;
      } else if (each.text === "__VA_OPT__" && this.#macro.variadic && next?.text === "(") {
        const close = closing(body, i + 1);
        const given = this.#argument(this.#macro.parameters?.at(-1) ?? "").length > 0;
        const inner = given ? this.#body(body.slice(i + 2, close)) : [];
        for (const one of inner.length || !besidePaste(body, i, close) ? inner : [placemarker]) result.push(one);
        i = close;
      } else if (each.kind === IDENTIFIER && this.#values.has(each.text)) {
        for (const one of this.#parameter(body, i, each, result)) put(one);
      } else put(each);
    }
    return result;
  }

  #parameter(body: readonly Token[], i: number, each: Token, result: Token[]): readonly Token[] {
    const raw = this.#values.get(each.text) ?? [];
    const before = body[i - 1]?.text === "##";
    const after = body[i + 1]?.text === "##";
    // GNU: `, ## __VA_ARGS__` drops the comma when there are no arguments, and pastes nothing otherwise.
    if (before && body[i - 2]?.text === "," && this.#macro.variadic && each.text === this.#macro.parameters?.at(-1)) {
      result.pop();
      if (!raw.length) {
        result.pop();
        return [];
      }
      return this.#argument(each.text);
    }
    if (before || after) return raw.length ? raw.map((one, k) => (k ? one : { ...one, spaced: each.spaced })) : [placemarker];
    return this.#argument(each.text).map((one, k) => (k ? one : { ...one, spaced: each.spaced }));
  }

  #argument(name: string): readonly Token[] {
    let expanded = this.#expanded.get(name);
    if (!expanded) {
      expanded = this.#expand(this.#values.get(name) ?? []);
      this.#expanded.set(name, expanded);
    }
    return expanded;
  }
}

/** Stands for an empty argument next to `##`. */
const placemarker: Token = token(0, "");

const besidePaste = (body: readonly Token[], open: number, close: number): boolean =>
  body[open - 1]?.text === "##" || body[close + 1]?.text === "##";

function closing(body: readonly Token[], open: number): number {
  let depth = 0;
  for (let i = open; i < body.length; i++) {
    if (body[i]?.text === "(") depth++;
    else if (body[i]?.text === ")" && --depth === 0) return i;
  }
  return body.length;
}

const PASTED = -1;

function paste(tokens: Token[]): Token[] {
  if (!tokens.some((each) => each.text === "##" || each === placemarker)) return tokens;
  const result: Token[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const each = tokens[i];
    if (!each) continue;
    const left = result.at(-1);
    const right = tokens[i + 1];
    if (each.text !== "##" || each.macro === undefined || !left || !right) {
      result.push(each);
      continue;
    }
    result.pop();
    i++;
    if (left.text === "" || right.text === "") result.push(left.text === "" ? { ...right, spaced: left.spaced } : left);
    else result.push({ ...token(PASTED, left.text + right.text, left.spaced), hidden: left.hidden });
  }
  // What is pasted is looked at once it is whole: many may be pasted to one.
  return result.flatMap((each) => (each.text === "" ? [] : each.kind === PASTED ? { ...each, kind: kindOf(each.text) } : each));
}

function kindOf(text: string): number {
  if (/^[A-Za-z_$\u0080-\uffff][\w$\u0080-\uffff]*$/.test(text)) return IDENTIFIER;
  if (/^\.?\d/.test(text)) return NUMBER;
  return /"$/.test(text) ? STRING : /'$/.test(text) ? CHARACTER : PUNCTUATION;
}

function stringify(tokens: readonly Token[]): string {
  const text = tokens
    .map(
      (each, i) =>
        (i && each.spaced ? " " : "") + (each.kind === STRING || each.kind === CHARACTER ? each.text.replace(/["\\]/g, "\\$&") : each.text),
    )
    .join("");
  return `"${text.replace(/\r?\n/g, "\\n")}"`;
}
