import type { Expression, Node, Statement, TranslationUnit, TypeNode } from "../ast.ts";
import { type CstNode, child } from "../parser/cst.ts";
import { type AnnotationIndex, type Context, operands } from "./context.ts";
import { list } from "./declaration-list.ts";
import { declarations } from "./declarations.ts";
import { expression } from "./expressions.ts";
import { name, templateArguments } from "./names.ts";
import { parameters } from "./parameters.ts";
import { specifiers } from "./specifiers.ts";
import { block, condition, statement } from "./statements.ts";
import { typeScope } from "./type-names.ts";
import { type, typeDescriptor } from "./types.ts";

export interface ConvertInput {
  readonly root: CstNode;
  /** The text the tree's offsets point into, as written. */
  readonly text: string;
  readonly annotations: AnnotationIndex;
  /** Parses a snippet that stands alone. */
  readonly parseSnippet: (text: string) => CstNode | undefined;
}

/** Converts a whole file's tree. Never throws. */
export function convert({ root, text, annotations, parseSnippet }: ConvertInput): TranslationUnit {
  const c: Context = {
    text,
    scope: typeScope(root, text),
    annotations,
    operands: (start, end) => snippetOperands(c, text.slice(start, end), start, parseSnippet),
    name: (node) => name(c, node),
    templateArguments: (node) => templateArguments(c, node),
    type: (node, qualifiers) => type(c, node, qualifiers),
    typeDescriptor: (node): TypeNode => typeDescriptor(c, node),
    expression: (node): Expression => (node ? expression(c, node) : { start: 0, end: 0, kind: "unknown", text: "" }),
    statement: (node): Statement => statement(c, node),
    block: (node) => block(c, node),
    condition: (node) => condition(c, node),
    declarations: (node, where) => declarations(c, node, where),
    parameters: (node) => parameters(c, node),
    specifiers: (node, nameAt) => specifiers(c, node, nameAt),
    depth: 0,
  };
  // The root starts at the first token: what is hidden in front of it counts as well.
  return { declarations: list(c, { ...root, start: 0, end: text.length }, "namespace"), errors: errorsIn(root) };
}

/** Where the parser gave up, or made up a token. */
function errorsIn(root: CstNode): Node[] {
  const found: Node[] = [];
  const pending: CstNode[] = [root];
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (node.type === "ERROR" || node.missing) found.push({ start: node.start, end: node.end });
    if (node.type !== "ERROR")
      for (const each of node.children) if (each.children.length || each.missing || each.type === "ERROR") pending.push(each);
  }
  return found.sort((a, b) => a.start - b.start);
}

const PREFIX = "auto _=_(";

/** Operands that the tree does not have as expressions, parsed on their own and placed where they stand. */
function snippetOperands(c: Context, written: string, at: number, parseSnippet: ConvertInput["parseSnippet"]): readonly Expression[] {
  const tree = parseSnippet(`${PREFIX}${written});`);
  const call = tree && find(tree, "call_expression");
  const argumentList = call && child(call, "arguments");
  if (!argumentList) return [];
  const shift = at - PREFIX.length;
  return operands(c, shifted(argumentList, shift));
}

function find(node: CstNode, type: string): CstNode | undefined {
  if (node.type === type) return node;
  for (const each of node.children) {
    const found = find(each, type);
    if (found) return found;
  }
  return undefined;
}

const shifted = (node: CstNode, by: number): CstNode => ({
  ...node,
  start: node.start + by,
  end: node.end + by,
  children: node.children.map((each) => shifted(each, by)),
});
