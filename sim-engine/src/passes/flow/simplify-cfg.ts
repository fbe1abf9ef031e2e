/** Straightens control flow: branches whose way is known, blocks that only pass on, chains of blocks, phis of one value. */

import { linkBlocks, successors } from "../../ir/builder.ts";
import { intConstant } from "../../ir/constants.ts";
import type { Block, Kernel, Op } from "../../ir/kernel.ts";
import { isLeaf } from "../../ir/operations.ts";
import type { Work } from "../../work.ts";
import { addEdge, removeEdge, retarget } from "../edit/edges.ts";
import { uninitialised } from "../edit/ssa-repair.ts";
import { Substitution } from "../edit/substitution.ts";

/** Returns whether anything changed. */
export function simplifyCfg(kernel: Kernel, work: Work): boolean {
  let changed = false;
  for (let again = true; again; ) {
    again = false;
    work.ask(kernel.blocks.length);
    for (const block of kernel.blocks) again = foldBranch(block) || again;
    if (again) linkBlocks(kernel);
    again = simplifyPhis(kernel, work) || again;
    again = threadEmpty(kernel, work) || again;
    again = mergeChains(kernel, work) || again;
    changed ||= again;
  }
  return changed;
}

function foldBranch(block: Block): boolean {
  const { end } = block;
  if (end.kind !== "branch") return false;
  const known = intConstant(end.cond);
  if (known === undefined && end.then !== end.else) return false;
  if (end.then === end.else && end.then.phis.length > 0 && known === undefined) return false;
  const to = known === 0 ? end.else : end.then;
  removeEdge(block, known === 0 ? end.then : end.else);
  block.end = { kind: "jump", to };
  return true;
}

/** Phis whose operands are one value, themselves, or never set. */
function simplifyPhis(kernel: Kernel, work: Work): boolean {
  const substitution = new Substitution();
  for (const block of kernel.blocks) {
    work.ask(block.phis.length + 1);
    block.phis = block.phis.filter((phi) => {
      let only: Op | undefined;
      let unset: Op | undefined;
      for (const each of phi.args) {
        const arg = substitution.resolve(each);
        if (arg === phi || arg === only) continue;
        if (arg.action.kind === "unknown" && arg.action.reason === uninitialised) unset = arg;
        else if (only) return true;
        else only = arg;
      }
      // With a value that was never set, the other must be there on that path too: leaves are everywhere.
      if (unset && only && !isLeaf(only)) return true;
      const value = only ?? unset;
      if (!value) return true;
      substitution.replace(phi, value);
      return false;
    });
  }
  substitution.apply(kernel, work);
  return substitution.size > 0;
}

/** Blocks that do nothing but jump: their predecessors go on directly. */
function threadEmpty(kernel: Kernel, work: Work): boolean {
  let changed = false;
  for (const block of kernel.blocks) {
    const { end } = block;
    work.ask(1);
    if (end.kind !== "jump" || end.to === block || block === kernel.blocks[0] || block.phis.length > 0 || block.ops.length > 0) continue;
    const { to } = end;
    if (block.unroll !== undefined) continue;
    // A branch with both edges to one block cannot tell which value a phi there takes.
    if (to.phis.length > 0 && block.predecessors.some((from) => to.predecessors.includes(from) || bothEdges(from, block))) continue;
    // Threading a loop's only preheader or latch is harmless, but keep blocks that separate nested headers apart.
    const index = to.predecessors.indexOf(block);
    const operands = new Map(to.phis.map((phi) => [phi, phi.args[index] as Op]));
    const froms = [...block.predecessors];
    removeEdge(block, to);
    for (const from of new Set(froms)) {
      for (const each of froms) if (each === from) addEdge(from, to, (phi) => operands.get(phi) ?? phi);
      retarget(from, block, to);
    }
    block.predecessors = [];
    block.end = { kind: "return" };
    changed = true;
  }
  if (changed) linkBlocks(kernel);
  return changed;
}

const bothEdges = (from: Block, to: Block): boolean => from.end.kind === "branch" && from.end.then === to && from.end.else === to;

/** A block that only one block jumps to is appended to it. */
function mergeChains(kernel: Kernel, work: Work): boolean {
  const substitution = new Substitution();
  const gone = new Set<Block>();
  for (const block of kernel.blocks) {
    work.ask(1);
    if (gone.has(block)) continue;
    for (;;) {
      const { end } = block;
      if (end.kind !== "jump") break;
      const { to } = end;
      work.ask(to.ops.length / 16 + 1);
      if (to === block || to === kernel.blocks[0] || to.predecessors.length !== 1) break;
      for (const phi of to.phis) if (phi.args[0]) substitution.replace(phi, phi.args[0]);
      for (const op of to.ops) block.ops.push(op);
      block.end = to.end;
      for (const next of successors(to)) {
        for (let index = 0; index < next.predecessors.length; index++)
          if (next.predecessors[index] === to) next.predecessors[index] = block;
      }
      gone.add(to);
    }
  }
  if (gone.size === 0) return false;
  kernel.blocks = kernel.blocks.filter((block) => !gone.has(block));
  substitution.apply(kernel, work);
  return true;
}
