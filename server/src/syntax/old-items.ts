/** Items of the version before that the edit touched: some of them come again. */
import type { Declaration, FunctionDeclaration } from "./ast.ts";
import { withoutExtraBlanks } from "./blanks.ts";
import type { Item } from "./item.ts";
import type { Entry } from "./piece-runs.ts";

export class OldItems {
  readonly #items: Item[];
  readonly #changed: readonly string[];

  /** @param changed names that have become types or templates, or are none any more: what mentions them is another item now */
  constructor(items: readonly Item[], changed: readonly string[]) {
    this.#items = [...items];
    this.#changed = changed;
  }

  /** The one with the same text but for blanks, written, parsed and mended the same way. */
  same({ type, clean }: Pick<Entry, "type" | "clean">, text: string, how: Pick<Item, "written" | "shape" | "replaced">): Item | undefined {
    if (this.#items.length === 0) return undefined;
    const code = withoutExtraBlanks(text);
    const index = this.#items.findIndex(
      (item) =>
        item.clean === clean &&
        item.type === type &&
        item.code === code &&
        item.written === how.written &&
        item.shape === how.shape &&
        sameReplacements(item, text, how.replaced) &&
        !this.#changed.some((name) => item.words.has(name)),
    );
    return index < 0 ? undefined : this.#items.splice(index, 1)[0];
  }

  /** The one that a function took the place of: with the same head. */
  next({ type }: Entry, written: string): Item | undefined {
    const index = this.#items.findIndex((item) => {
      const head = headOf(item);
      return head !== undefined && item.type === type && withoutExtraBlanks(written).startsWith(head);
    });
    return index < 0 ? undefined : this.#items.splice(index, 1)[0];
  }
}

/** Whether the parser was given the same instead of what is written, in texts that differ in blanks alone. */
function sameReplacements(item: Item, text: string, replaced: Item["replaced"]): boolean {
  if (item.replaced.length !== replaced.length) return false;
  return item.replaced.every(({ at, text: by }, index) => {
    const other = replaced[index];
    return other?.text === by && (other.at === at || solids(item.text, at) === solids(text, other.at));
  });
}

/** How much stands before an offset, blanks not counted. */
const solids = (text: string, offset: number): number => text.slice(0, offset).replace(/\s/g, "").length;

/** What is written before a function's body, the brace that opens it included. */
function headOf({ declarations, text, base }: Item): string | undefined {
  const [only, ...others] = declarations;
  return only?.kind === "function" && only.body && others.length === 0
    ? withoutExtraBlanks(text.slice(0, only.body.start - base + 1))
    : undefined;
}

/** Puts what is new into the function's old declaration, where only the body differs. */
export function exchangeBody(
  old: Item | undefined,
  converted: readonly Declaration[],
  text: string,
  base: number,
): FunctionDeclaration | undefined {
  const [before] = old?.declarations ?? [];
  const [after, ...others] = converted;
  if (!old || before?.kind !== "function" || after?.kind !== "function" || !after.body || others.length > 0) return undefined;
  if (withoutExtraBlanks(text.slice(0, after.body.start - base + 1)) !== headOf(old)) return undefined;
  return Object.assign(before, after);
}
