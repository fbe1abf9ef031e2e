/**
 * Algebra on single operations: constants are computed, identities removed, and shapes made the same so that later passes see
 * that they are equal (constants right, subtraction of a constant as addition, multiplication by a power of two as a shift).
 */

import { reversePostorder } from "../../ir/graph.ts";
import type { Kernel, Op } from "../../ir/kernel.ts";
import type { Work } from "../../work.ts";
import { Substitution } from "../edit/substitution.ts";
import { foldAddress } from "./address.ts";
import { foldCompare, foldSelect } from "./compare.ts";
import { foldConversion, foldFloat } from "./float.ts";
import { Folding, negated } from "./folding.ts";
import { foldInt } from "./int.ts";

/** Returns whether anything changed. */
export function fold(kernel: Kernel, work: Work): boolean {
  let changed = false;
  for (let round = 0; round < 6 && foldOnce(kernel, work); round++) changed = true;
  return changed;
}

function foldOnce(kernel: Kernel, work: Work): boolean {
  const folding = new Folding(kernel);
  const substitution = new Substitution();
  let changed = false;
  for (const block of reversePostorder(kernel)) {
    const kept: Op[] = [];
    // Constants made on the way go to the head of the entry block, so that one is read only up to where it stood.
    for (const op of [...block.ops]) {
      work.ask(2);
      if (op.action.kind === "const") continue;
      for (let index = 0; index < op.args.length; index++) op.args[index] = substitution.resolve(op.args[index]!);
      folding.span = op.span;
      const { action, args } = op;
      const to = foldOp(op, folding);
      folding.takeEmitted(kept);
      if (to && to !== op) substitution.replace(op, to);
      else kept.push(op);
      changed ||= to !== undefined || op.action !== action || op.args !== args;
    }
    block.ops = [...block.ops.filter((op) => op.action.kind === "const"), ...kept];
    const { end } = block;
    if (end.kind === "branch") {
      end.cond = substitution.resolve(end.cond);
      const inner = negated(end.cond);
      if (inner) {
        [end.then, end.else] = [end.else, end.then];
        end.cond = inner;
        changed = true;
      }
    }
  }
  substitution.apply(kernel, work);
  return changed;
}

/** The value that stands for `op` from now on; undefined when it stays, perhaps changed in place. */
function foldOp(op: Op, folding: Folding): Op | undefined {
  switch (op.action.kind) {
    case "int":
      return foldInt(op, op.action, folding);
    case "icmp":
    case "fcmp":
      return foldCompare(op, folding);
    case "select":
      return foldSelect(op, folding);
    case "convert":
      return foldConversion(op, op.action, folding);
    case "float":
    case "math":
    case "fma":
      return foldFloat(op, folding);
    case "gep":
      return foldAddress(op, op.action, folding);
    case "load":
    case "store":
    case "atomic":
      return undefined;
    default:
      return undefined;
  }
}
