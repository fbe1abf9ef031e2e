/** a * b + c becomes one fused operation, as nvcc does unless told not to (`-fmad=false`). */

import { createOp } from "../../ir/builder.ts";
import type { Kernel, Op } from "../../ir/kernel.ts";
import type { Work } from "../../work.ts";
import { findUses, type Uses } from "../facts/uses.ts";

export function contract(kernel: Kernel, work: Work): void {
  const uses = findUses(kernel);
  for (const block of kernel.blocks) {
    const ops: Op[] = [];
    for (const op of block.ops) {
      work.ask(1);
      const { action } = op;
      if (action.kind === "float" && (action.op === "fadd" || action.op === "fsub")) {
        const [a, b] = op.args as [Op, Op];
        const negate = (value: Op): Op => {
          const negated = createOp(kernel, { kind: "math", fn: "fneg", precision: "precise" }, value.type, [value], op.span);
          ops.push(negated);
          return negated;
        };
        const subtract = action.op === "fsub";
        const product = fusable(a, uses) ? a : fusable(b, uses) ? b : undefined;
        if (product) {
          const [x, y] = product.args as [Op, Op];
          op.args = product === a ? [x, y, subtract ? negate(b) : b] : [subtract ? negate(x) : x, y, a];
          op.action = { kind: "fma" };
        }
      }
      ops.push(op);
    }
    block.ops = ops;
  }
}

/** A product that nothing needs by itself: all its uses are sums that can take it in. */
function fusable(op: Op, uses: Uses): boolean {
  if (op.action.kind !== "float" || op.action.op !== "fmul") return false;
  const users = uses.by.get(op) ?? [];
  return (
    users.length <= 4 &&
    users.every(
      (user) =>
        (user.action.kind === "float" && /^f(add|sub)$/.test(user.action.op) && user.args[0] !== user.args[1]) ||
        user.action.kind === "fma",
    )
  );
}
