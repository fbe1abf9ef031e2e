/**
 * Items: the declarations at namespace level, each on its own. An item is the same object from one version of a file to the next
 * while nothing but blanks and comments in it changes, wherever it moves; what is known of it can be kept by it.
 */
import type { Declaration, Node } from "./ast.ts";
import { withoutExtraBlanks } from "./blanks.ts";
import { lastUpTo } from "./sorted.ts";

/** Where something stands, in nodes' offsets: it stays what it is when its declaration moves. */
export interface Label {
  readonly start: number;
  readonly end: number;
  readonly line: number;
}

export class Item {
  /** The grammar's name of the node. */
  readonly type: string;
  /** The offset, as its nodes count, of the first character of its text. */
  readonly base: number;
  /** What is written from the declaration before to the one behind, comments blank, when it was converted. */
  readonly text: string;
  /** It parsed without an error. */
  readonly clean: boolean;
  /** How the parser saw it, as far as that depends on more than its text: what of that is no part of it, and all where it is not clean. */
  readonly shape: string;
  /** A limit of the conversion was met in it. */
  readonly isLimited: boolean;
  readonly declarations: readonly Declaration[];
  /** Names it declares as types, and as templates. */
  readonly types: readonly string[];
  readonly templates: readonly string[];
  /** What the parser was given instead of the text, by offset in the text. */
  readonly replaced: readonly { readonly at: number; readonly text: string }[];
  /** How it was written: see `Preprocessed.written`. */
  readonly written: string;
  /** What macros wrote of it, outermost uses only, by offset in the text, in order. */
  readonly expansions: readonly { readonly start: number; readonly end: number }[];
  #code: string | undefined;
  #words: ReadonlySet<string> | undefined;

  constructor(
    made: Pick<
      Item,
      | "type"
      | "base"
      | "text"
      | "written"
      | "clean"
      | "shape"
      | "isLimited"
      | "declarations"
      | "types"
      | "templates"
      | "replaced"
      | "expansions"
    >,
  ) {
    this.type = made.type;
    this.base = made.base;
    this.text = made.text;
    this.written = made.written;
    this.clean = made.clean;
    this.shape = made.shape;
    this.isLimited = made.isLimited;
    this.declarations = made.declarations;
    this.types = made.types;
    this.templates = made.templates;
    this.replaced = made.replaced;
    this.expansions = made.expansions;
  }

  /** The text but for how wide its blanks are. */
  get code(): string {
    this.#code ??= withoutExtraBlanks(this.text);
    return this.#code;
  }

  /** Every identifier in it. */
  get words(): ReadonlySet<string> {
    this.#words ??= new Set(this.text.match(/[A-Za-z_]\w*/g)?.map(own));
    return this.#words;
  }

  /** The text between two nodes' offsets. */
  textOf(start: number, end: number): string {
    return this.text.slice(Math.max(0, start - this.base), Math.max(0, end - this.base));
  }

  /**
   * A node's range as a user sees it: of what a macro wrote, all that it wrote there. `line` stands for the line it starts on: it is
   * the offset of what stands first on that line.
   */
  label(start: number, end: number): Label {
    const from = this.#expansionAt(start - this.base)?.start ?? start - this.base;
    const to = end > start ? (this.#expansionAt(end - 1 - this.base)?.end ?? end - this.base) : from;
    const line = this.text.lastIndexOf("\n", from - 1) + 1;
    const blank = /^\s*/.exec(this.text.slice(line, from + 1))?.[0].length ?? 0;
    return { start: this.base + from, end: this.base + to, line: this.base + Math.min(line + blank, from) };
  }

  #expansionAt(offset: number): { readonly start: number; readonly end: number } | undefined {
    const found = lastUpTo(this.expansions, offset, ({ start }) => start);
    return found && offset < found.end ? found : undefined;
  }

  holds({ start }: Node): boolean {
    return start >= this.base && start < this.base + Math.max(1, this.text.length);
  }
}

const words = new Map<string, string>();
const mostWords = 50_000;

/** One string for every word, so that no word keeps the text alive that it was cut from. */
function own(word: string): string {
  const known = words.get(word);
  if (known !== undefined) return known;
  if (words.size >= mostWords) words.clear();
  const copy = ownCopy(word);
  words.set(copy, copy);
  return copy;
}

/** A string of its own: a piece of a longer one keeps the whole of it alive. */
export const ownCopy = (text: string): string => JSON.parse(JSON.stringify(text)) as string;
