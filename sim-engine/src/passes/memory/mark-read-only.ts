/**
 * Loads through `__restrict__` pointers that the kernel never stores through read data that nobody writes: the compiler uses
 * the non-coherent path (`ld.global.nc`) and may merge and move them past barriers.
 */
import type { Kernel, Op } from "../../ir/kernel.ts";
import { locationOf, underlyingObject } from "../facts/alias.ts";

export function markReadOnly(kernel: Kernel): void {
  const written = new Set<Op | undefined>();
  for (const block of kernel.blocks) {
    for (const op of block.ops) {
      if (op.action.kind === "store" || op.action.kind === "atomic") written.add(op.args[0] && underlyingObject(op.args[0]));
    }
  }
  for (const block of kernel.blocks) {
    for (const op of block.ops) {
      const { action } = op;
      if (action.kind !== "load" || action.space !== "global" || action.volatile || action.cache) continue;
      const object = locationOf(op)?.object;
      if (object?.action.kind !== "param" || !kernel.parameters[object.action.index]?.restrict) continue;
      // A store to who knows where is not through this pointer: that is what the promise says.
      if (!written.has(object)) op.action = { ...action, cache: "nc" };
    }
  }
}
