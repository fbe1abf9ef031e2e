/** Follows places of a text through the edits after it, so that what is shown of it stays put until newer results arrive. */
import type { OffsetRange } from "../worker/messages.ts";

/** What stood in [start, end) of the old text has become `length` units; `shift` is what is added to a place behind it. */
interface Replaced extends OffsetRange {
  readonly length: number;
  readonly shift: number;
}

/** In whichever unit: UTF-16 offsets or lines. Edits that touch each other become one, so that typing leaves one, not hundreds. */
export class Drift {
  /** Apart from each other, in the order of the text. */
  #replaced: readonly Replaced[] = [];

  get isEmpty(): boolean {
    return this.#replaced.length === 0;
  }

  /** The text as it is now has `length` units in place of [start, end). */
  add({ start, end }: OffsetRange, length: number): void {
    const before: Replaced[] = [];
    const after: Replaced[] = [];
    let merged = { start, end };
    /** Of the edit in the present text, with what it touched of older ones. */
    let present = { start, end };
    let shift = 0;
    let touched = false;
    for (const each of this.#replaced) {
      const at = each.start + shift;
      const past = at + each.length;
      const shiftAfter = each.shift;
      if (past < start) before.push(each);
      else if (at > end) after.push(each);
      else {
        const first = touched ? merged.start : Math.min(start - shift, each.start);
        present = { start: Math.min(present.start, at), end: Math.max(present.end, past) };
        merged = { start: first, end: end > past ? end - shiftAfter : each.end };
        touched = true;
      }
      shift = shiftAfter;
    }
    if (!touched) {
      const moved = before.at(-1)?.shift ?? 0;
      merged = { start: start - moved, end: end - moved };
    }
    const grown = length - (end - start);
    const all = [...before, { ...merged, length: present.end - present.start + grown }, ...after];
    let sum = 0;
    this.#replaced = all.map((each) => {
      sum += each.length - (each.end - each.start);
      return { start: each.start, end: each.end, length: each.length, shift: sum };
    });
  }

  /** Where a place of the old text is now; undefined where an edit touched it. */
  carry<Place extends OffsetRange>(place: Place): Place | undefined {
    if (this.isEmpty) return place;
    const behind = this.#countBefore(place.start);
    const next = this.#replaced[behind];
    if (next && next.start < place.end && place.start < next.end) return undefined;
    const shift = this.#replaced[behind - 1]?.shift ?? 0;
    return shift === 0 ? place : { ...place, start: place.start + shift, end: place.end + shift };
  }

  /** Where a place of the old text is now, with what was edited inside it; undefined where one of its ends is gone. */
  stretch<Place extends OffsetRange>(place: Place): Place | undefined {
    if (this.isEmpty) return place;
    const before = this.#countBefore(place.start);
    const inside = this.#replaced.slice(before).filter(({ start }) => start < place.end);
    const [first, last] = [inside[0], inside.at(-1)];
    if ((first && first.start < place.start) || (last && last.end > place.end)) return undefined;
    const shift = this.#replaced[before - 1]?.shift ?? 0;
    return { ...place, start: place.start + shift, end: place.end + (last?.shift ?? shift) };
  }

  /** How many edits lie wholly before an offset. */
  #countBefore(offset: number): number {
    let [low, high] = [0, this.#replaced.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#replaced[middle]?.end ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
