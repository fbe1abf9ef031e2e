import type { Node } from "../ast.ts";
import type { CstNode, Piece } from "./cst.ts";

/** What a caller may say about one parse. */
export interface ParseOptions {
  /** Trees are kept by this key (a document's path), so that the next parse of it is incremental. */
  readonly key?: string;
  /** Asked now and then while parsing; true gives up. */
  readonly cancelled?: () => boolean;
  /** Tried one after another where the text does not parse; one that leaves fewer errors stays. */
  readonly repairs?: readonly Repair[];
  /** Asked for every declaration at namespace level, in the order of the text, before it is copied. */
  readonly enter?: Enter;
}

/** A declaration at namespace level, before it is copied. Offsets are UTF-16, in the parsed text. */
export interface Entered {
  /** The grammar's name of the node. */
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly from: number;
  readonly to: number;
  /** There is no error in it. */
  readonly clean: boolean;
  /** A namespace or `extern "C"`: what is in it is entered as well. */
  readonly container: boolean;
}

export type Enter = (entered: Entered) => Piece;

/** Another text, as long, that may parse better around the errors. The same text when it knows nothing better. */
export type Repair = (text: string, errors: readonly Node[]) => string;

/**
 * A CUDA parser. Parsing is synchronous and never fails; a text that is not CUDA gives a tree with `ERROR` nodes.
 * There is one in WebAssembly (`loadWasmParser`), before which a native one may begin where npm installed it (`beginNatively`).
 */
export interface Parser {
  /** The whole tree, copied out. Undefined only when cancelled. */
  parse(text: string, options?: ParseOptions): Parsed | undefined;
  /**
   * Has a tree kept of a text that was parsed, where none is, so that the next parse by its key is incremental. Takes as long as a
   * parse: it is for when nobody waits.
   */
  keepTree(text: string, key: string, cancelled?: () => boolean): void;
  /** Frees the tree kept for a key. */
  forget(key: string): void;
  /** Frees all kept trees: what is parsed next is parsed as by a new parser. */
  forgetAll(): void;
  /** Frees everything; the parser cannot be used afterwards. */
  dispose(): void;
}

export interface Parsed {
  /** What was parsed in the end: as long as the text that was given, with what the repairs put in its place. */
  readonly text: string;
  readonly root: CstNode;
  readonly errors: readonly Node[];
  /** No tree was kept of another text by its key: nothing of the result comes from there. */
  readonly isFresh: boolean;
}

/** What a backend does with its own trees. */
export interface Backend<Tree> {
  /** Parses a text; `previous` is a tree of `before`, which stays as it is. */
  parse(
    text: string,
    previous: { readonly tree: Tree; readonly text: string } | undefined,
    cancelled: (() => boolean) | undefined,
  ): Tree | undefined;
  /** Where the parser gave up, or made up a token. */
  errors(tree: Tree): Node[];
  copyOut(tree: Tree, enter: Enter | undefined): CstNode;
  free(tree: Tree): void;
  dispose(): void;
}
