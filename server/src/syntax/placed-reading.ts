import { alignment } from "./blanks.ts";
import { type Item, type Label, ownCopy } from "./item.ts";
import type { MacroUse } from "./preprocess/types.ts";
import type { Place, Preprocessed, Reading } from "./reading.ts";
import { lastUpTo } from "./sorted.ts";

/** Where an item stands in one version of a reading: [from, to), offsets in the preprocessor's text. */
export interface PlacedItem {
  readonly item: Item;
  readonly from: number;
  readonly to: number;
}

/** Items that differ in blanks from what they were converted from, as they were last seen. */
const alignments = new WeakMap<Item, { readonly text: string; readonly offsets: Int32Array }>();

function alignedWith(item: Item, text: string): { readonly text: string; readonly offsets: Int32Array } {
  const aligned = { text: ownCopy(text), offsets: alignment(item.text, text) };
  alignments.set(item, aligned);
  return aligned;
}

/** A reading whose offsets are those of the nodes: each item's from its base on. */
export class PlacedReading implements Reading {
  readonly preprocessed: Preprocessed;
  readonly #alignments = new Map<Item, { readonly offsets: Int32Array | undefined }>();
  /** By base. */
  readonly #placed: readonly PlacedItem[];

  /** @param before the version before, and what stands there letter for letter as it does here: where it stands now */
  constructor(
    preprocessed: Preprocessed,
    placed: readonly PlacedItem[],
    before?: { readonly reading: PlacedReading; readonly unchanged: readonly PlacedItem[] },
  ) {
    this.preprocessed = preprocessed;
    if (before) {
      const now = new Map(placed.map((each) => [each.item, each]));
      for (const { item, from, to } of before.unchanged) {
        const known = before.reading.#alignments.get(item);
        const here = now.get(item);
        // Blanks beside it may be another's now.
        if (known && here?.from === from && here.to === to) this.#alignments.set(item, known);
      }
    }
    this.#placed = [...placed].sort((a, b) => a.item.base - b.item.base);
  }

  get files(): readonly string[] {
    return this.preprocessed.files;
  }

  get sources(): readonly string[] {
    return this.preprocessed.sources;
  }

  get comments(): Reading["comments"] {
    return this.preprocessed.comments;
  }

  get missingIncludes(): Reading["missingIncludes"] {
    return this.preprocessed.missingIncludes;
  }

  get cuts(): Reading["cuts"] {
    return this.preprocessed.cuts;
  }

  position(file: number, offset: number): { readonly line: number; readonly character: number } {
    return this.preprocessed.position(file, offset);
  }

  locate(start: number, end: number): Place {
    return this.preprocessed.locate(...this.#range(start, end));
  }

  spelled(start: number, end: number): (Place & { readonly macro?: string }) | undefined {
    return this.preprocessed.spelled(...this.#range(start, end));
  }

  textOf(start: number, end: number): string {
    return this.#at(start)?.item.textOf(start, end) ?? "";
  }

  expansion(start: number, end: number): MacroUse | undefined {
    const [from, to] = this.#range(start, end);
    const use = lastUpTo(this.preprocessed.macroUses, from, ({ start: at }) => at);
    // As far from the node as the preprocessor says: what goes before may have grown since the node was made.
    return use && to <= use.end ? { ...use, start: start - (from - use.start), end: end + (use.end - to) } : undefined;
  }

  label(start: number, end: number): (Label & { readonly file: number }) | undefined {
    const placed = this.#at(start);
    return placed && { file: this.locate(start, start + 1).file, ...placed.item.label(start, end) };
  }

  order(start: number): number {
    const placed = this.#at(start);
    return placed ? this.#offset(placed, start) : start;
  }

  /** The item that a node stands in. */
  itemAt(start: number): Item | undefined {
    const item = this.#at(start)?.item;
    return item?.holds({ start, end: start }) ? item : undefined;
  }

  /** From nodes' offsets to the preprocessor's. The end belongs to the character before it, whatever item starts there. */
  #range(start: number, end: number): [number, number] {
    const placed = this.#at(start);
    if (!placed) return [start, end];
    const from = this.#offset(placed, start);
    return [from, end > start ? this.#offset(placed, end - 1) + 1 : from];
  }

  #offset(placed: PlacedItem, offset: number): number {
    const { item, from } = placed;
    const inside = Math.min(Math.max(0, offset - item.base), item.text.length);
    const aligned = this.#alignmentOf(placed);
    return from + (aligned?.[inside] ?? inside);
  }

  /** Undefined where the item is as it was when it was converted. */
  #alignmentOf({ item, from, to }: PlacedItem): Int32Array | undefined {
    const { text } = this.preprocessed;
    const known = this.#alignments.get(item);
    if (known) return known.offsets;
    if (to - from === item.text.length && text.startsWith(item.text, from)) {
      this.#alignments.set(item, { offsets: undefined });
      return undefined;
    }
    // Most often it is as it was in the version before.
    const before = alignments.get(item);
    const same = before && to - from === before.text.length && text.startsWith(before.text, from);
    const aligned = same ? before : alignedWith(item, text.slice(from, to));
    this.#alignments.set(item, aligned);
    return aligned.offsets;
  }

  /** The item whose nodes have an offset. */
  #at(offset: number): PlacedItem | undefined {
    return lastUpTo(this.#placed, offset, ({ item }) => item.base);
  }
}
