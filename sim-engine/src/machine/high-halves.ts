/** 64-bit integers whose upper half is known: what works on them works on the lower half alone. */
import { intConstant, isConstant } from "../ir/constants.ts";
import type { Op } from "../ir/kernel.ts";

/** How far operands are followed. */
const deepest = 16;

/** The upper 32 bits of an i64, where they are the same whatever the program is given. */
export function highHalf(op: Op, depth = 0): number | undefined {
  const { action, args } = op;
  const [a, b] = args;
  if (action.kind === "const") return typeof action.value === "bigint" ? Number(BigInt.asIntN(32, action.value >> 32n)) : undefined;
  if (op.type !== "i64" || depth > deepest || !a) return undefined;
  if (action.kind === "convert") return action.op === "zext" || (action.op === "sext" && isNeverNegative(a)) ? 0 : undefined;
  if (action.kind !== "int" || !b) return undefined;
  const left = highHalf(a, depth + 1);
  switch (action.op) {
    case "and": {
      const right = highHalf(b, depth + 1);
      if (left === 0 || right === 0) return 0;
      return left === undefined || right === undefined ? undefined : left & right;
    }
    case "or":
    case "xor": {
      const right = highHalf(b, depth + 1);
      if (left === undefined || right === undefined) return undefined;
      return action.op === "or" ? left | right : left ^ right;
    }
    case "lshr": {
      const count = shiftOf(b);
      if (count === undefined) return undefined;
      return count >= 32 ? 0 : left === undefined ? undefined : left >>> count;
    }
    default:
      return undefined;
  }
}

/** An i32 whose highest bit is known to be 0. */
function isNeverNegative({ action, args: [, b] }: Op): boolean {
  const constant = intConstant(b);
  if (action.kind !== "int" || constant === undefined) return false;
  return (action.op === "lshr" && constant > 0) || (action.op === "and" && constant >= 0);
}

function shiftOf(op: Op): number | undefined {
  return isConstant(op) && op.action.kind === "const" ? Number(op.action.value) : undefined;
}

/** The lower 32 bits of a constant i64. */
export function lowHalf({ action }: Op): number | undefined {
  return action.kind === "const" && typeof action.value === "bigint" ? Number(BigInt.asIntN(32, action.value)) : undefined;
}
