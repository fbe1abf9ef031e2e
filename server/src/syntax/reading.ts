/**
 * A reading: one file as the compiler reads it, with the way back to what the user wrote.
 *
 * The preprocessor splices included project headers, evaluates conditionals and expands macros; `locate` leads
 * every offset of the result back to a file, and says whether the text stands there as written or came out of a macro.
 */
import type { Label } from "./item.ts";
import type { Comment, MacroUse } from "./preprocess/types.ts";

/** A place in a file as the user wrote it. `file` indexes `Reading.files`; 0 is the file that was opened. */
export interface Place {
  readonly file: number;
  readonly start: number;
  readonly end: number;
}

/** Where the preprocessor gave up, and what is missing. */
export interface Cut {
  readonly place: Place;
  readonly reason: string;
}

export interface MissingInclude {
  readonly path: string;
  readonly angled: boolean;
  readonly place: Place;
  readonly reason?: string;
}

/** What does not depend on how offsets count. */
interface Files {
  /** Paths: the opened file first, then the project files it includes. */
  readonly files: readonly string[];
  /** The files' texts, in the order of `files`. */
  readonly sources: readonly string[];
  /**
   * Where the characters [start, end) come from. Text that a macro produced is placed at the macro's use (the
   * outermost), as compilers number lines.
   */
  locate(start: number, end: number): Place;
  /**
   * The exact user text behind [start, end), for edits: undefined unless the range was written as one piece.
   * Text that a macro body spelled is found in the `#define`, with `macro` set.
   */
  spelled(start: number, end: number): (Place & { readonly macro?: string }) | undefined;
  /** 0-based line and UTF-16 character of an offset in a file. */
  position(file: number, offset: number): { readonly line: number; readonly character: number };
  readonly comments: readonly Comment[];
  /** `#include`s that were not found, system headers among them; with a reason where there is such a file and it is not read. */
  readonly missingIncludes: readonly MissingInclude[];
  /** What is not read as a compiler reads it, as that would lead too far. */
  readonly cuts: readonly Cut[];
}

/** What the preprocessor makes of a file: one text, whose offsets count from its start. */
export interface Preprocessed extends Files {
  /** What the parser parses. */
  readonly text: string;
  readonly macroUses: readonly MacroUse[];
  /**
   * How [start, end) was written: what of it macros spell, and how the user calls them. Of two places with the same text, blanks
   * aside, the same is told a user where this is the same, too.
   */
  written(start: number, end: number): string;
}

/**
 * The same for those who look at the syntax tree: offsets are those of its nodes. A declaration's nodes keep theirs when
 * it moves or only blanks and comments in it change, so they tell nothing of the order in which declarations stand.
 */
export interface Reading extends Files {
  /** What was parsed. */
  readonly preprocessed: Preprocessed;
  /** The text of a node: comments in it are blank, blanks may be those it had when it was first read. */
  textOf(start: number, end: number): string;
  /** The macro's use that wrote all of [start, end). */
  expansion(start: number, end: number): MacroUse | undefined;
  /** The file a node stands in, and its range as a user sees it; undefined for a node of no declaration. */
  label(start: number, end: number): (Label & { readonly file: number }) | undefined;
  /** Where a node stands in the reading, for putting nodes of several declarations in order. */
  order(start: number): number;
}
