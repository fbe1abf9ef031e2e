/**
 * Arithmetic that only makes matrix descriptors, the same in all lanes: ptxas does it on the uniform datapath beside each product,
 * rather than keep what it makes.
 */
import type { Op } from "../ir/kernel.ts";
import type { Shape } from "./shape.ts";

export function descriptorArithmetic(shape: Shape): ReadonlySet<Op> {
  const found = new Set<Op>();
  const pending: Op[] = [];
  for (const block of shape.kernel.blocks) for (const op of block.ops) if (op.action.kind === "wgmma") pending.push(...descriptorsOf(op));
  for (let op = pending.pop(); op; op = pending.pop()) {
    shape.work.ask(2);
    if (found.has(op) || !isPlain(op) || !shape.isUniform(op) || shape.isCondition(op)) continue;
    if (!shape.users(op).every((user) => user.action.kind === "wgmma" || found.has(user))) continue;
    found.add(op);
    pending.push(...op.args);
  }
  return found;
}

/** The operands of a warp group's product that are matrix descriptors. */
export function descriptorsOf({ action, args }: Op): Op[] {
  if (action.kind !== "wgmma") return [];
  const [, , a, ...rest] = args;
  const inShared = action.product.aIn === "shared";
  const b = inShared ? rest[0] : rest[3];
  return [...(inShared && a ? [a] : []), ...(b ? [b] : [])];
}

function isPlain({ action }: Op): boolean {
  switch (action.kind) {
    case "gep":
      return true;
    case "convert":
      return action.op !== "fptosi" && action.op !== "fptoui";
    case "int":
      return /^(add|sub|mul|and|or|xor|shl|lshr)$/.test(action.op);
    default:
      return false;
  }
}
