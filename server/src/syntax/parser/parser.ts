import type { Node } from "../ast.ts";
import type { CstNode, MutableCstNode } from "./cst.ts";

/** What a caller may say about one parse. */
export interface ParseOptions {
  /** Trees are kept by this key (a document's path), so that the next parse of it is incremental. */
  readonly key?: string;
  /** Asked now and then while parsing; true gives up. */
  readonly cancelled?: () => boolean;
  /** Tried one after another where the text does not parse; one that leaves fewer errors stays. */
  readonly repairs?: readonly Repair[];
  /** Looks for what parses without an error, but as something else; may give another text, as long, that parses right. */
  readonly reread?: (tree: CstNode, text: string) => string;
}

/** Another text, as long, that may parse better around the errors. The same text when it knows nothing better. */
export type Repair = (text: string, errors: readonly Node[]) => string;

/**
 * A CUDA parser. Parsing is synchronous and never fails; a text that is not CUDA gives a tree with `ERROR` nodes.
 * Backends: `loadWasmParser`, and `loadNativeParser` for the command line where npm installed a native tree-sitter.
 */
export interface Parser {
  /** The whole tree, copied out. Undefined only when cancelled. */
  parse(text: string, options?: ParseOptions): CstNode | undefined;
  /** Frees the tree kept for a key. */
  forget(key: string): void;
  /** Frees everything; the parser cannot be used afterwards. */
  dispose(): void;
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
  /** Copies a tree of a text. What is written as in a text copied before is taken from `known`, out of which it goes. */
  copyOut(tree: Tree, text: string, known?: Copies): { readonly root: CstNode; readonly copies: Copies };
  free(tree: Tree): void;
  dispose(): void;
}

/** Copies of declarations without errors, by their text. */
export type Copies = Map<string, MutableCstNode>;
