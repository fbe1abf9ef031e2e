/**
 * Constant offsets of fragments whose address is generic go into the instructions that load them: ptxas adds the lane's place to what they have in
 * common, once. Fragments in shared memory, which come by `ldmatrix`, keep an address each.
 */
import { createOp } from "../../ir/builder.ts";
import { intConstant } from "../../ir/constants.ts";
import type { Kernel, Op } from "../../ir/kernel.ts";
import type { Work } from "../../work.ts";
import { Constants } from "../edit/constants.ts";

/** Returns whether any offset moved. */
export function offsetFragments(kernel: Kernel, work: Work): boolean {
  const constants = new Constants(kernel);
  const generic = new Set<Op>();
  for (const { ops } of kernel.blocks)
    for (const { action, args } of ops)
      if ((action.kind === "load" || action.kind === "store") && action.space === "generic") generic.add(args[0] as Op);
  let changed = false;
  for (const block of kernel.blocks) {
    work.ask(block.ops.length);
    block.ops = block.ops.flatMap((op) => {
      const [base, lane] = op.args;
      const offset = op.action.kind === "gep" && op.action.ofLane && base && generic.has(op) ? offsetOf(base) : undefined;
      if (offset === undefined || !lane) return [op];
      const common = createOp(kernel, op.action, "ptr", [base!.args[0] as Op, lane], op.span);
      op.action = { kind: "gep", scale: 1, offset };
      op.args = [common, constants.int("i32", 0)];
      changed = true;
      return [common, op];
    });
  }
  return changed;
}

/** What an address is from another, in bytes; undefined where that is not constant. */
function offsetOf({ action, args }: Op): number | undefined {
  const index = action.kind === "gep" && !action.ofLane ? intConstant(args[1]) : undefined;
  return index === undefined || action.kind !== "gep" ? undefined : index * action.scale + action.offset;
}
