import type {
  Condition,
  Declaration,
  Expression,
  Name,
  Node,
  ParameterDeclaration,
  Specifiers,
  Statement,
  TemplateArgument,
  TypeNode,
} from "../ast.ts";
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
  /** How deep the conversion is in the tree; nothing deeper than `MAX_DEPTH` is converted. */
  depth: number;
}

/** Deeper nesting than this becomes `unknown`: nobody writes it, and everything after would have to recurse into it. */
export const MAX_DEPTH = 400;

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

export const unknownExpression = (c: Context, node: CstNode): Expression => ({
  start: node.start,
  end: node.end,
  kind: "unknown",
  text: textOf(c, node),
});

/** The operands of an argument or initialiser list. */
export function operands(c: Context, list: CstNode | undefined): Expression[] {
  const found: Expression[] = [];
  for (const each of list?.children ?? []) if (each.named && each.type !== "comment") found.push(c.expression(each));
  return found;
}

export const nameExpression: ExpressionConverter = (c, node) => ({ start: node.start, end: node.end, kind: "name", name: c.name(node) });
