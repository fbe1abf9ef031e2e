/**
 * Equal values are computed once: pure operations along the dominator tree, as LLVM's EarlyCSE and GVN do. Loads are another
 * matter, see forward-loads.
 */

import { dominators } from "../../ir/graph.ts";
import type { Block, Kernel, Op } from "../../ir/kernel.ts";
import { isPure } from "../../ir/operations.ts";
import type { Work } from "../../work.ts";
import { Substitution } from "../edit/substitution.ts";
import { valueKey } from "../facts/value-numbers.ts";
import { mergeCongruentPhis } from "./congruent-phis.ts";
import { replaceSingleValues } from "./single-values.ts";

/** Returns whether anything was merged. */
export function mergeEqualValues(kernel: Kernel, work: Work): boolean {
  const entry = kernel.blocks[0];
  if (!entry) return false;
  const children = dominators(kernel).children();
  const substitution = new Substitution();
  replaceSingleValues(kernel, substitution, work);
  substitution.apply(kernel, work);
  mergeCongruentPhis(kernel, substitution, work);
  const known = new Map<string, Op>();
  // Each entry on the way down, and how to take its values back on the way up.
  const stack: { readonly block: Block; leave?: string[] }[] = [{ block: entry }];
  for (let top = stack.at(-1); top; top = stack.at(-1)) {
    if (top.leave) {
      for (const key of top.leave) known.delete(key);
      stack.pop();
      continue;
    }
    const { block } = top;
    top.leave = [];
    const { leave } = top;
    work.ask(block.phis.length + 1);
    mergePhis(block, substitution);
    block.ops = block.ops.filter((op) => {
      work.ask(2);
      const { args } = op;
      for (let index = 0; index < args.length; index++) args[index] = substitution.resolve(args[index] as Op);
      if (!isPure(op)) return true;
      const key = valueKey(op);
      const same = known.get(key);
      if (same) {
        substitution.replace(op, same);
        return false;
      }
      known.set(key, op);
      leave.push(key);
      return true;
    });
    for (const child of children.get(block) ?? []) stack.push({ block: child });
  }
  substitution.apply(kernel, work);
  return substitution.size > 0;
}

/** Phis of one block with the same operands are one. */
function mergePhis(block: Block, substitution: Substitution): void {
  if (block.phis.length < 2) return;
  const seen = new Map<string, Op>();
  block.phis = block.phis.filter((phi) => {
    const key = `${phi.type} ${phi.args.map((arg) => substitution.resolve(arg).id).join(" ")}`;
    const same = seen.get(key);
    if (same) {
      substitution.replace(phi, same);
      return false;
    }
    seen.set(key, phi);
    return true;
  });
}
