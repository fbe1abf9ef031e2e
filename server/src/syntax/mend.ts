import type { AnnotationIndex, AnnotationKind, AttributeAnnotation } from "./convert/context.ts";

/** A text the parser can read, as long as the one it stands for; and what had to be hidden from the parser for that. */
export interface Mended {
  readonly text: string;
  readonly annotations: AnnotationIndex;
}

/** What a rule does to the text it matched, at offsets of the whole text. */
interface Mending {
  /** Takes the characters out of the parser's sight. */
  hide(start: number, end: number): void;
  /** Puts others in their place, as many. */
  replace(start: number, replacement: string): void;
  /** Remembers what was hidden. */
  annotate(start: number, end: number, kind: AnnotationKind, operands?: readonly [number, number]): void;
}

interface Rule {
  /** What to look for, outside strings; matched against the whole text at once with all the others. */
  readonly pattern: string;
  readonly mend: (match: string, at: number, text: string, mending: Mending) => void;
}

const attributes: Readonly<Record<string, AnnotationKind>> = {
  __align__: "align",
  alignas: "align",
  _Alignas: "align",
  __launch_bounds__: "launch-bounds",
  __cluster_dims__: "cluster-dims",
  __maxnreg__: "max-registers",
};
const words: Readonly<Record<string, AnnotationKind>> = {
  __device__: "device",
  __host__: "host",
  __global__: "global",
  __forceinline__: "inline",
  inline: "inline",
  friend: "friend",
  explicit: "explicit",
};

const specifierWords = "__(?:device|host|global|forceinline)__|inline|static|constexpr|explicit|virtual|__noinline__";

/** Characters that are looked at for the end of a launch's configuration, and of an attribute's operands: whoever writes more is not mended. */
const longestConfiguration = 1000;
const longestOperands = 2000;
/** Delimiters of raw strings that are opened and never closed: beyond so many each is taken to be one. */
const mostUnclosed = 100;

/** What the grammar cannot parse, or parses as something else, wherever it stands. Each rule keeps every offset as it is. */
const rules: readonly Rule[] = [
  {
    pattern: String.raw`#[ \t]*pragma[ \t]+(?:no)?unroll\b[^\n]*`,
    mend: (match, at, _, mending) => unroll(at, at + match.length, at + match.indexOf("unroll") + "unroll".length, match, mending),
  },
  {
    pattern: String.raw`\b_Pragma[ \t]*\([ \t]*"(?:[^"\\\n]|\\.)*"[ \t]*\)`,
    mend(match, at, _, mending) {
      const open = match.indexOf('"');
      if (/"\s*(?:no)?unroll\b/.test(match))
        unroll(
          at,
          at + match.length,
          at + match.indexOf("unroll") + "unroll".length,
          match.slice(open),
          mending,
          at + match.lastIndexOf('"'),
        );
      else mending.hide(at, at + match.length);
    },
  },
  {
    pattern: String.raw`\b(?:__align__|alignas|_Alignas|__launch_bounds__|__cluster_dims__|__maxnreg__)(?=[ \t\r\n]*\()`,
    mend(match, at, text, { hide, annotate }) {
      const operands = parenthesized(text, at + match.length);
      const kind = attributes[match];
      if (!operands || !kind) return;
      hide(at, operands[1] + 1);
      annotate(at, operands[1] + 1, kind, operands);
    },
  },
  {
    pattern: String.raw`\b__(?:attribute(?:__)?|declspec)(?=[ \t\r\n]*\()`,
    mend(match, at, text, { hide, annotate }) {
      const all = parenthesized(text, at + match.length);
      if (!all) return;
      hide(at, all[1] + 1);
      const aligned = /\balign(?:ed)?(?:__)?[ \t]*(?=\()/.exec(text.slice(...all));
      const operands = aligned && parenthesized(text, all[0] + aligned.index + aligned[0].length);
      if (operands) annotate(at, all[1] + 1, "align", operands);
    },
  },
  {
    // On a lambda, or after the `&` or `*` of a result: nowhere the grammar expects them.
    pattern: String.raw`__(?:device|host|global|forceinline)__(?<=[\]&*][ \t\r\n]{0,100}(?:__\w+__[ \t\r\n]{1,100}){0,8}__\w+__)`,
    mend: (match, at, _, mending) => hideWord(match, at, mending),
  },
  {
    pattern: String.raw`\bfriend(?<=\b(?:${specifierWords})[ \t\r\n]+friend)\b`,
    mend: (match, at, _, mending) => hideWord(match, at, mending),
  },
  {
    // Behind several of these it is to the grammar what a constructor gives.
    pattern: String.raw`\bexplicit(?<=\b(?:${specifierWords})[ \t\r\n]+explicit)\b(?![ \t\r\n]*\()`,
    mend: (match, at, _, mending) => hideWord(match, at, mending),
  },
  { pattern: String.raw`\bextern(?=[ \t\r\n]+template\b)`, mend: (match, at, _, { hide }) => hide(at, at + match.length) },
  {
    // `template class Foo<float>;` is to the grammar no more than its second half.
    pattern: String.raw`\btemplate(?=[ \t\r\n]+(?:class|struct|union)\b)`,
    mend(match, at, _, { hide, annotate }) {
      hide(at, at + match.length);
      annotate(at, at + match.length, "instantiation");
    },
  },
  { pattern: String.raw`\b__restrict\b`, mend: (_, at, __, { replace }) => replace(at, "restrict  ") },
  {
    // `new const float *[n]`: the grammar allows no declarator but the brackets, and no qualifier.
    pattern: String.raw`\bnew[ \t\r\n]+(?:const[ \t]+)?[\w:<>, \t]{0,200}?[\w>][ \t]*\*[* \t]*(?=[\[(])`,
    mend(match, at, _, { hide }) {
      const constant = /const(?=[ \t])/.exec(match);
      if (constant) hide(at + constant.index, at + constant.index + "const".length);
      hide(at + match.indexOf("*"), at + match.length);
    },
  },
  { pattern: String.raw`\*(?=[ \t]+=[^=])`, mend: (_, at, __, { hide }) => hide(at, at + 1) },
  { pattern: `<<<(?=[^;{]{0,${longestConfiguration}}\\{)`, mend: (_, at, text, { replace }) => bracesAsParentheses(text, at, replace) },
  {
    // A call of an operator by its name.
    pattern: String.raw`\boperator(?<=(?:\.|->)[ \t]*(?:template[ \t]+)?operator)[ \t]*(?:\(\)|\[\]|[-+*/%=<>!&|^~]{1,3}(?=[ \t]*\())`,
    mend(match, at, _, { replace }) {
      const name = /\W*$/.exec(match)?.[0].trimStart() ?? "";
      replace(at + match.length - name.length, "_".repeat(name.length));
    },
  },
  {
    // Among a template's arguments the grammar takes its first character for the end of them; a `<=` binds alike.
    pattern: String.raw`(?<![->]|operator[ \t]{0,10})>=(?!=)`,
    mend(_, at, text, { replace }) {
      if (isTemplateArgument(text, at)) replace(at, "<=");
    },
  },
  { pattern: String.raw`\btypeid(?=[ \t]*\()`, mend: (_, at, __, { replace }) => replace(at, "sizeof") },
  {
    pattern: String.raw`\bva_arg[ \t]*\([^,()]*,(?=[^,()]*\))`,
    mend: (match, at, text, { hide }) => hide(at + match.length - 1, text.indexOf(")", at)),
  },
  { pattern: "\ufeff", mend: (_, at, __, { hide }) => hide(at, at + 1) },
];

const literals = String.raw`(?:\b(?:u8|[uUL])?R"([^\s()\\]{0,16})\()|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\.)*'`;
const everything = new RegExp(`${literals}|${rules.map(({ pattern }) => `(${pattern})`).join("|")}`, "g");
/** The groups of `literals` come before those of the rules. */
const FIRST_RULE = 2;

/** Hides or replaces what the grammar cannot parse, keeping every offset. */
export function mend(text: string): Mended {
  const edits: { start: number; end: number; replacement: string | undefined }[] = [];
  const hidden: Hidden[] = [];
  const mending: Mending = {
    hide: (start, end) => edits.push({ start, end, replacement: undefined }),
    replace: (start, replacement) => edits.push({ start, end: start + replacement.length, replacement }),
    annotate: (start, end, kind, operands) => hidden.push({ start, end, kind, operands }),
  };
  const unclosed = new Set<string>();
  everything.lastIndex = 0;
  for (let match = everything.exec(text); match; match = everything.exec(text)) {
    const delimiter = match[1];
    if (delimiter !== undefined) {
      // A raw string: its end is looked for here, as the same expression would look for it again from each one that is never closed.
      if (unclosed.has(delimiter) || unclosed.size >= mostUnclosed) continue;
      const close = `)${delimiter}"`;
      const end = text.indexOf(close, everything.lastIndex);
      if (end < 0) unclosed.add(delimiter);
      else {
        everything.lastIndex = end + close.length;
        hideBetweenStrings(text, everything.lastIndex, mending);
      }
      continue;
    }
    if (match[0].endsWith('"')) hideBetweenStrings(text, match.index + match[0].length, mending);
    for (let i = 0; i < rules.length; i++) {
      const found = match[FIRST_RULE + i];
      if (found === undefined) continue;
      rules[i]?.mend(found, match.index, text, mending);
      break;
    }
  }
  const mended = applied(text, edits);
  return { text: mended, annotations: index(mended, hidden) };
}

const macroBetweenStrings = /[ \t\r\n]+[A-Za-z_]\w*(?=[ \t\r\n]*")/y;

/** `"a" PRI "b"`: a macro between string literals, whose definition is not known. */
function hideBetweenStrings(text: string, from: number, { hide }: Mending): void {
  macroBetweenStrings.lastIndex = from;
  const macro = macroBetweenStrings.exec(text);
  if (macro) hide(from, from + macro[0].length);
}

function unroll(start: number, end: number, countAt: number, line: string, { hide, annotate }: Mending, countEnd = end): void {
  hide(start, end);
  if (
    line.includes("nounroll") ||
    !line
      .slice(line.indexOf("unroll") + "unroll".length)
      .replace(/["()]/g, "")
      .trim()
  )
    annotate(start, end, line.includes("nounroll") ? "no-unroll" : "unroll");
  else annotate(start, end, "unroll", [countAt, countEnd]);
}

function hideWord(word: string, at: number, { hide, annotate }: Mending): void {
  hide(at, at + word.length);
  const kind = words[word];
  if (kind) annotate(at, at + word.length, kind);
}

/** The braces of a launch configuration, at its top level. */
function bracesAsParentheses(text: string, from: number, replace: Mending["replace"]): void {
  const braces: [number, string][] = [];
  for (let at = from, depth = 0; at < Math.min(text.length, from + longestConfiguration); at++) {
    const character = text[at];
    if (character === ";" || (character === ">" && depth === 0 && text.startsWith(">>>", at))) break;
    if (character === "(" || character === "[") depth++;
    else if (character === ")" || character === "]") depth--;
    else if (depth === 0 && character === "{" && /[<,]\s*$/.test(text.slice(Math.max(from, at - 20), at))) braces.push([at, "("]);
    else if (depth === 0 && character === "}" && braces.length % 2 === 1) braces.push([at, ")"]);
  }
  if (braces.length % 2 === 0) for (const [at, parenthesis] of braces) replace(at, parenthesis);
}

/** Characters that are looked at to both sides of a `>=` for the ends of a list of template arguments. */
const longestArguments = 400;

/** Whether a `>=` stands among template arguments: between `name<` and a `>`, as no comparison does but one of comparisons. */
function isTemplateArgument(text: string, at: number): boolean {
  const open = openAngle(text, at);
  const close = open < 0 ? -1 : closeAngle(text, at + 2);
  if (close < 0) return false;
  // `i < n && j >= 0 && k > m`
  return !/&&|\|\|/.test(text.slice(open, close)) || /\w/.test(text[open - 1] ?? "");
}

/** Where the arguments that hold an offset start, if it is in some and not in parentheses of their own. */
function openAngle(text: string, from: number): number {
  for (let at = from - 1, depth = 0; at >= Math.max(0, from - longestArguments); at--) {
    const character = text[at] ?? "";
    if (/[;{}]/.test(character)) return -1;
    if (/[)\]]/.test(character) || (character === ">" && !/[-=]/.test(text[at - 1] ?? "") && text[at + 1] !== "=")) depth++;
    else if (/[([]/.test(character) && depth-- === 0) return -1;
    else if (character === "<" && text[at + 1] !== "=" && depth-- === 0)
      return /\w\s*$/.test(text.slice(Math.max(0, at - 20), at)) ? at : -1;
  }
  return -1;
}

/** Where they end. */
function closeAngle(text: string, from: number): number {
  for (let at = from, depth = 0; at < Math.min(text.length, from + longestArguments); at++) {
    const character = text[at] ?? "";
    if (/[;{}]/.test(character)) return -1;
    if (/[([]/.test(character) || (character === "<" && text[at + 1] !== "=")) depth++;
    else if (/[)\]]/.test(character) && depth-- === 0) return -1;
    else if (character === ">" && text[at - 1] !== "-" && text[at + 1] !== "=" && depth-- === 0) return at;
  }
  return -1;
}

/** The range between the parentheses that open next, if any. */
function parenthesized(text: string, from: number): [number, number] | undefined {
  const at = text.indexOf("(", from);
  if (at < 0) return undefined;
  let depth = 0;
  for (let i = at; i < Math.min(text.length, at + longestOperands); i++) {
    const code = text.charCodeAt(i);
    if (code === 40) depth++;
    else if (code === 41 && --depth === 0) return [at + 1, i];
  }
  return undefined;
}

function applied(text: string, edits: { start: number; end: number; replacement: string | undefined }[]): string {
  if (!edits.length) return text;
  edits.sort((a, b) => a.start - b.start);
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end, replacement } of edits) {
    if (start < at) continue;
    pieces.push(text.slice(at, start), replacement ?? text.slice(start, end).replace(/[^\r\n]/g, " "));
    at = end;
  }
  pieces.push(text.slice(at));
  return pieces.join("");
}

interface Hidden {
  readonly start: number;
  readonly end: number;
  readonly kind: AnnotationKind;
  readonly operands: readonly [number, number] | undefined;
}

/** What stands behind each, once all are blank, and where what stands before it ends. Those in a row share both. */
function besides(text: string, hidden: readonly Hidden[]): readonly (readonly [before: number, after: number])[] {
  const blank = (at: number): boolean => text.charCodeAt(at) <= 32;
  const sides = hidden.map((): [number, number] => [text.length, 0]);
  for (let k = hidden.length - 1; k >= 0; k--) {
    const { end } = hidden[k]!;
    const next = hidden[k + 1]?.start ?? text.length;
    let at = end;
    while (at < text.length && at !== next && blank(at)) at++;
    // The next one is gone through already.
    sides[k]![0] = at === next && at < text.length && blank(at) ? sides[k + 1]![0] : at;
  }
  for (let k = 0; k < hidden.length; k++) {
    const { start } = hidden[k]!;
    const last = hidden[k - 1]?.end ?? 0;
    let at = start;
    while (at > 0 && at !== last && blank(at - 1)) at--;
    sides[k]![1] = at === last && at > 0 && blank(at - 1) ? sides[k - 1]![1] : at;
  }
  return sides;
}

/** Finds annotations by what stands next to them once they are blank. */
function index(text: string, hidden: readonly Hidden[]): AnnotationIndex {
  const loops = new Map<number, { readonly none?: boolean; readonly count?: readonly [number, number] }>();
  const found: (AttributeAnnotation & { readonly before: number; readonly after: number })[] = [];
  const sides = besides(text, hidden);
  for (const [k, { end, kind, operands }] of hidden.entries()) {
    const [before, after] = sides[k]!;
    if (kind === "unroll" || kind === "no-unroll") loops.set(before, operands ? { count: operands } : { none: kind === "no-unroll" });
    else found.push({ kind, operands: operands ?? [end, end], before, after });
  }
  const behind = new Map<number, AttributeAnnotation[]>();
  for (const each of found) behind.set(each.after, [...(behind.get(each.after) ?? []), each]);
  return {
    unrollAt: (offset) => loops.get(offset),
    attributes(start, end) {
      const within: AttributeAnnotation[] = [];
      for (let i = firstFrom(found, start); i < found.length; i++) {
        const each = found[i];
        if (!each || each.before > end) break;
        within.push(each);
      }
      return within;
    },
    attributesBehind: (offset) => behind.get(offset) ?? [],
  };
}

/** The first entry that stands before something at `start` or later. */
function firstFrom(sorted: readonly { readonly before: number }[], start: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.before ?? 0) < start) low = middle + 1;
    else high = middle;
  }
  return low;
}
