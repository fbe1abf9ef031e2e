/** How a kernel uses its indices and parameters: what a plausible launch of it looks like. */

import type { Expression, FunctionDeclaration } from "../../syntax/ast.ts";
import { termsOf } from "../../syntax/terms.ts";
import { type AnyNode, walk } from "../../syntax/walk.ts";
import { lastName } from "./scope.ts";

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
  const followed = new Followed();
  let last: Axis = 0;
  walk(kernel.body, (node) => {
    const axis = indexAxis(node);
    if (axis !== undefined && axis > last) last = axis;
    if (node.kind === "variable" && node.init !== undefined) followed.note(node.name.parts.at(-1)?.text, node.init.values);
    if (node.kind === "assign") followed.note(nameOf(node.left), [node.right]);
    if (node.kind === "binary") noteRole(roles, parameters, followed, node);
    return true;
  });
  return { dimensions: (last + 1) as 1 | 2 | 3, roles };
}

function indexAxis(node: AnyNode): Axis | undefined {
  if (node.kind !== "member" || node.base.kind !== "name") return undefined;
  if (!indexNames.has(nameOf(node.base) ?? "")) return undefined;
  return axes[lastName(node.name)];
}

function nameOf(e: Expression): string | undefined {
  if (e.kind === "parenthesized") return nameOf(e.inner);
  return e.kind === "name" ? e.name.parts.at(-1)?.text : undefined;
}

/** Which thread indices expressions follow. */
class Followed {
  readonly #derived = new Map<string, Axis>();
  /** What was found with the names that are derived so far: a comparison is asked about with each that it stands in. */
  readonly #known = new Map<AnyNode, Axis | undefined>();

  /** A name has this for its value. */
  note(name: string | undefined, values: readonly Expression[]): void {
    if (name === undefined || this.#derived.has(name)) return;
    const axis = values.flatMap((value) => this.axisOf(value) ?? []).at(-1);
    if (axis === undefined) return;
    this.#derived.set(name, axis);
    this.#known.clear();
  }

  /** The axis of the thread index an expression follows; the first where it mixes them. */
  axisOf(e: Expression): Axis | undefined {
    if (this.#known.has(e)) return this.#known.get(e);
    const nodes: (readonly [AnyNode, AnyNode | undefined])[] = [];
    walk(e, (node, parent) => {
      nodes.push([node, parent]);
      this.#known.set(node, this.#ownAxis(node));
      // What was loaded through an index does not follow it.
      return node.kind !== "subscript";
    });
    // What stands below comes before what stands behind: of several the first is handed up last.
    const below = new Map<AnyNode, Axis>();
    for (const [node, parent] of nodes.reverse()) {
      const axis = this.#known.get(node) ?? below.get(node);
      this.#known.set(node, axis);
      if (axis !== undefined && parent) below.set(parent, axis);
    }
    return this.#known.get(e);
  }

  #ownAxis(node: AnyNode): Axis | undefined {
    return indexAxis(node) ?? (node.kind === "name" ? this.#derived.get(nameOf(node) ?? "") : undefined);
  }
}

const comparisons: ReadonlySet<string> = new Set(["<", "<=", ">", ">=", "==", "!="]);

function noteRole(
  roles: Map<string, ParameterRole>,
  parameters: ReadonlySet<string>,
  followed: Followed,
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
      const axis = followed.axisOf(other);
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
