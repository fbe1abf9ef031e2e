/** Constants, parameters, addresses of variables and thread indices: each once, at the head of the entry block. */

import type { Kernel, Op } from "../../ir/kernel.ts";
import { isLeaf } from "../../ir/operations.ts";
import type { Work } from "../../work.ts";
import { Substitution } from "../edit/substitution.ts";

function leafKey(op: Op): string {
  switch (op.action.kind) {
    case "const":
      return `${op.type} ${Object.is(op.action.value, -0) ? "-0" : op.action.value}`;
    case "special":
      return op.action.register;
    case "param":
    case "param.address":
    case "shared.address":
    case "global.address":
      return `${op.action.kind} ${op.action.index}`;
    default:
      return "";
  }
}

/** They cost nothing until used: the machine makes operands of most, and computes the rest where they are needed. */
export function hoistLeaves(kernel: Kernel, work: Work): void {
  const entry = kernel.blocks[0];
  if (!entry) return;
  const first = new Map<string, Op>();
  const substitution = new Substitution();
  for (const block of kernel.blocks) {
    work.ask(block.ops.length);
    block.ops = block.ops.filter((op) => {
      if (!isLeaf(op)) return true;
      const key = leafKey(op);
      const known = first.get(key);
      if (known) substitution.replace(op, known);
      else first.set(key, op);
      return false;
    });
  }
  entry.ops = [...first.values(), ...entry.ops];
  substitution.apply(kernel, work);
}
