/** Vector loads of which some components are not used become as narrow as ptxas makes them. */

import { createOp } from "../../ir/builder.ts";
import { type Block, type Kernel, type Op, type ScalarType, scalarBytes } from "../../ir/kernel.ts";
import type { Work } from "../../work.ts";
import { Constants } from "../edit/constants.ts";
import { Substitution } from "../edit/substitution.ts";
import { findUses } from "../facts/uses.ts";

export function narrowLoads(kernel: Kernel, work: Work): void {
  const { by } = findUses(kernel);
  const constants = new Constants(kernel);
  const substitution = new Substitution();
  const gone = new Set<Op>();
  for (const block of kernel.blocks) {
    for (const load of [...block.ops]) {
      work.ask(1);
      const { action } = load;
      if (action.kind !== "load" || action.components < 2 || action.volatile || action.space === "texture" || action.matrix) continue;
      const users = by.get(load) ?? [];
      if (!users.every((user) => user.action.kind === "extract")) continue;
      const used = new Set(users.flatMap(({ action }) => (action.kind === "extract" ? [action.index] : [])));
      const parts = partsOf(action.components, used);
      if (!parts) continue;
      for (const extract of split(kernel, block, load, users, parts, constants, substitution)) gone.add(extract);
    }
  }
  if (gone.size === 0) return;
  for (const block of kernel.blocks) block.ops = block.ops.filter((op) => !gone.has(op));
  substitution.apply(kernel, work);
}

/** The runs of components that are loaded, [first, count]; undefined where the load stays as it is. */
function partsOf(components: number, used: ReadonlySet<number>): (readonly [first: number, count: number])[] | undefined {
  if (used.size === 0 || used.size === components || used.size > 2) return undefined;
  const indices = [...used].sort((a, b) => a - b);
  const [low = 0, high] = indices;
  if (high === low + 1 && low % 2 === 0) return [[low, 2]];
  return indices.map((index) => [index, 1]);
}

/** Puts the parts in the load's place; the extracts they replace. */
function split(
  kernel: Kernel,
  block: Block,
  load: Op,
  users: readonly Op[],
  parts: readonly (readonly [first: number, count: number])[],
  constants: Constants,
  substitution: Substitution,
): ReadonlySet<Op> {
  const { action } = load;
  if (action.kind !== "load") return new Set();
  const type = load.type as ScalarType;
  const bytes = scalarBytes[type];
  const made: Op[] = [];
  const values = new Map<number, Op>();
  for (const [first, count] of parts) {
    let [address] = load.args as [Op];
    if (first > 0) {
      address = createOp(kernel, { kind: "gep", scale: 1, offset: first * bytes }, "ptr", [address, constants.int("i32", 0)], load.span);
      made.push(address);
    }
    const offset = first * bytes;
    const align = offset === 0 ? action.align : Math.min(action.align, offset & -offset);
    const part = createOp(kernel, { ...action, components: count, align }, type, [address], load.span);
    made.push(part);
    for (let index = first; index < first + count; index++) {
      const value = count === 1 ? part : createOp(kernel, { kind: "extract", index: index - first }, type, [part], load.span);
      if (count > 1) made.push(value);
      values.set(index, value);
    }
  }
  const replaced = new Set<Op>();
  for (const user of users) {
    const value = user.action.kind === "extract" ? values.get(user.action.index) : undefined;
    if (!value) continue;
    substitution.replace(user, value);
    replaced.add(user);
  }
  block.ops.splice(block.ops.indexOf(load), 1, ...made);
  return replaced;
}
