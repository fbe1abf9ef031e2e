import type { Node } from "./ast.ts";
import type { Repair } from "./parser/parser.ts";

/**
 * What a text that does not parse may have meant, tried where the errors are and kept where it helps: most of it is
 * macros whose headers were not found.
 */
export const repairs: readonly Repair[] = [
  around(comparisonsInCalls),
  around(attributeMacros),
  around(statementsWithoutSemicolon),
  around(deletedFunctions),
  around(typenameInExpressions),
  around(madeOfWords),
  around(callsOfTypes),
  around(bracedDefaults),
];

interface Replacement {
  readonly start: number;
  readonly text: string;
}

const blank = (start: number, end: number): Replacement => ({ start, text: " ".repeat(end - start) });

/** A rule that looks at the statement or declaration around each error. */
function around(rule: (text: string, start: number, end: number) => Iterable<Replacement>): Repair {
  return (text, errors) => {
    const replacements = new Map<number, string>();
    for (const [start, end] of surroundings(text, errors))
      for (const each of rule(text, start, end)) replacements.set(each.start, each.text);
    const pieces: string[] = [];
    let at = 0;
    for (const [start, replacement] of [...replacements].sort(([a], [b]) => a - b)) {
      if (start < at) continue;
      pieces.push(text.slice(at, start), replacement);
      at = start + replacement.length;
    }
    return pieces.join("") + text.slice(at);
  };
}

const MAX_ERRORS = 50;
const MAX_SURROUNDING = 600;

function* surroundings(text: string, errors: readonly Node[]): Generator<[number, number]> {
  for (const { start, end } of errors.slice(0, MAX_ERRORS)) {
    // From the end of what stands before, seen from the line before the error: it may show only at the next token.
    const line = text.lastIndexOf("\n", Math.max(0, start - 1));
    // Of a line that has no end near, only what is near: some patterns look behind themselves over all of what they are given.
    let from = Math.max(0, start - 2 * MAX_SURROUNDING, Math.min(line, start));
    while (from > 0 && start - from < MAX_SURROUNDING && !/[;{}]/.test(text[from - 1] ?? "")) from--;
    const behind = Math.min(end, start + MAX_SURROUNDING);
    const newline = text.indexOf("\n", behind);
    // What looks behind in a window goes over it once for each place in it: a line may be all of a text.
    yield [from, Math.min(newline < 0 ? text.length : newline, behind + MAX_SURROUNDING)];
  }
}

const keywords =
  "alignas|asm|auto|bool|break|case|catch|char|class|const|constexpr|continue|decltype|default|delete|do|double|else|enum|explicit|extern|false|float|for|friend|goto|if|inline|int|long|mutable|namespace|new|noexcept|nullptr|operator|private|protected|public|register|return|short|signed|sizeof|static|static_assert|struct|switch|template|this|throw|true|try|typedef|typename|union|unsigned|using|virtual|void|volatile|while|__device__|__host__|__global__|__shared__|__constant__|__managed__|__forceinline__|__noinline__|__restrict__|__inline__|__grid_constant__";
const isKeyword = new RegExp(`^(?:${keywords})$`);
/** A word that stands where only specifiers do: before another specifier or a type the language has. */
const beforeSpecifier =
  /\b[A-Za-z_]\w*\b(?=\s+(?:void|int|float|double|bool|char|unsigned|signed|long|short|static|inline|constexpr|explicit|virtual|struct|template|typename|__device__|__host__|__global__|__forceinline__|__noinline__)\b)/g;
/** What macros look like, where two names stand side by side. */
const likeMacro = /(?<![.>:,(=]\s*|\w\s*\()\b(?:[A-Z_][A-Z0-9_]+|__\w+)\b(?=\s+[A-Za-z_~])/g;
const afterPointer = /(?<=[*&]\s*)\b[A-Z_][A-Z0-9_]+\b(?=\s+\w)/g;

/** `EXPORT void f()`, `inline __both__ T(int)`, `float* RESTRICT p`. */
function* attributeMacros(text: string, start: number, end: number): Generator<Replacement> {
  const window = text.slice(start, end);
  for (const pattern of [beforeSpecifier, likeMacro, afterPointer]) {
    for (const { 0: word, index } of window.matchAll(pattern))
      if (!isKeyword.test(word)) yield blank(start + index, start + index + word.length);
  }
}

/** `CHECK(cudaFree(p))` without a semicolon: one takes the place of the space behind it. */
function* statementsWithoutSemicolon(text: string, start: number, end: number): Generator<Replacement> {
  for (const { close } of calls(text, start, end)) {
    if (/\s/.test(text[close + 1] ?? "") && /^\s+[A-Za-z_}*(]/.test(text.slice(close + 1, close + 200)))
      yield { start: close + 1, text: ";" };
  }
}

/** `LOCALS(size_t, nb)` is no expression: only its name stays, as a statement. The converter sees what was written. */
function* callsOfTypes(text: string, start: number, end: number): Generator<Replacement> {
  for (const { open, close } of calls(text, start, end)) {
    yield { start: close, text: ";" };
    for (let at = open; at < close; ) {
      const line = text.indexOf("\n", at);
      const stop = line < 0 || line > close ? close : line;
      if (stop > at) yield blank(at, stop);
      at = stop + 1;
    }
  }
}

/** `f(a < b, c > d)` is taken for a parameter of the type `a<b, c>`: a `>` for the `<` binds alike and opens nothing. */
function* comparisonsInCalls(text: string, start: number, end: number): Generator<Replacement> {
  for (const { 0: before, index } of text
    .slice(start, end)
    .matchAll(/(?<![<\w]\s*)\b[A-Za-z_][\w.\]]*\s*(?=<(?![<=])[^;{}<>]*,[^;{}<>]*>(?![>=]))/g)) {
    yield { start: start + index + before.length, text: ">" };
  }
}

/** Calls that stand where a statement starts. */
function* calls(text: string, start: number, end: number): Generator<{ open: number; close: number }> {
  for (const { 0: head, 1: name = "", index } of text.slice(start, end).matchAll(/(?<=^\s*|[;{})]\s*)([A-Za-z_]\w*)\s*\(/g)) {
    if (isKeyword.test(name)) continue;
    let depth = 0;
    const from = start + index + head.length - 1;
    for (let at = from; at < Math.min(text.length, from + 4 * MAX_SURROUNDING); at++) {
      const character = text[at];
      if (character === "(") depth++;
      else if (character === ")" && --depth === 0) {
        yield { open: from, close: at };
        break;
      }
    }
  }
}

/** `f(T) = delete;` where the grammar expects a value. */
function* deletedFunctions(text: string, start: number, end: number): Generator<Replacement> {
  for (const { 0: word, index } of text.slice(start, end).matchAll(/(?<=\)[^;{}]*=\s*)\b(?:delete|default)\b(?=\s*;)/g))
    yield { start: start + index, text: "0".padEnd(word.length) };
}

/** Where a qualified name ends that starts at an offset, its templates' arguments and all; -1 where none does. */
function endOfQualified(text: string, from: number): number {
  const word = /\s*(?:template\s+)?\w+\s*/y;
  let isQualified = false;
  let at = from;
  for (;;) {
    word.lastIndex = at;
    if (!word.test(text)) return -1;
    at = word.lastIndex;
    if (text[at] === "<") at = behindArguments(text, at);
    if (at < 0) return -1;
    const next = /\s*::/y;
    next.lastIndex = at;
    if (!next.test(text)) return isQualified ? at : -1;
    isQualified = true;
    at = next.lastIndex;
  }
}

/** What stands behind the arguments that are opened at an offset. */
function behindArguments(text: string, from: number): number {
  let depth = 0;
  let parentheses = 0;
  for (let at = from; at < Math.min(text.length, from + MAX_SURROUNDING); at++) {
    const character = text[at] ?? "";
    if (/[;{}]/.test(character)) return -1;
    if (character === "(") parentheses++;
    else if (character === ")" && parentheses-- === 0) return -1;
    else if (parentheses === 0 && character === "<") depth++;
    else if (parentheses === 0 && character === ">" && --depth === 0) return at + 1;
  }
  return -1;
}

/** `x = typename T::type(3)`: a qualified name, unlike that of a template's parameter. */
function* typenameInExpressions(text: string, start: number, end: number): Generator<Replacement> {
  for (const { index, 0: word } of text.slice(start, end).matchAll(/\btypename\b(?=\s)/g)) {
    const from = start + index;
    const behind = endOfQualified(text, from + word.length);
    if (behind >= 0 && /^\s*[({]/.test(text.slice(behind, behind + 20))) yield blank(from, from + word.length);
  }
}

/** `(unsigned(a) | unsigned(b))`: what a type of one word makes is to the grammar a value only for some of them; a name does as well. */
function* madeOfWords(text: string, start: number, end: number): Generator<Replacement> {
  for (const { index, 0: word } of text.slice(start, end).matchAll(/(?<=[(,=+\-*/%&|^!~?:]\s*)\b(?:unsigned|signed|short|long)(?=\()/g))
    yield { start: start + index, text: "_".repeat(word.length) };
}

/** `void f(S s = {1, 2})`: the grammar allows no list there. */
function* bracedDefaults(text: string, start: number, end: number): Generator<Replacement> {
  for (const { 0: all, 1: inner = "", index } of text.slice(start, end).matchAll(/=\s*\{([^{};]*)\}(?=\s*[,)])/g)) {
    const open = start + index + all.indexOf("{");
    if (inner.trim()) {
      yield { start: open, text: "(" };
      yield { start: start + index + all.length - 1, text: ")" };
    } else yield { start: open, text: "0".padEnd(inner.length + 2) };
  }
}
