import type {
  Condition,
  Declaration,
  Expression,
  Limit,
  Name,
  Node,
  ParameterDeclaration,
  Specifiers,
  Statement,
  TemplateArgument,
  TypeNode,
} from "../ast.ts";
import { deepest } from "../deepest.ts";
import { type CstNode, child } from "../parser/cst.ts";
import type { PieceText } from "./piece-text.ts";

/**
 * What one conversion knows and can do. The converters of names, types, expressions, statements and declarations call
 * one another through it, since each may hold any other.
 */
export interface Context {
  /** The text the tree's offsets point into, as written: before any replacement made for the parser's sake. */
  readonly text: PieceText;
  readonly scope: TypeScope;
  readonly annotations: AnnotationIndex;
  /** Parses a piece of `text` as the operands of a call: what stands in it was read as something else, or was hidden from the parser. */
  readonly operands: (start: number, end: number) => readonly Expression[];
  readonly name: (node: CstNode) => Name;
  readonly templateArguments: (list: CstNode) => TemplateArgument[];
  readonly type: (specifier: CstNode, qualifiers?: Qualifiers) => TypeNode;
  /** A `type_descriptor`: `const float *`. */
  readonly typeDescriptor: (node: CstNode) => TypeNode;
  readonly expression: (node: CstNode | undefined) => Expression;
  readonly statement: (node: CstNode) => Statement;
  readonly block: (node: CstNode) => Statement & { kind: "block" };
  readonly condition: (clause: CstNode) => { readonly init?: Statement; readonly condition: Condition };
  /** Every declaration a node stands for: `int a, *b;` gives two. */
  readonly declarations: (node: CstNode, where: Where) => Declaration[];
  readonly parameters: (list: CstNode) => { readonly parameters: ParameterDeclaration[]; readonly variadic: boolean };
  readonly specifiers: (node: CstNode, nameAt: number) => Specifiers;
  /** The declarations of a piece: a declaration at namespace level is converted on its own, or was before. */
  readonly piece: (node: CstNode) => readonly Declaration[];
  /** How deep the conversion is in the tree; nothing deeper than `deepest` is converted. */
  depth: number;
  /** How many nodes it may still convert: some are read in two ways, and what stands in them in twice as many. */
  left: number;
  /** A limit was met, so that something is not converted. */
  isLimited: boolean;
}

/** Nodes that are converted of a declaration, for each character of it. */
const nodesACharacter = 20;

export const conversionBudget = (characters: number): number => 1000 + nodesACharacter * characters;

/**
 * Converts what stands in a node, a level deeper.
 * @param otherwise what stands for it where that is too deep, or the conversion has taken too long
 */
export function inside<T>(c: Context, convert: () => T, otherwise: (limit: Limit) => T): T {
  if (c.depth >= deepest) return otherwise(limited(c, "depth"));
  if (c.left-- <= 0) return otherwise(limited(c, "cost"));
  c.depth++;
  try {
    return convert();
  } finally {
    c.depth--;
  }
}

/** To be asked for whatever a limit stands for. */
export function limited(c: Context, limit: Limit): Limit {
  c.isLimited = true;
  return limit;
}

export type Where = "namespace" | "class" | "block";

export interface Qualifiers {
  const?: boolean;
  volatile?: boolean;
  restrict?: boolean;
}

/** The names known to be types where the conversion stands. */
export interface TypeScope {
  has(name: string): boolean;
  /** Template type parameters, within their template. */
  within<T>(names: readonly string[], convert: () => T): T;
}

/** An object while it is being put together. */
export type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** What the text says in words the grammar does not know, found by where it stands. */
export interface AnnotationIndex {
  /** The `#pragma unroll` in front of the loop that starts at an offset; `none` for `#pragma nounroll`. */
  unrollAt(offset: number): { readonly none?: boolean; readonly count?: readonly [number, number] } | undefined;
  /** The attributes that stand before any offset from `start` to `end`. */
  attributes(start: number, end: number): readonly AttributeAnnotation[];
  /** The attributes that stand right behind what ends at an offset. */
  attributesBehind(end: number): readonly AttributeAnnotation[];
}

export type AnnotationKind =
  | "align"
  | "launch-bounds"
  | "cluster-dims"
  | "max-registers"
  | "device"
  | "host"
  | "global"
  | "inline"
  | "friend"
  | "explicit"
  | "instantiation"
  | "unroll"
  | "no-unroll";

export interface AttributeAnnotation {
  readonly kind: AnnotationKind;
  /** Of its operands in the text, without the parentheses. */
  readonly operands: readonly [number, number];
}

export const span = (node: Node): { start: number; end: number } => ({ start: node.start, end: node.end });

export const textOf = (c: Context, node: Node): string => c.text.slice(node.start, node.end);

const alternativeSpellings: Readonly<Record<string, string>> = {
  and: "&&",
  or: "||",
  not: "!",
  bitand: "&",
  bitor: "|",
  xor: "^",
  compl: "~",
  not_eq: "!=",
  and_eq: "&=",
  or_eq: "|=",
  xor_eq: "^=",
};

/** A node's operator; from the text and not the tree, which may have been given another operator to parse. */
export function operator(c: Context, node: CstNode): string {
  const token = child(node, "operator");
  const text = token ? textOf(c, token) : "";
  return alternativeSpellings[text] ?? text;
}

export type ExpressionConverter = (c: Context, node: CstNode) => Expression;

export const unknownExpression = (c: Context, node: CstNode, limit?: Limit): Expression & { kind: "unknown" } => ({
  start: node.start,
  end: node.end,
  kind: "unknown",
  text: textOf(c, node),
  ...(limit && { limit }),
});

/** The operands of an argument or initialiser list. */
export function operands(c: Context, list: CstNode | undefined): Expression[] {
  const found: Expression[] = [];
  for (const each of list?.children ?? []) if (each.named && each.type !== "comment") found.push(c.expression(each));
  return found;
}

export const nameExpression: ExpressionConverter = (c, node) => ({ start: node.start, end: node.end, kind: "name", name: c.name(node) });
