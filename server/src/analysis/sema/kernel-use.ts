/** How a kernel uses its indices and parameters: what a plausible launch of it looks like. */

import type { Expression, FunctionDeclaration } from "../../syntax/ast.ts";
import { termsOf } from "../../syntax/terms.ts";
import { type AnyNode, walk } from "../../syntax/walk.ts";

export type Axis = 0 | 1 | 2;

/**
 * What a scalar parameter is for: `extent` bounds the threads along an axis, `pitch` is multiplied into an index,
 * `trips` bounds a loop.
 */
export type ParameterRole = { readonly kind: "extent"; readonly axis: Axis } | { readonly kind: "pitch" } | { readonly kind: "trips" };

export interface KernelUse {
  /** How many of x, y, z the kernel's indices reach: 1 to 3. */
  readonly dimensions: 1 | 2 | 3;
  readonly roles: ReadonlyMap<string, ParameterRole>;
}

const indexNames: ReadonlySet<string> = new Set(["threadIdx", "blockIdx"]);
const axes: Readonly<Record<string, Axis>> = { x: 0, y: 1, z: 2 };

/** By body: a declaration may get another one. */
const known = new WeakMap<object, KernelUse>();

/** Judged by names, in the kernel's own body. */
export function kernelUse(kernel: FunctionDeclaration): KernelUse {
  const found = known.get(kernel.body ?? kernel);
  if (found !== undefined) return found;
  const use = examine(kernel);
  known.set(kernel.body ?? kernel, use);
  return use;
}

function examine(kernel: FunctionDeclaration): KernelUse {
  const roles = new Map<string, ParameterRole>();
  if (kernel.body === undefined) return { dimensions: 1, roles };
  const parameters = new Set(kernel.parameters.flatMap(({ name }) => (name === undefined ? [] : [name])));
  const derived = new Map<string, Axis>();
  let last: Axis = 0;
  walk(kernel.body, (node) => {
    const axis = indexAxis(node);
    if (axis !== undefined && axis > last) last = axis;
    if (node.kind === "variable" && node.init !== undefined) noteDerived(derived, node.name.parts.at(-1)?.text, node.init.values);
    if (node.kind === "assign") noteDerived(derived, nameOf(node.left), [node.right]);
    if (node.kind === "binary") noteRole(roles, parameters, derived, node);
    return true;
  });
  return { dimensions: (last + 1) as 1 | 2 | 3, roles };
}

function indexAxis(node: AnyNode): Axis | undefined {
  if (node.kind !== "member" || node.base.kind !== "name") return undefined;
  if (!indexNames.has(nameOf(node.base) ?? "")) return undefined;
  return axes[node.name.parts.at(-1)?.text ?? ""];
}

function nameOf(e: Expression): string | undefined {
  if (e.kind === "parenthesized") return nameOf(e.inner);
  return e.kind === "name" ? e.name.parts.at(-1)?.text : undefined;
}

function noteDerived(derived: Map<string, Axis>, name: string | undefined, values: readonly Expression[]): void {
  if (name === undefined || derived.has(name)) return;
  for (const value of values) {
    const axis = axisOf(value, derived);
    if (axis !== undefined) derived.set(name, axis);
  }
}

/** The axis of the thread index an expression follows; the first where it mixes them. */
function axisOf(e: Expression, derived: ReadonlyMap<string, Axis>): Axis | undefined {
  let found: Axis | undefined;
  walk(e, (node) => {
    found ??= indexAxis(node) ?? (node.kind === "name" ? derived.get(nameOf(node) ?? "") : undefined);
    // What was loaded through an index does not follow it.
    return node.kind !== "subscript";
  });
  return found;
}

const comparisons: ReadonlySet<string> = new Set(["<", "<=", ">", ">=", "==", "!="]);

function noteRole(
  roles: Map<string, ParameterRole>,
  parameters: ReadonlySet<string>,
  derived: ReadonlyMap<string, Axis>,
  node: Expression & { readonly kind: "binary" },
): void {
  const sides = [
    [node.left, node.right],
    [node.right, node.left],
  ] as const;
  for (const [side, other] of sides) {
    if (node.op === "*") {
      const name = nameOf(side);
      if (name !== undefined && parameters.has(name) && !roles.has(name)) roles.set(name, { kind: "pitch" });
    }
    if (!comparisons.has(node.op)) continue;
    for (const name of namesIn(side)) {
      if (!parameters.has(name) || roles.get(name)?.kind === "extent") continue;
      const axis = axisOf(other, derived);
      if (axis !== undefined) roles.set(name, { kind: "extent", axis });
      else if (!roles.has(name)) roles.set(name, { kind: "trips" });
    }
  }
}

const isArithmetic = (op: string): boolean => ["+", "-", "*", "/"].includes(op);

function namesIn(e: Expression): readonly string[] {
  switch (e.kind) {
    case "name":
      return e.name.parts.map((part) => part.text).slice(-1);
    case "parenthesized":
      return namesIn(e.inner);
    case "binary":
      return isArithmetic(e.op) ? termsOf(e, isArithmetic).flatMap(namesIn) : [];
    case "cast":
      return e.operands.flatMap(namesIn);
    default:
      return [];
  }
}
