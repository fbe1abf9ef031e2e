/** Accesses that go where they found to go the turn before: searches and chains of pointers, whose order no layout makes that of lanes. */
import type { Program } from "../execute/program.ts";
import type { Loop } from "../ir/graph.ts";
import type { Block, Op } from "../ir/kernel.ts";

/** Whether where an access goes in a turn of its innermost loop depends on what it found in the turns before. */
export function isSearch({ loops }: Program, access: Op): boolean {
  const loop = innermostOf(loops, access);
  const [address] = access.args;
  if (!loop || !address) return false;
  const homes = homesIn(loop);
  const seen = new Set<Op>();
  const left = [address];
  for (let op = left.pop(); op; op = left.pop()) {
    const home = homes.get(op);
    if (home === undefined || seen.has(op)) continue;
    if (op === access) return true;
    seen.add(op);
    left.push(...op.args);
    if (op.action.kind === "phi" && home !== loop.header) left.push(...decisions(home, loop));
  }
  return false;
}

/** What decides by which way a block is come to, as far as that is one branch or two ahead. */
function decisions({ predecessors }: Block, { blocks, header }: Loop): Op[] {
  const ahead = predecessors.flatMap((block) => (block === header ? [block] : [block, ...block.predecessors]));
  return ahead.flatMap((block) => (blocks.has(block) && block.end.kind === "branch" ? [block.end.cond] : []));
}

/** The loop around an operation that has none of its loops around it, too. */
export const innermostOf = (loops: readonly Loop[], op: Op): Loop | undefined =>
  loops.filter((loop) => homesIn(loop).has(op)).sort((a, b) => a.blocks.size - b.blocks.size)[0];

/** By operation of a loop the block in which it stands: each of thousands of accesses of an unrolled one asks for it. */
function homesIn(loop: Loop): ReadonlyMap<Op, Block> {
  const known = homes.get(loop);
  if (known) return known;
  const made = new Map<Op, Block>();
  for (const block of loop.blocks) for (const op of [...block.phis, ...block.ops]) made.set(op, block);
  homes.set(loop, made);
  return made;
}

/** Loops of kernels that are run are changed no more. */
const homes = new WeakMap<Loop, ReadonlyMap<Op, Block>>();
