/** Whether it matters which of two expressions is evaluated first. */

import type { Expression } from "../../../syntax/ast.ts";
import { type AnyNode, walk } from "../../../syntax/walk.ts";
import { lastName } from "../../sema/scope.ts";

interface Names {
  /** Everything that is named. */
  readonly all: ReadonlySet<string>;
  /** What is assigned to, counted up or down; undefined: who knows, as something is called. */
  readonly changed: ReadonlySet<string> | undefined;
}

const known = new WeakMap<Expression, Names>();

function namesIn(e: Expression): Names {
  const found = known.get(e);
  if (found) return found;
  const all = new Set<string>();
  const changed = new Set<string>();
  let calls = false;
  walk(e, (node) => {
    if (node.kind === "name") all.add(lastName(node.name));
    if (node.kind === "call" || node.kind === "new") calls = true;
    const target = changedBy(node);
    if (target)
      walk(target, (inner) => {
        if (inner.kind === "name") changed.add(lastName(inner.name));
        return true;
      });
    return true;
  });
  const made: Names = { all, changed: calls ? undefined : changed };
  known.set(e, made);
  return made;
}

/** What an expression by itself stores to. */
export function changedBy(node: AnyNode): Expression | undefined {
  if (node.kind === "assign") return node.left;
  return node.kind === "postfix" || (node.kind === "unary" && (node.op === "++" || node.op === "--")) ? node.operand : undefined;
}

/**
 * Whether finding the place `left` may change what `right` is made of. An object's right side is made in its place: then compilers
 * look for the place first, though the language has it the other way round.
 */
export function isOrderTold(left: Expression, right: Expression): boolean {
  if (left.kind === "name") return true;
  const { all, changed } = namesIn(left);
  const other = namesIn(right);
  if (changed === undefined) return other.all.size === 0 || other.changed !== undefined;
  if ([...changed].some((name) => other.all.has(name))) return false;
  return ![...(other.changed ?? [])].some((name) => all.has(name));
}
