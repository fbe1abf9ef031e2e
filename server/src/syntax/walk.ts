import type { Declaration, Expression, Statement, TemplateArgument, TranslationUnit, TypeNode } from "./ast.ts";

/** Every kind of node that has a `kind`. */
export type AnyNode = Declaration | Expression | Statement | TypeNode;

/**
 * The nodes directly under one, in the order they are written: declarations, statements, expressions and types alike,
 * through names, parameters and initialisers, which have no kind of their own. Each thing that is written comes once: a
 * template argument that may be a type or a value as the value, a variable that may be a function as the variable.
 */
function childrenOf(node: AnyNode | TranslationUnit): AnyNode[] {
  const found: AnyNode[] = [];
  gather(node, found);
  // Properties stand in the order of the text but for a few, such as the configuration of a launch. (Between declarations at
  // namespace level offsets tell nothing.)
  const listed = !("kind" in node) || node.kind === "namespace" || node.kind === "linkage";
  if (!listed && found.some((each, i) => i > 0 && each.start < (found[i - 1]?.start ?? 0))) found.sort((a, b) => a.start - b.start);
  return found;
}

function gather(value: object, found: AnyNode[]): void {
  for (const key in value) {
    const each = (value as Readonly<Record<string, unknown>>)[key];
    if (typeof each !== "object" || each === null) continue;
    if (key === "templateArguments") for (const argument of each as readonly TemplateArgument[]) found.push(written(argument));
    else if (key === "templateParameters") for (const parameter of each as readonly object[]) gather(parameter, found);
    else if (key === "maybeFunction") continue;
    else if (isNode(each)) found.push(each);
    else gather(each, found);
  }
}

const written = (argument: TemplateArgument): AnyNode =>
  argument.kind === "type" ? (argument.expression ?? argument.type) : argument.expression;

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
