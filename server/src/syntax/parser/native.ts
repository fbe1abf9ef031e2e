import type { Node } from "../ast.ts";
import { type MutableCstNode, noChildren } from "./cst.ts";
import { keepTrees } from "./kept-trees.ts";
import type { Backend, Parser } from "./parser.ts";

/** The part of node-tree-sitter's interface that is used; it is not a dependency, so that its types are not there either. */
interface NativeNode {
  readonly type: string;
  readonly isNamed: boolean;
  readonly isMissing: boolean;
  readonly hasError: boolean;
  readonly startIndex: number;
  readonly endIndex: number;
  readonly children: readonly NativeNode[];
  fieldNameForChild(index: number): string | null;
}
interface NativeTree {
  readonly rootNode: NativeNode;
}
interface NativeParser {
  setLanguage(language: unknown): void;
  parse(text: string | ((index: number) => string)): NativeTree;
}

/**
 * A parser over node-tree-sitter, where it and a native tree-sitter-cuda happen to be installed; undefined elsewhere. It
 * is there to compare with, and for batches: it never frees trees while a loop runs, and cannot be cancelled.
 */
export async function loadNativeParser(): Promise<Parser | undefined> {
  // Not literals, so that bundlers leave them to run time.
  const [runtime, grammar] = await Promise.all([load(["tree", "sitter"].join("-")), load(["tree", "sitter", "cuda"].join("-"))]);
  if (typeof runtime !== "function" || grammar === undefined) return undefined;
  try {
    const parser = new (runtime as new () => NativeParser)();
    parser.setLanguage(grammar);
    return keepTrees(nativeBackend(parser));
  } catch {
    return undefined;
  }
}

async function load(name: string): Promise<unknown> {
  try {
    const module: { readonly default?: unknown } = await import(name);
    return module.default;
  } catch {
    return undefined;
  }
}

function nativeBackend(parser: NativeParser): Backend<NativeTree> {
  return {
    // Pieces, because a whole long string is refused.
    parse: (text) => parser.parse((index) => text.slice(index, index + 4096)),
    errors: (tree) => errorsIn(tree.rootNode),
    copyOut: (tree) => copy(tree.rootNode, undefined),
    free() {},
    dispose() {},
  };
}

const left = new Set(["(", ")", "{", "}", ";", ","]);

function copy(node: NativeNode, field: string | undefined): MutableCstNode {
  const children: MutableCstNode[] = [];
  node.children.forEach((each, i) => {
    if (each.isMissing || !left.has(each.type)) children.push(copy(each, node.fieldNameForChild(i) ?? undefined));
  });
  const { type, isNamed: named, startIndex: start, endIndex: end, isMissing: missing } = node;
  return { type, named, field, start, end, missing, children: children.length ? children : noChildren };
}

function errorsIn(node: NativeNode): Node[] {
  if (node.type === "ERROR" || node.isMissing) return [{ start: node.startIndex, end: node.endIndex }];
  return node.hasError ? node.children.flatMap(errorsIn) : [];
}
