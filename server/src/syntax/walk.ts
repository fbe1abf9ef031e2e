import type { Declaration, Expression, Statement, TranslationUnit, TypeNode } from "./ast.ts";

/** Every kind of node that has a `kind`. */
export type AnyNode = Declaration | Expression | Statement | TypeNode;

/**
 * The nodes directly under one, in the order they are written: declarations, statements, expressions and types alike,
 * through names, parameters and initialisers, which have no kind of their own.
 */
export function childrenOf(node: AnyNode | TranslationUnit): AnyNode[] {
  const found: AnyNode[] = [];
  gather(node, found);
  return found;
}

function gather(value: object, found: AnyNode[]): void {
  for (const each of Object.values(value) as unknown[]) {
    if (typeof each !== "object" || each === null) continue;
    if (isNode(each)) found.push(each);
    else gather(each, found);
  }
}

const isNode = (value: object): value is AnyNode => "kind" in value && "start" in value;

/** Visits a node and everything under it, parents first. A visitor that returns false is not shown what lies below. */
export function walk(node: AnyNode | TranslationUnit, visit: (node: AnyNode, parent: AnyNode | undefined) => boolean | undefined): void {
  const pending: [AnyNode, AnyNode | undefined][] = [];
  const push = (parent: AnyNode | TranslationUnit, as: AnyNode | undefined) => {
    const inner = childrenOf(parent);
    for (let i = inner.length - 1; i >= 0; i--) {
      const each = inner[i];
      if (each) pending.push([each, as]);
    }
  };
  if ("kind" in node) pending.push([node, undefined]);
  else push(node, undefined);
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [each, parent] = next;
    if (visit(each, parent) !== false) push(each, each);
  }
}

/** Every node's parent, for looking upwards. */
export function parentsOf(unit: TranslationUnit): ReadonlyMap<AnyNode, AnyNode> {
  const parents = new Map<AnyNode, AnyNode>();
  walk(unit, (node, parent) => {
    if (parent) parents.set(node, parent);
    return true;
  });
  return parents;
}
