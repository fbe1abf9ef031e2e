import type { Declaration, Expression, Statement, TypeNode } from "../ast.ts";
import { type CstNode, child, type MutableCstNode } from "../parser/cst.ts";
import { type AnnotationIndex, type Context, conversionBudget, inside, operands, type TypeScope, unknownExpression } from "./context.ts";
import { declarations } from "./declarations.ts";
import { expression } from "./expressions.ts";
import { name, templateArguments } from "./names.ts";
import { parameters } from "./parameters.ts";
import type { PieceText } from "./piece-text.ts";
import { specifiers } from "./specifiers.ts";
import { block, condition, statement } from "./statements.ts";
import { type, typeDescriptor } from "./types.ts";

export interface ConvertInput {
  /** A declaration at namespace level. */
  readonly node: CstNode;
  /** Its text as written, under the offsets that its nodes have. */
  readonly text: PieceText;
  readonly scope: TypeScope;
  /** By the offsets of the nodes. */
  readonly annotations: AnnotationIndex;
  /** Parses a snippet that stands alone. */
  readonly parseSnippet: (text: string) => CstNode | undefined;
  /** The declarations of a piece within the node, which is then a namespace or the like. */
  readonly piece: (node: CstNode) => readonly Declaration[];
}

export interface Converted {
  readonly declarations: readonly Declaration[];
  /** Somewhere in them stands an unknown for what a limit kept from being converted. */
  readonly isLimited: boolean;
}

/** Converts one declaration at namespace level (several, where it declares several things). Never throws. */
export function convert({ node, text, scope, annotations, parseSnippet, piece }: ConvertInput): Converted {
  const c: Context = {
    text,
    scope,
    annotations,
    operands: (start, end) => snippetOperands(c, text.slice(start, end), start, parseSnippet),
    name: (each) => name(c, each),
    templateArguments: (each) =>
      inside(
        c,
        () => templateArguments(c, each),
        (limit) => [{ start: each.start, end: each.end, kind: "expression", expression: unknownExpression(c, each, limit) }],
      ),
    type: (each, qualifiers) =>
      inside(
        c,
        () => type(c, each, qualifiers),
        (limit) => ({ start: each.start, end: each.end, kind: "unknown", limit }),
      ),
    typeDescriptor: (each) =>
      inside(
        c,
        () => typeDescriptor(c, each),
        (limit): TypeNode => ({ start: each.start, end: each.end, kind: "unknown", limit }),
      ),
    expression: (each): Expression => (each ? expression(c, each) : { start: 0, end: 0, kind: "unknown", text: "" }),
    statement: (each): Statement => statement(c, each),
    block: (each) => block(c, each),
    condition: (each) => condition(c, each),
    declarations: (each, where) => declarations(c, each, where),
    parameters: (each) => parameters(c, each),
    specifiers: (each, nameAt) => specifiers(c, each, nameAt),
    piece,
    depth: 0,
    left: conversionBudget(node.end - node.start),
    isLimited: false,
  };
  const converted = declarations(c, node, "namespace");
  return { declarations: converted, isLimited: c.isLimited };
}

const PREFIX = "auto _=_(";
/** Nodes that could be converted while a character is parsed. */
const costOfCharacter = 5;

/** Operands that the tree does not have as expressions, parsed on their own and placed where they stand. */
function snippetOperands(c: Context, written: string, at: number, parseSnippet: ConvertInput["parseSnippet"]): readonly Expression[] {
  // Snippets stand in snippets.
  c.left -= costOfCharacter * written.length;
  if (c.left <= 0) return [];
  const tree = parseSnippet(`${PREFIX}${written});`);
  const call = tree && find(tree, "call_expression");
  const argumentList = call && child(call, "arguments");
  if (!argumentList) return [];
  const shift = at - PREFIX.length;
  return operands(c, shifted(argumentList, shift));
}

/** The first in the text. Trees may be deep. */
function find(root: CstNode, type: string): CstNode | undefined {
  const pending = [root];
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (node.type === type) return node;
    for (let i = node.children.length - 1; i >= 0; i--) {
      const each = node.children[i];
      if (each) pending.push(each);
    }
  }
  return undefined;
}

function shifted(root: CstNode, by: number): CstNode {
  const moved = (node: CstNode): MutableCstNode => ({ ...node, start: node.start + by, end: node.end + by, children: [] });
  const made = moved(root);
  const pending: (readonly [CstNode, MutableCstNode])[] = [[root, made]];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [from, to] = next;
    for (const each of from.children) {
      const child = moved(each);
      to.children.push(child);
      pending.push([each, child]);
    }
  }
  return made;
}
