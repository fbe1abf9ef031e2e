/** Words that are put together of halves and bytes: what of them a mask, a shift or a conversion leaves out is not computed. */
import { intConstant } from "../../ir/constants.ts";
import type { Op } from "../../ir/kernel.ts";

/** How far operands are followed. */
const deepest = 6;

const sourceBits: Readonly<Partial<Record<string, number>>> = { i1: 1, i8: 0xff, i16: 0xffff };

/** The bits of an `i32` that may be set, whatever the program is given. */
function possibleBits({ action, args: [a, b], type }: Op, depth = 0): number {
  const all = 0xffffffff;
  if (type !== "i32" || !a || depth === deepest) return all;
  if (action.kind === "convert") return action.op === "zext" ? (sourceBits[a.type] ?? all) : all;
  if (action.kind !== "int" || !b) return all;
  const by = intConstant(b);
  switch (action.op) {
    case "and":
      return (possibleBits(a, depth + 1) & (by ?? possibleBits(b, depth + 1))) >>> 0;
    case "or":
    case "xor":
      return (possibleBits(a, depth + 1) | (by ?? possibleBits(b, depth + 1))) >>> 0;
    case "shl":
      return by === undefined || by < 0 || by > 31 ? all : (possibleBits(a, depth + 1) << by) >>> 0;
    case "lshr":
      return by === undefined || by < 0 || by > 31 ? all : possibleBits(a, depth + 1) >>> by;
    default:
      return all;
  }
}

/** What may stand in the place of an `i32` of which only the bits of `wanted` are looked at: the operand that alone has any of them. */
export function ofWantedBits(op: Op, wanted: number): Op {
  const { action, args, type } = op;
  const [a, b] = args;
  if (type !== "i32" || action.kind !== "int" || !a || !b) return op;
  if (action.op === "and") {
    const mask = intConstant(b);
    return mask !== undefined && (wanted & ~mask) === 0 ? ofWantedBits(a, wanted) : op;
  }
  if (action.op !== "or" && action.op !== "xor") return op;
  if ((possibleBits(a) & wanted) === 0) return intConstant(b) === undefined ? ofWantedBits(b, wanted) : b;
  return ((intConstant(b) ?? possibleBits(b)) & wanted) === 0 ? ofWantedBits(a, wanted) : op;
}

/** What may stand in the place of an integer of which only the lowest `bits` (up to 32) are looked at: what constants are added to that have none of them. */
export function ofLowBits(op: Op, bits: number): Op {
  const { action, args } = op;
  const [a, b] = args;
  if (action.kind !== "int" || !a || !["add", "sub", "or", "xor"].includes(action.op)) return op;
  const by = intConstant(b);
  return by !== undefined && by % 2 ** bits === 0 ? ofLowBits(a, bits) : op;
}

/** Whether a mask takes nothing away. */
export const keepsAllBits = (op: Op, mask: number): boolean => (possibleBits(op) & ~mask) === 0;
