import { withoutComments } from "../comments.ts";
import { lineStarts } from "../lines.ts";
import type { Place, Preprocessed } from "../reading.ts";
import type { Comment, MacroUse } from "./types.ts";

/** Text that came from nowhere: a space put between tokens, a pasted token. */
const NOWHERE = -1;

/** A stretch of the reading whose characters stand, one for one, in one file; or that stands for a macro's use. */
export interface Segment {
  readonly at: number;
  readonly file: number;
  readonly start: number;
  /** Index of the outermost macro use that produced it, or -1. */
  readonly use: number;
  /** The macro whose body spelled it. */
  readonly macro: string | undefined;
}

/** Collects the reading's text, and where each character of it comes from. */
export class SourceMapBuilder {
  readonly #pieces: string[] = [];
  #segments: Segment[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get segments(): readonly Segment[] {
    return this.#segments;
  }

  /** Puts down what was put down before. */
  append(text: string, segments: readonly Segment[]): void {
    if (text) this.#pieces.push(text);
    this.#length += text.length;
    this.#segments = this.#segments.concat(segments);
  }

  /** The last character put down, to keep two tokens from becoming one. */
  get last(): string {
    return this.#pieces.at(-1)?.at(-1) ?? "";
  }

  /** Text that stands at `start` of a file, or (blanks) as long as what stands there. */
  put(text: string, file: number, start: number, use = -1, macro?: string): void {
    if (!text.length) return;
    const before = this.#segments.at(-1);
    const continues =
      before &&
      before.file === file &&
      before.use === use &&
      before.macro === macro &&
      (file === NOWHERE || before.start + this.#length - before.at === start);
    if (!continues) this.#segments.push({ at: this.#length, file, start, use, macro });
    this.#pieces.push(text);
    this.#length += text.length;
  }

  /** Text that stands in no file. */
  putNowhere(text: string, use = -1): void {
    this.put(text, NOWHERE, 0, use);
  }

  finish(rest: {
    readonly files: readonly string[];
    readonly sources: readonly string[];
    readonly comments: readonly Comment[];
    readonly macroUses: readonly MacroUse[];
    readonly missingIncludes: Preprocessed["missingIncludes"];
    readonly cuts: Preprocessed["cuts"];
  }): Preprocessed {
    return new SourceMap(this.#pieces.join(""), this.#segments, rest);
  }
}

class SourceMap implements Preprocessed {
  readonly text: string;
  readonly files: readonly string[];
  readonly sources: readonly string[];
  readonly comments: readonly Comment[];
  readonly macroUses: readonly MacroUse[];
  readonly missingIncludes: Preprocessed["missingIncludes"];
  readonly cuts: Preprocessed["cuts"];
  readonly #segments: readonly Segment[];
  readonly #lineStarts: (readonly number[])[] = [];

  constructor(
    text: string,
    segments: readonly Segment[],
    rest: Omit<Preprocessed, "text" | "written" | "locate" | "spelled" | "position">,
  ) {
    this.text = text;
    this.#segments = segments;
    this.files = rest.files;
    this.sources = rest.sources;
    this.comments = rest.comments;
    this.macroUses = rest.macroUses;
    this.missingIncludes = rest.missingIncludes;
    this.cuts = rest.cuts;
  }

  locate(start: number, end: number): Place {
    const first = this.#segmentAt(start);
    const from = this.#placeOf(first, start);
    if (end <= start) return { file: from.file, start: from.start, end: from.start };
    const last = this.#segmentAt(end - 1);
    const to = this.#placeOf(last, end - 1);
    // A range may start in one file and end in another only around an include: what counts is where it starts.
    if (to.file !== from.file || to.end < from.start) return from;
    return { file: from.file, start: from.start, end: to.end };
  }

  spelled(start: number, end: number): (Place & { readonly macro?: string }) | undefined {
    if (start < 0 || end < start || end > this.text.length) return undefined;
    const index = this.#segmentAt(start);
    const segment = this.#segments[index];
    if (!segment || segment.file === NOWHERE || end > this.#endOf(index)) return undefined;
    const at = segment.start + start - segment.at;
    const place = { file: segment.file, start: at, end: at + end - start };
    return segment.macro === undefined ? place : { ...place, macro: segment.macro };
  }

  written(start: number, end: number): string {
    const first = this.#segmentAt(start);
    // Most often all of it stands in one place.
    if (end <= this.#endOf(first)) {
      const { file = NOWHERE, use = NOWHERE } = this.#segments[first] ?? {};
      if (use < 0) return file === 0 ? "0 true" : "0 false";
    }
    const parts: string[] = [];
    let [solid, use, before] = [0, -1, ""];
    for (let index = first; (this.#segments[index]?.at ?? end) < end; index++) {
      const segment = this.#segments[index] as Segment;
      const length = solidLength(this.text, Math.max(start, segment.at), Math.min(end, this.#endOf(index)));
      if (length === 0) continue;
      const kind = `${segment.file === 0}${segment.use < 0 ? "" : ` ${segment.macro ?? ""}`}`;
      // What no macro wrote is one, however many segments it has.
      if (segment.use >= 0 || kind !== before) parts.push(`${solid} ${kind}`);
      if (segment.use >= 0 && segment.use !== use) parts.push(this.#useText(segment.use));
      if (segment.use >= 0) use = segment.use;
      before = kind;
      solid += length;
    }
    return parts.join("\n");
  }

  #useText(index: number): string {
    const place = this.macroUses[index]?.place;
    const text = place ? (this.sources[place.file] ?? "").slice(place.start, place.end) : "";
    return withoutComments(text).replace(/\s+/g, " ");
  }

  position(file: number, offset: number): { line: number; character: number } {
    const starts = (this.#lineStarts[file] ??= lineStarts(this.sources[file] ?? ""));
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low, character: offset - (starts[low] ?? 0) };
  }

  #endOf(index: number): number {
    return this.#segments[index + 1]?.at ?? this.text.length;
  }

  /** The segment that holds a character; the last one for the end of the text. */
  #segmentAt(offset: number): number {
    let low = 0;
    let high = this.#segments.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#segments[middle]?.at ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Where a user sees one character: in its file, or at the macro's use. */
  #placeOf(index: number, offset: number): Place {
    const segment = this.#segments[index];
    if (!segment) return { file: 0, start: 0, end: 0 };
    const use = this.macroUses[segment.use];
    if (use) return use.place;
    if (segment.file !== NOWHERE) {
      const start = segment.start + offset - segment.at;
      return { file: segment.file, start, end: start + 1 };
    }
    // Between an included file and what follows it: the nearest place before.
    for (let i = index - 1; i >= 0; i--) {
      const before = this.#segments[i];
      if (before && before.file !== NOWHERE && before.use < 0) {
        const start = before.start + (this.#segments[i + 1]?.at ?? 0) - before.at;
        return { file: before.file, start, end: start };
      }
    }
    return { file: 0, start: 0, end: 0 };
  }
}

/** How many characters are no blanks. */
function solidLength(text: string, start: number, end: number): number {
  let length = 0;
  for (let at = start; at < end; at++) if (text.charCodeAt(at) > 32) length++;
  return length;
}
