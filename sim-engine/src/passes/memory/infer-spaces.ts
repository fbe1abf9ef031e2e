/**
 * Which memory each generic access reaches, from where its address comes: kernel pointers are global addresses, and so are
 * pointers kept in by-value parameters; what is computed from an address stays in its space.
 */
import type { Kernel } from "../../ir/kernel.ts";
import { pointerSpaces } from "../facts/pointer-spaces.ts";

export function inferSpaces(kernel: Kernel): void {
  const spaces = pointerSpaces(kernel);
  for (const block of kernel.blocks) {
    for (const op of block.ops) {
      const { action } = op;
      if (action.kind !== "load" && action.kind !== "store" && action.kind !== "atomic") continue;
      if (action.kind !== "atomic" && action.uninferred) continue;
      const known = op.args[0] ? spaces.get(op.args[0]) : undefined;
      if (known && known !== "generic" && action.space === "generic") op.action = { ...action, space: known };
    }
  }
}
