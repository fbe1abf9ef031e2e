/**
 * Where reading an edited file may begin, and where it may end. A checkpoint is a line of the opened file at which the state of the
 * reading was noted: what stands above an edit is read as before, so reading starts at the last checkpoint before it; and where it
 * comes, behind the edit, to a checkpoint in the same state, the rest is what it was, moved.
 */
import type { Place } from "../reading.ts";
import type { Relexed } from "./lexer.ts";
import type { Macro } from "./macros.ts";
import type { Segment } from "./source-map.ts";
import type { Comment, MacroUse } from "./types.ts";

/** What decides how the rest of a file is read. Equal states, equal readings of an equal rest. */
export interface State {
  /** The same object as long as nothing is defined or undefined. */
  readonly macros: ReadonlyMap<string, Macro>;
  readonly counter: number;
  /** Files read, and how many of them are read once. */
  readonly files: number;
  readonly once: number;
  readonly missing: number;
  /** What headers have cost so far. */
  readonly included: number;
  /** The conditionals that are open, and how deep in braces it is. */
  readonly inside: string;
}

/** Where in the lists of what was read so far. */
export interface Counts {
  readonly length: number;
  readonly segments: number;
  readonly comments: number;
  readonly uses: number;
  /** Uses of `__LINE__` that stand for a line of the file. */
  readonly fileLines: number;
}

export interface Checkpoint {
  /** Index of the first token of a line, and its offset; of the first of all, where the text starts. */
  readonly token: number;
  readonly offset: number;
  /** 1-based line of some offset before, and where the next line end is looked for. */
  readonly line: number;
  readonly lineAt: number;
  readonly state: State;
  readonly counts: Counts;
}

/** Everything a reading came to. */
export interface Output {
  readonly text: string;
  readonly segments: readonly Segment[];
  readonly comments: readonly Comment[];
  readonly uses: readonly MacroUse[];
  readonly fileLines: number;
  readonly checkpoints: readonly Checkpoint[];
}

/** Tokens between two checkpoints, at least. */
export const between = 256;

/** What an edit moved: everything from an offset of the text before on. */
export interface Shift {
  readonly from: number;
  readonly by: number;
}

/** Whether things stand as they stood before an edit that moved what is behind it. */
export const sameState = (now: State, before: State, shift: Shift): boolean =>
  now.counter === before.counter &&
  now.files === before.files &&
  now.once === before.once &&
  now.missing === before.missing &&
  now.included === before.included &&
  now.inside === before.inside &&
  sameMacros(now.macros, before.macros, shift);

/** The same definitions, at the same places but for what moved. Most are the same objects. */
function sameMacros(now: State["macros"], before: State["macros"], shift: Shift): boolean {
  if (now === before) return true;
  if (now.size !== before.size) return false;
  for (const [name, macro] of now) {
    const old = before.get(name);
    if (old !== macro && !(old && sameMacro(macro, old, shift))) return false;
  }
  return true;
}

function sameMacro(now: Macro, before: Macro, { from, by }: Shift): boolean {
  const place = (macro: Macro, start: number): number => start + (macro.moved?.by ?? 0);
  const old = (start: number): number => (place(before, start) >= from ? place(before, start) + by : place(before, start));
  return (
    now.variadic === before.variadic &&
    JSON.stringify(now.parameters) === JSON.stringify(before.parameters) &&
    now.body.length === before.body.length &&
    now.body.every((each, i) => {
      const other = before.body[i];
      return (
        other !== undefined &&
        each.text === other.text &&
        each.spaced === other.spaced &&
        each.file === other.file &&
        // What moves within a definition moves it no more as one.
        (each.file !== 0 || each.start - (now.at ?? 0) === other.start - (before.at ?? 0)) &&
        place(now, each.start) === (each.file === 0 ? old(other.start) : other.start)
      );
    })
  );
}

/** Tells the macros that their definitions have moved, where they have. */
export function moveMacros(tables: readonly State["macros"][], { from, by }: Shift): void {
  const seen = new Set<Macro>();
  for (const table of new Set(tables)) {
    for (const macro of definedHere(table)) {
      if (!macro.moved || macro.at === undefined || seen.has(macro)) continue;
      seen.add(macro);
      if (macro.at + macro.moved.by >= from) macro.moved.by += by;
    }
  }
}

const ofTheFile = new WeakMap<State["macros"], readonly Macro[]>();

/** Those of a table that the opened file defines: few among what the compiler and the headers define. A noted table does not change. */
function definedHere(table: State["macros"]): readonly Macro[] {
  let macros = ofTheFile.get(table);
  if (!macros) {
    macros = [...table.values()].filter(({ moved }) => moved);
    ofTheFile.set(table, macros);
  }
  return macros;
}

/** What an earlier reading came to behind a checkpoint, as it stands behind another place. */
export function restOf<T extends { readonly place: Place }>(
  old: Output,
  missing: readonly T[],
  from: Checkpoint,
  to: Counts,
  { tokens, characters }: Relexed,
  shift: Shift,
  lines: number,
): Output & { readonly missing: readonly T[] } {
  const by = {
    length: to.length - from.counts.length,
    segments: to.segments - from.counts.segments,
    comments: to.comments - from.counts.comments,
    uses: to.uses - from.counts.uses,
    fileLines: to.fileLines - from.counts.fileLines,
  };
  const moved = (place: Place): Place =>
    place.file === 0 ? { file: 0, start: place.start + characters, end: place.end + characters } : place;
  // A macro's body may stand in the opened file, too: above the edit or below.
  const spelled = ({ file, start }: Segment): number => (file === 0 && start >= shift.from ? start + characters : start);
  const add = (counts: Counts): Counts => ({
    length: counts.length + by.length,
    segments: counts.segments + by.segments,
    comments: counts.comments + by.comments,
    uses: counts.uses + by.uses,
    fileLines: counts.fileLines + by.fileLines,
  });
  return {
    text: old.text.slice(from.counts.length),
    segments: old.segments.slice(from.counts.segments).map((segment) => ({
      at: segment.at + by.length,
      file: segment.file,
      start: spelled(segment),
      use: segment.use < 0 ? segment.use : segment.use + by.uses,
      macro: segment.macro,
    })),
    comments: old.comments.slice(from.counts.comments).map(({ text, place }) => ({ text, place: moved(place) })),
    uses: old.uses
      .slice(from.counts.uses)
      .map(({ name, place, start, end }) => ({ name, place: moved(place), start: start + by.length, end: end + by.length })),
    missing: missing.slice(from.state.missing).map((each) => ({ ...each, place: moved(each.place) })),
    fileLines: old.fileLines + by.fileLines,
    checkpoints: old.checkpoints.flatMap((each) =>
      each.token < from.token
        ? []
        : {
            ...each,
            token: each.token + tokens,
            offset: each.offset + characters,
            line: each.line + lines,
            lineAt: each.lineAt + characters,
            counts: add(each.counts),
          },
    ),
  };
}
