/**
 * A product that only sums read is computed by each of them: IMAD adds as it multiplies, so the product need not be kept for a loop or an arm
 * that it was taken out of. As ptxas does (nvcc 13.0: `productsInSums` of validation/compiler).
 */
import { isConstant } from "../ir/constants.ts";
import type { Op } from "../ir/kernel.ts";
import type { Shape } from "./shape.ts";
import type { UniformValues } from "./uniform-values.ts";

/** @param isWide whether one instruction makes a product of 64 bits */
export function productsInSums(shape: Shape, uniform: UniformValues, isWide: (product: Op) => boolean): ReadonlySet<Op> {
  const found = new Set<Op>();
  for (const { ops } of shape.kernel.blocks) {
    shape.work.ask(ops.length / 4);
    for (const op of ops) if (isProduct(op) && isInSums(shape, op, uniform, isWide)) found.add(op);
  }
  return found;
}

/** What IMAD multiplies, or shifts as LEA does. */
function isProduct({ action, type, args: [a, b] }: Op): boolean {
  if (action.kind !== "int" || (type !== "i32" && type !== "i64")) return false;
  return action.op === "mul" ? a !== b : action.op === "shl" && type === "i32" && isConstant(b);
}

function isInSums(shape: Shape, product: Op, uniform: UniformValues, isWide: (product: Op) => boolean): boolean {
  const users = shape.users(product);
  if (users.length === 0 || shape.isCondition(product)) return false;
  // What several sums have in common of a longer one is computed once, and then they take no more than with the product.
  if (product.type === "i64" && users.length > 1 && !isWide(product)) return false;
  // The datapath of the warp makes what is the same to all lanes, once.
  if (uniform.has(product) && (product.type === "i64" || users.some((user) => uniform.has(user)))) return false;
  return users.every(({ action, type, args: [a, b] }) => {
    if (action.kind !== "int" || type !== product.type || !a || !b || a === b) return false;
    const other = a === product ? b : a;
    // A sum has room for one product, and what goes round a loop is not to wait for it.
    if (isProduct(other) || other.action.kind === "phi") return false;
    return action.op === "add" || (action.op === "sub" && a === product);
  });
}
