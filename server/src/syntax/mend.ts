import type { AnnotationIndex, AttributeAnnotation } from "./convert/context.ts";

/** A text the parser can read, as long as the one it stands for; and what had to be hidden from the parser for that. */
export interface Mended {
  readonly text: string;
  readonly annotations: AnnotationIndex;
}

interface Hidden {
  readonly start: number;
  readonly end: number;
  readonly kind: AttributeAnnotation["kind"] | "unroll";
  readonly operands: readonly [number, number] | undefined;
}

const attributeWords: Readonly<Record<string, AttributeAnnotation["kind"]>> = {
  __align__: "align",
  alignas: "align",
  _Alignas: "align",
  __launch_bounds__: "launch-bounds",
  __cluster_dims__: "cluster-dims",
  __maxnreg__: "max-registers",
};

const words =
  /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|^[ \t]*#[ \t]*pragma[ \t]+(?:no)?unroll\b[^\n]*|\b(?:__align__|alignas|_Alignas|__launch_bounds__|__cluster_dims__|__maxnreg__)\b/gm;

/** Hides what the grammar cannot parse, at every offset as it was. */
export function mend(text: string): Mended {
  const hidden: Hidden[] = [];
  for (const match of text.matchAll(words)) {
    const word = match[0];
    const kind = attributeWords[word];
    if (kind) {
      const operands = parenthesized(text, match.index + word.length);
      if (operands) hidden.push({ start: match.index, end: operands[1] + 1, kind, operands });
    } else if (word.trimStart().startsWith("#")) hidden.push(pragma(match.index, word));
  }
  const mended = blank(text, hidden);
  return { text: mended, annotations: index(mended, hidden) };
}

function pragma(start: number, line: string): Hidden {
  const end = start + line.length;
  if (/\bnounroll\b/.test(line)) return { start, end, kind: "unroll", operands: undefined };
  const at = start + line.indexOf("unroll") + "unroll".length;
  const rest = line.slice(at - start);
  if (!rest.trim()) return { start, end, kind: "unroll", operands: undefined };
  return { start, end, kind: "unroll", operands: [at, end] };
}

/** The range between the parentheses that open next, if any. */
function parenthesized(text: string, from: number): [number, number] | undefined {
  let at = from;
  while (/\s/.test(text[at] ?? "")) at++;
  if (text[at] !== "(") return undefined;
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    if (text[i] === "(") depth++;
    else if (text[i] === ")" && --depth === 0) return [at + 1, i];
  }
  return undefined;
}

function blank(text: string, hidden: readonly Hidden[]): string {
  let result = "";
  let at = 0;
  for (const { start, end } of hidden) {
    result += text.slice(at, start) + text.slice(start, end).replace(/[^\r\n]/g, " ");
    at = end;
  }
  return result + text.slice(at);
}

/** Finds annotations by what stands next to them once they are blank. */
function index(text: string, hidden: readonly Hidden[]): AnnotationIndex {
  const loops = new Map<number, { readonly count?: readonly [number, number] }>();
  const attributes: (AttributeAnnotation & { readonly before: number; readonly after: number })[] = [];
  for (const { start, end, kind, operands } of hidden) {
    const before = skipBlank(text, end);
    if (kind === "unroll") loops.set(before, operands ? { count: operands } : {});
    else attributes.push({ kind, operands: operands ?? [end, end], before, after: skipBlankBack(text, start) });
  }
  return {
    unrollAt: (offset) => loops.get(offset),
    attributes(start, end, after) {
      const found: AttributeAnnotation[] = [];
      for (let i = firstFrom(attributes, start); i < attributes.length; i++) {
        const each = attributes[i];
        if (!each || each.before > end) break;
        found.push(each);
      }
      if (after !== undefined) for (const each of attributes) if (each.after === after) found.push(each);
      return found;
    },
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

function skipBlank(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 32) at++;
  return at;
}

function skipBlankBack(text: string, from: number): number {
  let at = from;
  while (at > 0 && text.charCodeAt(at - 1) <= 32) at--;
  return at;
}
