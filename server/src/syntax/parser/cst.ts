/**
 * The concrete tree as plain objects: copied out of the parser's own memory at once, so that no parser node is ever
 * held, whichever backend made it.
 */
export interface CstNode {
  /** The grammar's name of the node; an anonymous token's type is its text. `ERROR` where the parser gave up. */
  readonly type: string;
  readonly named: boolean;
  /** The field of the parent that this node fills. */
  readonly field: string | undefined;
  /** UTF-16 offsets in the parsed text, shifted as whoever asked for the copy said for the piece it is in. */
  readonly start: number;
  readonly end: number;
  /** The parser inserted this token: it is not in the text. */
  readonly missing: boolean;
  readonly children: readonly CstNode[];
  /** Of a declaration at namespace level. */
  readonly piece?: Piece;
}

/** A declaration at namespace level, or what holds such declarations, as its text lies in the whole. */
export interface Piece {
  /** UTF-16 offsets in the parsed text: from the end of what stands before to the start of what stands behind. */
  readonly from: number;
  readonly to: number;
  /** Added to every offset of its nodes. */
  readonly shift: number;
  /** It was converted before: nothing of it is copied. */
  readonly known: boolean;
}

export interface MutableCstNode {
  type: string;
  named: boolean;
  field: string | undefined;
  start: number;
  end: number;
  missing: boolean;
  children: MutableCstNode[];
  piece?: Piece;
}

export const noChildren: MutableCstNode[] = [];
Object.freeze(noChildren);

/** The child that fills a field. */
export function child(node: CstNode, field: string): CstNode | undefined {
  for (const each of node.children) if (each.field === field) return each;
  return undefined;
}

/** The first child of a type. */
export function childOfType(node: CstNode, type: string): CstNode | undefined {
  for (const each of node.children) if (each.type === type) return each;
  return undefined;
}

/** S-expression of named nodes with fields, for tests of the parser itself. */
export function cstToString(node: CstNode): string {
  const parts = node.children
    .filter((each) => each.named || each.missing)
    .map((each) => (each.field ? `${each.field}: ` : "") + cstToString(each));
  return `(${[node.missing ? `MISSING ${node.type}` : node.type, ...parts].join(" ")})`;
}
