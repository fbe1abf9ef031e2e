/** Loop-invariant arithmetic leaves loops, and its source line with them, as in LLVM. Loads leave them where forward-loads proves that nothing writes what they read. */

import { noSpan } from "../../ir/builder.ts";
import { findLoops } from "../../ir/graph.ts";
import type { Kernel, Op } from "../../ir/kernel.ts";
import { isPure } from "../../ir/operations.ts";
import type { Work } from "../../work.ts";
import { preheader } from "../edit/blocks.ts";

/** Returns whether anything moved. Every loop has a preheader afterwards. */
export function hoistInvariants(kernel: Kernel, work: Work): boolean {
  let changed = false;
  // Preheaders first: one made later would be missing from the loops around it.
  for (const loop of findLoops(kernel)) preheader(kernel, loop);
  const loops = findLoops(kernel);
  // Inner loops first: what leaves one may leave the next.
  for (const loop of loops.reverse()) {
    work.ask(loop.blocks.size);
    const before = preheader(kernel, loop);
    const inside = new Set<Op>();
    for (const block of loop.blocks) {
      for (const phi of block.phis) inside.add(phi);
      for (const op of block.ops) inside.add(op);
    }
    for (let again = true; again; ) {
      again = false;
      for (const block of kernel.blocks) {
        if (!loop.blocks.has(block)) continue;
        work.ask(block.ops.length);
        block.ops = block.ops.filter((op) => {
          if (!(isPure(op) || isParameter(op)) || isOfLane(op) || op.args.some((arg) => inside.has(arg))) return true;
          before.ops.push(op);
          op.span = noSpan;
          inside.delete(op);
          again = true;
          return false;
        });
      }
      changed ||= again;
    }
  }
  return changed;
}

/** Parameters are there whether or not they are asked for, and nothing writes to them. */
const isParameter = ({ action }: Op): boolean => action.kind === "load" && action.space === "param";

/** A lane's place in a fragment is made where the fragment is loaded or stored. */
const isOfLane = ({ action }: Op): boolean => action.kind === "gep" && action.ofLane === true;
