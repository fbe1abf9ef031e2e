/** One step from a version of a file to the next: what runs of the parser give becomes items. */

import { stage } from "../trace.ts";
import type { Declaration } from "./ast.ts";
import type { AnnotationIndex } from "./convert/context.ts";
import { type Converted, convert } from "./convert/convert.ts";
import { PieceText } from "./convert/piece-text.ts";
import { typeScope } from "./convert/type-names.ts";
import { Item, ownCopy } from "./item.ts";
import { mend } from "./mend.ts";
import { exchangeBody, OldItems } from "./old-items.ts";
import type { Version } from "./parse-file.ts";
import type { CstNode, Piece } from "./parser/cst.ts";
import { differenceBetween } from "./parser/edit.ts";
import type { Parser } from "./parser/parser.ts";
import { type Entry, PieceRuns, type Run } from "./piece-runs.ts";
import { type PlacedItem, PlacedReading } from "./placed-reading.ts";
import type { Preprocessed } from "./reading.ts";
import { repairs } from "./repair.ts";
import { writtenAsBefore } from "./written.ts";

/** Undefined when cancelled. */
export function nextVersion(
  parser: Parser,
  preprocessed: Preprocessed,
  before: Version | undefined,
  cancelled: (() => boolean) | undefined,
): Version | undefined {
  const unchanged = before ? unchangedItems(before, preprocessed) : [];
  const { text: mended, annotations } = stage("mend", () => mend(preprocessed.text));
  const runs = new PieceRuns(parser, preprocessed, preprocessed.files[0], before?.free, unchanged, cancelled);
  const run = stage("parse", () => {
    let found = runs.run(replacedAsBefore(mended, unchanged), repairs);
    const standing = found && unchanged.filter(isStillItem(found));
    if (standing && standing.length < unchanged.length) found = runs.run(replacedAsBefore(mended, standing), repairs);
    found &&= reread(runs, found);
    // What was converted where other names were types, or templates, is converted anew.
    return found && before && runs.forget(staleItems(before, found)) ? runs.run(found.text, []) : found;
  });
  if (!run) return undefined;
  return stage("convert", () => new Conversion(parser, preprocessed, before, unchanged, run, mended, annotations, runs.free).version());
}

/**
 * The version of the same text that there would be if there had been no other before: this very one where that is the same. How the
 * parser recovers from an error, and what mends it, depends on the versions that it has seen. Undefined when cancelled.
 */
export function settledVersion(parser: Parser, version: Version, cancelled: (() => boolean) | undefined): Version | undefined {
  if (version.isSettled) return version;
  const { preprocessed } = version.reading;
  const { text: mended, annotations } = stage("mend", () => mend(preprocessed.text));
  // The tree that is kept for the next edit stays: it is near to what that will be.
  const key = `settling ${preprocessed.files[0]}`;
  const runs = new PieceRuns(parser, preprocessed, key, version.free, [], cancelled);
  const run = stage("parse", () => {
    parser.forget(key);
    const found = runs.run(mended, repairs);
    const again = found && reread(runs, found);
    parser.forget(key);
    return again;
  });
  if (!run) return undefined;
  const settled = stage("convert", () => new Conversion(parser, preprocessed, version, [], run, mended, annotations, runs.free).version());
  return isSame(version, settled) ? { ...version, isSettled: true } : { ...settled, isSettled: true };
}

/** Whether the same items stand at the same places, with errors at the same ones. */
function isSame(a: Version, b: Version): boolean {
  return (
    a.placed.length === b.placed.length &&
    a.placed.every(({ item, from, to }, index) => {
      const other = b.placed[index];
      return other?.item === item && other.from === from && other.to === to;
    }) &&
    a.unit.errors.length === b.unit.errors.length &&
    a.unit.errors.every(({ start, end }, index) => b.unit.errors[index]?.start === start && b.unit.errors[index]?.end === end)
  );
}

/** Items that the edit between two texts does not touch, where they stand now. */
function unchangedItems({ placed, reading }: Version, preprocessed: Preprocessed): PlacedItem[] {
  const { text } = preprocessed;
  const old = reading.preprocessed.text;
  const edit = differenceBetween(old, text);
  const delta = text.length - old.length;
  const stand = placed.flatMap(({ item, from, to }) => {
    if (!edit || to <= edit.start) return { item, from, to };
    return from >= edit.oldEnd ? { item, from: from + delta, to: to + delta } : [];
  });
  return stand.filter(writtenAsBefore(reading.preprocessed, preprocessed));
}

/**
 * What was repaired in an item may need no repair where that is no item any more, as when it was only a piece of what did not parse: such
 * are not among these.
 */
function isStillItem({ entries }: Run): (placed: PlacedItem) => boolean {
  const keyOf = (type: string, from: number, to: number): string => `${type} ${from}-${to}`;
  const found = new Set(entries.map(({ type, piece: { from, to } }) => keyOf(type, from, to)));
  return ({ item, from, to }) => item.replaced.length === 0 || found.has(keyOf(item.type, from, to));
}

/**
 * The text for the parser, with what was put in its place in items that have not changed. What is part of an error all the same was no
 * help: in its place the text would be no item again, though it may be in order now.
 */
function replacedAsBefore(mended: string, unchanged: readonly PlacedItem[]): string {
  const places = unchanged
    .filter(({ item, from, to }) => item.clean && item.replaced.length > 0 && to - from === item.text.length)
    .flatMap(({ item, from }) => item.replaced.map(({ at, text }) => ({ at: from + at, text })));
  return replaced(mended, places);
}

function replaced(text: string, places: readonly { readonly at: number; readonly text: string }[]): string {
  if (places.length === 0) return text;
  const pieces: string[] = [];
  let done = 0;
  for (const { at, text: replacement } of [...places].sort((a, b) => a.at - b.at)) {
    if (at < done) continue;
    pieces.push(text.slice(done, at), replacement);
    done = at + replacement.length;
  }
  return pieces.join("") + text.slice(done);
}

const namesIn = (entries: readonly Entry[], of: (entry: Entry) => readonly string[]): Set<string> => new Set(entries.flatMap(of));
const typesOf = ({ types }: Entry): readonly string[] => types;
const templatesOf = ({ angles }: Entry): readonly string[] => angles.templates;

/** Another run, where comparisons were read as lists of template arguments. */
function reread(runs: PieceRuns, run: Run): Run | undefined {
  const templates = namesIn(run.entries, templatesOf);
  const misread = run.entries.flatMap(({ angles, piece }) =>
    angles.doubtful.filter(({ name }) => !templates.has(name)).map(({ at }) => ({ at: at - piece.shift, text: ">" })),
  );
  if (misread.length === 0) return run;
  const again = runs.run(replaced(run.text, misread), [], run);
  return again && again.errors.length > run.errors.length ? runs.run(run.text, [], run) : again;
}

/** Known items that mention what has become a type or a template, or is none any more. */
function staleItems(before: Version, { entries }: Run): Item[] {
  const changed = [...difference(before.types, namesIn(entries, typesOf)), ...difference(before.templates, namesIn(entries, templatesOf))];
  if (changed.length === 0) return [];
  return entries.flatMap(({ known }) => (known && changed.some((name) => known.words.has(name)) ? known : []));
}

function difference(a: ReadonlySet<string>, b: ReadonlySet<string>): string[] {
  return [...[...a].filter((name) => !b.has(name)), ...[...b].filter((name) => !a.has(name))];
}

/** Makes items of a run's entries. */
class Conversion {
  readonly #parser: Parser;
  readonly #preprocessed: Preprocessed;
  readonly #before: Version | undefined;
  readonly #unchanged: readonly PlacedItem[];
  readonly #run: Run;
  readonly #mended: string;
  readonly #annotations: AnnotationIndex;
  readonly #free: number;
  readonly #types: ReadonlySet<string>;
  readonly #templates: ReadonlySet<string>;
  readonly #entries: ReadonlyMap<Piece, Entry>;
  readonly #old: OldItems;
  readonly #placed: (PlacedItem | undefined)[] = [];

  constructor(
    parser: Parser,
    preprocessed: Preprocessed,
    before: Version | undefined,
    unchanged: readonly PlacedItem[],
    run: Run,
    mended: string,
    annotations: AnnotationIndex,
    free: number,
  ) {
    this.#parser = parser;
    this.#preprocessed = preprocessed;
    this.#before = before;
    this.#unchanged = unchanged;
    this.#run = run;
    this.#mended = mended;
    this.#annotations = annotations;
    this.#free = free;
    this.#types = namesIn(run.entries, typesOf);
    this.#templates = namesIn(run.entries, templatesOf);
    this.#entries = new Map(run.entries.map((entry) => [entry.piece, entry]));
    const known = new Set(run.entries.flatMap((entry) => entry.known ?? []));
    const changed = [
      ...difference(before?.types ?? this.#types, this.#types),
      ...difference(before?.templates ?? this.#templates, this.#templates),
    ];
    this.#old = new OldItems(
      (before?.placed ?? []).flatMap(({ item }) => (known.has(item) ? [] : item)),
      changed,
    );
  }

  version(): Version {
    const declarations = this.#run.root.children.flatMap(({ piece }) => (piece ? this.#declarations(piece) : []));
    const placed = this.#placed.flatMap((each) => each ?? []);
    return {
      reading: new PlacedReading(this.#preprocessed, placed, this.#before && { reading: this.#before.reading, unchanged: this.#unchanged }),
      unit: { declarations, errors: this.#run.errors },
      placed,
      types: this.#types,
      templates: this.#templates,
      free: this.#free,
      parsed: this.#run.text,
      isSettled: (this.#before === undefined && this.#run.isFresh) || (this.#run.errors.length === 0 && this.#run.text === this.#mended),
    };
  }

  #declarations(piece: Piece): readonly Declaration[] {
    const entry = this.#entries.get(piece);
    if (!entry) return [];
    const { from, to } = piece;
    const text = this.#preprocessed.text.slice(from, to);
    const known = entry.known ?? (entry.container ? undefined : this.#old.same(entry, text, this.#how(entry)));
    if (known) {
      this.#placed.push({ item: known, from, to });
      return known.declarations;
    }
    return entry.container ? this.#container(entry, text) : this.#item(entry, ownCopy(text));
  }

  #item(entry: Entry, text: string): readonly Declaration[] {
    const { type, clean, piece, types, angles } = entry;
    const base = piece.from + piece.shift;
    const converted = this.#convert(entry, text);
    const exchanged = exchangeBody(this.#old.next(entry, text), converted.declarations, text, base);
    const declarations = exchanged ? [exchanged] : converted.declarations;
    const item = new Item({
      type,
      base,
      text,
      ...this.#how(entry),
      clean,
      isLimited: converted.isLimited,
      declarations,
      types,
      templates: angles.templates,
      expansions: this.#expansions(piece),
    });
    this.#placed.push({ item, from: piece.from, to: piece.to });
    return declarations;
  }

  /** Its own text is its head; what stands in it are items of their own. */
  #container(entry: Entry, text: string): readonly Declaration[] {
    const { type, piece, node } = entry;
    const base = piece.from + piece.shift;
    const head = ownCopy(text.slice(0, Math.max(0, (node?.end ?? base) - base)));
    const to = piece.from + head.length;
    const how = { written: this.#preprocessed.written(piece.from, to), shape: "", replaced: [] };
    const item =
      this.#old.same({ type, clean: true }, head, how) ??
      new Item({
        type,
        base,
        text: head,
        ...how,
        clean: true,
        isLimited: false,
        declarations: [],
        types: [],
        templates: [],
        expansions: [],
      });
    this.#placed.push({ item, from: piece.from, to });
    return this.#convert(entry, head).declarations;
  }

  /** How what an entry stands for was written, mended and parsed. */
  #how({ piece, strays, clean, node }: Entry): Pick<Item, "written" | "replaced" | "shape"> {
    return {
      written: this.#preprocessed.written(piece.from, piece.to),
      replaced: this.#replaced(piece),
      shape: clean || !node ? strays : shapeOf(node, piece.from + piece.shift),
    };
  }

  #convert({ node, piece }: Entry, text: string): Converted {
    if (!node) return { declarations: [], isLimited: false };
    return convert({
      node,
      text: new PieceText(text, piece.from + piece.shift),
      scope: typeScope(this.#types),
      annotations: shifted(this.#annotations, piece.shift),
      parseSnippet: (snippet) => this.#parser.parse(snippet)?.root,
      piece: (inner) => (inner.piece ? this.#declarations(inner.piece) : []),
    });
  }

  #expansions({ from, to }: Piece): Item["expansions"] {
    const { macroUses } = this.#preprocessed;
    let low = 0;
    let high = macroUses.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((macroUses[middle]?.end ?? 0) <= from) low = middle + 1;
      else high = middle;
    }
    const found: { start: number; end: number }[] = [];
    for (let use = macroUses[low]; use && use.start < to; use = macroUses[++low])
      if (use.end > use.start) found.push({ start: use.start - from, end: use.end - from });
    return found;
  }

  /** Where the parser was given something else than what the mending left. */
  #replaced({ from, to }: Piece): Item["replaced"] {
    const { text } = this.#run;
    const places: { at: number; text: string }[] = [];
    if (text === this.#mended) return places;
    for (let at = from; at < to; at++) {
      if (text.charCodeAt(at) === this.#mended.charCodeAt(at)) continue;
      let end = at + 1;
      while (end < to && text.charCodeAt(end) !== this.#mended.charCodeAt(end)) end++;
      places.push({ at: at - from, text: ownCopy(text.slice(at, end)) });
      at = end;
    }
    return places;
  }
}

/** A tree in words, but for pieces in it; offsets count from where its text starts. */
function shapeOf(root: CstNode, base: number): string {
  const words: string[] = [];
  const pending: (CstNode | ")")[] = [root];
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (node === ")" || (node.piece && node !== root)) {
      words.push(")");
      continue;
    }
    const { type, field = "", missing, start, end, children } = node;
    words.push(`${missing ? "!" : ""}${type}:${field} ${start - base}-${end - base}`);
    pending.push(")");
    for (let index = children.length; index-- > 0; ) {
      const child = children[index];
      if (child) pending.push(child);
    }
  }
  return words.join(" ");
}

/** Annotations by the offsets that a piece's nodes have. */
function shifted(annotations: AnnotationIndex, by: number): AnnotationIndex {
  if (by === 0) return annotations;
  const range = ([start, end]: readonly [number, number]): readonly [number, number] => [start + by, end + by];
  return {
    unrollAt(offset) {
      const found = annotations.unrollAt(offset - by);
      return found?.count ? { ...found, count: range(found.count) } : found;
    },
    attributes: (start, end) =>
      annotations.attributes(start - by, end - by).map(({ kind, operands }) => ({ kind, operands: range(operands) })),
    attributesBehind: (end) => annotations.attributesBehind(end - by).map(({ kind, operands }) => ({ kind, operands: range(operands) })),
  };
}
