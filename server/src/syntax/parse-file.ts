/**
 * From the preprocessor's text to items, again and again: the next version of a file is parsed incrementally, and only what has
 * changed in it is copied out of the parser and converted.
 */
import type { TranslationUnit } from "./ast.ts";
import { withoutExtraBlanks } from "./blanks.ts";
import { nextVersion, settledVersion } from "./next-version.ts";
import { differenceBetween } from "./parser/edit.ts";
import type { Parser } from "./parser/parser.ts";
import { type PlacedItem, PlacedReading } from "./placed-reading.ts";
import type { Preprocessed } from "./reading.ts";
import { writtenAsBefore } from "./written.ts";

/** A version of a file, as read and parsed. */
export interface ParsedFile {
  readonly reading: PlacedReading;
  readonly unit: TranslationUnit;
  /**
   * In the order of the reading; what holds others (namespaces) before what it holds. An item is the one of the version before where
   * nothing but blanks and comments changed. A function of which the body alone changed is another item, but its declaration is the
   * object it was, with another body.
   */
  readonly placed: readonly PlacedItem[];
}

/** What the next version is made from. */
export interface Version extends ParsedFile {
  /** Names the file declares as types, and as templates. */
  readonly types: ReadonlySet<string>;
  readonly templates: ReadonlySet<string>;
  /** No node has an offset from here on. */
  readonly free: number;
  /** What the parser was given in the end. */
  readonly parsed: string;
  /** It is known to be as it would be if there had been no version before: what parses without an error always is. */
  readonly isSettled: boolean;
}

/** Keeps one file's newest version, to make the next one from. */
export class FileParser {
  readonly #parser: Parser;
  #version: Version | undefined;

  constructor(parser: Parser) {
    this.#parser = parser;
  }

  /**
   * The next version; undefined when cancelled. What did not change in it are the objects of the version before, which is not to
   * be looked at any more: bodies of its functions may have been exchanged.
   */
  parse(preprocessed: Preprocessed, cancelled?: () => boolean): ParsedFile | undefined {
    const before = this.#version;
    if (before?.reading.preprocessed === preprocessed) return before;
    const moved = before && differentBlanks(before, preprocessed);
    const next = moved ?? nextVersion(this.#parser, preprocessed, before, cancelled);
    if (next) this.#version = next;
    return next;
  }

  /** Whether the newest version is as it would be if there had been no other: see `settle`. */
  get isSettled(): boolean {
    return this.#version?.isSettled ?? true;
  }

  /**
   * Reads the newest version once more as if there had been no other, where that may come out otherwise: how the parser recovers from an
   * error depends on what it has seen. Takes as long as a first parse: it is for when nobody types. The newest version is then another
   * where it was otherwise.
   * @returns whether it was; undefined when cancelled
   */
  settle(cancelled?: () => boolean): boolean | undefined {
    const before = this.#version;
    if (!before) return false;
    const settled = settledVersion(this.#parser, before, cancelled);
    if (!settled) return undefined;
    this.#version = settled;
    return settled.reading !== before.reading;
  }

  /** Has the parser keep a tree of the newest version, so that the next one is parsed incrementally: for when nobody waits. */
  keepTree(cancelled?: () => boolean): void {
    const { reading, parsed = "" } = this.#version ?? {};
    const key = reading?.preprocessed.files[0];
    if (key !== undefined) this.#parser.keepTree(parsed, key, cancelled);
  }
}

/** A region this long is rather parsed than compared. */
const longestRegion = 200_000;

/** The version before, moved, where nothing but blanks and comments differs. */
function differentBlanks(before: Version, preprocessed: Preprocessed): Version | undefined {
  const old = before.reading.preprocessed.text;
  const { text } = preprocessed;
  const edit = differenceBetween(old, text);
  const delta = text.length - old.length;
  // What stands between two items belongs to both.
  const touched = edit ? before.placed.filter(({ from, to }) => to >= edit.start && from <= edit.oldEnd) : [];
  const start = edit ? Math.min(edit.start, ...touched.map(({ from }) => from)) : 0;
  const end = edit ? Math.max(edit.oldEnd, ...touched.map(({ to }) => to)) : 0;
  if (end - start > longestRegion) return undefined;
  const region = old.slice(start, end);
  const changed = text.slice(start, end + delta);
  if (withoutExtraBlanks(region) !== withoutExtraBlanks(changed)) return undefined;
  // Neighbours reach into the region, too.
  const within = before.placed.filter(({ from, to }) => to >= start && from <= end);
  const ends = [...within.map(({ from, to }) => [from, to]), ...before.unit.errors.map((error) => [error.start, error.end])].flat();
  const boundaries = new Set(ends.map((offset) => offset - start));
  const moved = boundariesIn(region, changed, boundaries);
  const move = (offset: number): number =>
    offset < start ? offset : offset > end ? offset + delta : start + (moved.get(offset - start) ?? offset - start);
  const placed = before.placed.map(({ item, from, to }) => ({ item, from: move(from), to: move(to) }));
  if (!placed.every(writtenAsBefore(before.reading.preprocessed, preprocessed))) return undefined;
  const near = new Set(within.map(({ item }) => item));
  const unchanged = placed.filter(({ item }) => !near.has(item));
  const errors = before.unit.errors.map((error) => ({ start: move(error.start), end: move(error.end) }));
  return {
    ...before,
    // What an error costs the parser depends on how much it skips, and what mends it on how much stands around it: blanks as well.
    isSettled: before.isSettled && (edit === undefined || (errors.length === 0 && placed.every(({ item }) => item.replaced.length === 0))),
    unit: { ...before.unit, errors },
    placed,
    reading: new PlacedReading(preprocessed, placed, { reading: before.reading, unchanged }),
  };
}

/** Where boundaries between items stand in a text that differs from another in blanks: behind a character, or before one. */
function boundariesIn(before: string, after: string, boundaries: ReadonlySet<number>): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  let at = 0;
  for (let offset = 0; offset <= before.length; offset++) {
    const solid = /\S/.test(before[offset] ?? "");
    const behind = offset > 0 && /\S/.test(before[offset - 1] ?? "");
    if (boundaries.has(offset)) {
      let next = at;
      if (!behind || offset === before.length) while (next < after.length && /\s/.test(after[next] ?? "")) next++;
      found.set(offset, next);
    }
    if (!solid) continue;
    while (at < after.length && /\s/.test(after[at] ?? "")) at++;
    at++;
  }
  return found;
}
