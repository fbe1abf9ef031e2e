import type { Declaration } from "../ast.ts";
import type { CstNode } from "../parser/cst.ts";
import type { Context, Where } from "./context.ts";

/** The declarations between braces, or of a whole file. */
export function list(c: Context, node: CstNode, where: Where): Declaration[] {
  const found: Declaration[] = [];
  const children = node.children.filter((each) => each.named);
  children.forEach((each, i) => {
    // Attributes stand hidden before and behind a declaration.
    const from = children[i - 1]?.end ?? node.start;
    const to = children[i + 1]?.start ?? node.end;
    found.push(...(where === "namespace" ? remembered(c, each, from, to) : c.declarations(each, where)));
  });
  return found;
}

interface Converted {
  readonly declarations: Declaration[];
  readonly start: number;
  /** What was written there, and around it. */
  written: string;
  readonly types: string;
}

const converted = new WeakMap<CstNode, Converted>();

/**
 * A declaration that stands where it stood, written as it was, among the same types, is the same objects again: most of
 * a reading does not change while somebody types, and what others know of those objects stays true.
 */
function remembered(c: Context, node: CstNode, from: number, to: number): Declaration[] {
  const written = c.text.slice(from, to);
  const before = converted.get(node);
  if (before && before.start === node.start && before.types === c.scope.signature && before.written === written) {
    // Not to hold on to the text of long ago.
    before.written = written;
    return before.declarations;
  }
  const declarations = c.declarations(node, "namespace");
  converted.set(node, { declarations, start: node.start, written, types: c.scope.signature });
  return declarations;
}
