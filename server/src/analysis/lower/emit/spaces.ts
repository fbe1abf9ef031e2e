/** The memory a pointer leads to, as far as one can tell before optimising. */
import type { Op, Space } from "@warplens/sim-engine";
import type { Lowering } from "./lowering.ts";

/** Follows a pointer through offsets and variables that were given one kind of pointer only; elsewhere its address will tell. */
export function pointerSpace({ kernel }: Lowering, pointer: Op): Space {
  const found = new Set<Space>();
  const seen = new Set<Op>();
  const pending = [pointer];
  for (let at = pending.pop(); at && seen.size < 256; at = pending.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    const [first] = at.args;
    switch (at.action.kind) {
      case "alloca":
        found.add("local");
        break;
      case "shared.address":
        found.add("shared");
        break;
      case "param":
      case "global.address":
        found.add("global");
        break;
      case "gep":
      case "select":
      case "phi":
        pending.push(...(at.action.kind === "gep" ? at.args.slice(0, 1) : at.args.filter(({ type }) => type === "ptr")));
        break;
      case "load":
        // What was stored to the variable.
        if (first?.action.kind === "alloca")
          for (const block of kernel.blocks)
            for (const op of block.ops) if (op.action.kind === "store" && op.args[0] === first && op.args[1]) pending.push(op.args[1]);
        break;
      default:
        break;
    }
  }
  const [only, ...others] = [...found].filter((space) => space !== "local" || found.size === 1);
  return others.length === 0 && (only === "shared" || only === "local" || only === "constant") ? only : "generic";
}
