import type { TextEdit } from "../parser/edit.ts";

/**
 * Preprocessing tokens of a file, in typed arrays: a file is read again at every keystroke. Comments are tokens, white
 * space is not; a backslash at a line's end joins lines.
 */
export interface Lexed {
  readonly text: string;
  readonly count: number;
  readonly kinds: Uint8Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** `FIRST` of its line (comments aside), `SPACED` from what is before it. */
  readonly flags: Uint8Array;
}

export const IDENTIFIER = 1;
export const NUMBER = 2;
export const STRING = 3;
export const CHARACTER = 4;
export const PUNCTUATION = 5;
export const COMMENT = 6;

export const FIRST = 1;
export const SPACED = 2;

const WORD = 1;
const DIGIT = 2;
const SPACE = 3;
const NEWLINE = 4;
const QUOTE = 5;
const classes = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  if (/[A-Za-z_$]/.test(character)) classes[code] = WORD;
  else if (/[0-9]/.test(character)) classes[code] = DIGIT;
  else if (character === "\n") classes[code] = NEWLINE;
  else if (code <= 32 || code === 127) classes[code] = SPACE;
  else if (character === '"' || character === "'") classes[code] = QUOTE;
}

const SLASH = 47;
const STAR = 42;
const BACKSLASH = 92;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const DOT = 46;
const DOUBLE_QUOTE = 34;
const APOSTROPHE = 39;
const HASH = 35;

/** Letters may be any above ASCII, but for the byte order mark, the replacement character and exotic spaces. */
const classOf = (code: number): number =>
  code < 128
    ? (classes[code] ?? 0)
    : code === 0xfeff || code === 0xa0 || (code >= 0x2000 && code <= 0x206f) || code === 0x3000
      ? SPACE
      : WORD;

/** Splits a text into tokens; never fails. */
export const lex = (text: string): Lexed => lexFrom(text, 0, Math.max(64, text.length >> 2), () => false);

/** The tokens of an edited text, and which of them are those of the text before. */
export interface Relexed {
  readonly lexed: Lexed;
  /** The first token behind the edit that is one of the text before, and by how much its number and its offsets grew. */
  readonly same: number;
  readonly tokens: number;
  readonly characters: number;
}

/**
 * Splits an edited text into tokens, as far as they are not those it had before.
 * @param from a token of the text before, the first of its line, that starts before the edit; or the first of all
 */
export function relex(before: Lexed, from: number, text: string, edit: TextEdit): Relexed {
  const characters = text.length - before.text.length;
  let old = from;
  // On a line that started as it starts now nothing is left of what stood above; what stands before the first token is read with it.
  const middle = lexFrom(text, from === 0 ? 0 : (before.starts[from] ?? 0), 64, (start) => {
    if (start < edit.newEnd) return false;
    while (old < before.count && (before.starts[old] ?? 0) < start - characters) old++;
    return before.starts[old] === start - characters && ((before.flags[old] ?? 0) & FIRST) !== 0 && old > from;
  });
  const rest = middle.stopped ? before.count - old : 0;
  const count = from + middle.count + rest;
  const join = (head: Uint8Array, inner: Uint8Array, tail: Uint8Array): Uint8Array => {
    const all = new Uint8Array(count);
    all.set(head.subarray(0, from));
    all.set(inner.subarray(0, middle.count), from);
    all.set(tail.subarray(old, old + rest), from + middle.count);
    return all;
  };
  const joinOffsets = (head: Int32Array, inner: Int32Array): Int32Array => {
    const all = new Int32Array(count);
    all.set(head.subarray(0, from));
    all.set(inner.subarray(0, middle.count), from);
    all.set(head.subarray(old, old + rest), from + middle.count);
    if (characters !== 0) for (let i = from + middle.count; i < count; i++) all[i] = (all[i] as number) + characters;
    return all;
  };
  return {
    lexed: {
      text,
      count,
      kinds: join(before.kinds, middle.kinds, before.kinds),
      flags: join(before.flags, middle.flags, before.flags),
      starts: joinOffsets(before.starts, middle.starts),
      ends: joinOffsets(before.ends, middle.ends),
    },
    same: from + middle.count,
    tokens: count - before.count,
    characters,
  };
}

/** From an offset where a line starts on. `stops`: asked for the first token of each line, by its offset; true ends the lexing before it. */
function lexFrom(text: string, from: number, room: number, stops: (start: number) => boolean): Lexed & { readonly stopped: boolean } {
  const length = text.length;
  let capacity = room;
  let kinds = new Uint8Array(capacity);
  let flags = new Uint8Array(capacity);
  let starts = new Int32Array(capacity);
  let ends = new Int32Array(capacity);
  let count = 0;
  let first = true;
  let spaced = from > 0;
  let at = from;
  let stopped = false;

  const push = (kind: number, start: number, end: number) => {
    if (count === capacity) {
      capacity *= 2;
      kinds = grown(kinds, capacity);
      flags = grown(flags, capacity);
      const moreStarts = new Int32Array(capacity);
      moreStarts.set(starts);
      starts = moreStarts;
      const moreEnds = new Int32Array(capacity);
      moreEnds.set(ends);
      ends = moreEnds;
    }
    kinds[count] = kind;
    starts[count] = start;
    ends[count] = end;
    flags[count++] = (first ? FIRST : 0) | (spaced ? SPACED : 0);
    if (kind === COMMENT) spaced = true;
    else {
      first = false;
      spaced = false;
    }
  };

  while (at < length) {
    const code = text.charCodeAt(at);
    const start = at;
    const kind = classOf(code);
    if (first && kind !== SPACE && kind !== NEWLINE && stops(start)) {
      stopped = true;
      break;
    }
    switch (kind) {
      case SPACE:
        at++;
        spaced = true;
        continue;
      case NEWLINE:
        at++;
        first = true;
        spaced = true;
        continue;
      case WORD: {
        at = wordEnd(text, at + 1);
        const quote = text.charCodeAt(at);
        if ((quote === DOUBLE_QUOTE || quote === APOSTROPHE) && at - start <= 3 && isPrefix(text, start, at)) {
          const raw = quote === DOUBLE_QUOTE && text[at - 1] === "R";
          at = raw ? rawEnd(text, at) : quotedEnd(text, at, quote);
          push(quote === DOUBLE_QUOTE ? STRING : CHARACTER, start, at);
        } else push(IDENTIFIER, start, at);
        continue;
      }
      case DIGIT:
        at = numberEnd(text, at + 1);
        push(NUMBER, start, at);
        continue;
      case QUOTE:
        at = quotedEnd(text, at, code);
        push(code === DOUBLE_QUOTE ? STRING : CHARACTER, start, at);
        continue;
      default:
        break;
    }
    const next = text.charCodeAt(at + 1);
    if (code === SLASH && next === SLASH) {
      at = lineEnd(text, at + 2);
      push(COMMENT, start, at);
    } else if (code === SLASH && next === STAR) {
      const close = text.indexOf("*/", at + 2);
      at = close < 0 ? length : close + 2;
      push(COMMENT, start, at);
    } else if (code === BACKSLASH && (next === LINE_FEED || (next === CARRIAGE_RETURN && text.charCodeAt(at + 2) === LINE_FEED))) {
      at += next === LINE_FEED ? 2 : 3;
      spaced = true;
    } else if (code === DOT && classOf(next) === DIGIT) {
      at = numberEnd(text, at + 1);
      push(NUMBER, start, at);
    } else {
      at += code === HASH && next === HASH ? 2 : punctuationLength(text, at, code, next);
      push(PUNCTUATION, start, at);
    }
  }
  return { text, count, kinds, starts, ends, flags, stopped };
}

function grown(from: Uint8Array<ArrayBuffer>, capacity: number): Uint8Array<ArrayBuffer> {
  const more = new Uint8Array(capacity);
  more.set(from);
  return more;
}

function wordEnd(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const kind = classOf(text.charCodeAt(at));
    if (kind !== WORD && kind !== DIGIT) break;
  }
  return at;
}

const isPrefix = (text: string, start: number, end: number): boolean => /^(u8|[uUL])?R?$/.test(text.slice(start, end));

/** A preprocessing number: digits, letters, points, signs after an exponent, and digit separators. */
function numberEnd(text: string, from: number): number {
  // What `e` is in a hexadecimal number is a digit, until there is a `p`.
  let isHex = /^0[xX]$/.test(text.slice(from - 1, from + 1));
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const kind = classOf(code);
    if (code === 80 || code === 112) isHex = false;
    if (kind === WORD || kind === DIGIT || code === DOT) continue;
    if ((code === 43 || code === 45) && !isHex && /[eEpP]/.test(text[at - 1] ?? "")) continue;
    if (code === APOSTROPHE && /[0-9a-zA-Z]/.test(text[at + 1] ?? "")) continue;
    break;
  }
  return at;
}

/** A quoted literal ends at its quote, or, unclosed, at the line's end. */
function quotedEnd(text: string, from: number, quote: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    if (code === BACKSLASH) {
      if (text.charCodeAt(at + 1) === CARRIAGE_RETURN && text.charCodeAt(at + 2) === LINE_FEED) at++;
      at++;
    } else if (code === LINE_FEED) return at;
  }
  return text.length;
}

/** Characters between the quote of a raw string and its parenthesis. */
const longestDelimiter = 16;

function rawEnd(text: string, quote: number): number {
  const open = quote + text.slice(quote, quote + longestDelimiter + 2).indexOf("(");
  if (open < quote) return quotedEnd(text, quote, DOUBLE_QUOTE);
  const close = `)${text.slice(quote + 1, open)}"`;
  const end = text.indexOf(close, open);
  return end < 0 ? text.length : end + close.length;
}

/** The end of a `//` comment: a backslash at the end continues it. */
function lineEnd(text: string, from: number): number {
  let at = from;
  for (;;) {
    at = text.indexOf("\n", at);
    if (at < 0) return text.length;
    const last = text.charCodeAt(at - 1) === CARRIAGE_RETURN ? at - 2 : at - 1;
    if (text.charCodeAt(last) !== BACKSLASH) return text.charCodeAt(at - 1) === CARRIAGE_RETURN ? at - 1 : at;
    at++;
  }
}

/** Two-character operators matter for pasting and for not gluing tokens together; longer ones may be split. */
function punctuationLength(text: string, at: number, code: number, next: number): number {
  const a = text[at] ?? "";
  if (code === next && "+-<>&|=:".includes(a)) return 2;
  if (next === 61 && "=!<>+-*/%&|^".includes(a)) return 2;
  if (code === 45 && next === 62) return 2;
  if (code === DOT && next === DOT && text.charCodeAt(at + 2) === DOT) return 3;
  return 1;
}

const cache = new Map<string, Lexed>();
const CACHE_CHARACTERS = 16_000_000;
let cachedCharacters = 0;

/** The tokens of a header, kept by its content: the same headers are read again for every file and every keystroke. */
export function lexCached(text: string): Lexed {
  const known = cache.get(text);
  if (known) {
    cache.delete(text);
    cache.set(text, known);
    return known;
  }
  const lexed = lex(text);
  cache.set(text, lexed);
  cachedCharacters += text.length;
  for (const oldest of cache.keys()) {
    if (cachedCharacters <= CACHE_CHARACTERS) break;
    cache.delete(oldest);
    cachedCharacters -= oldest.length;
  }
  return lexed;
}
