/** The low 32 bits of 64-bit integers, computed in 32 bits: addresses of narrow spaces need no more of their indices. */
import { intConstant } from "../../ir/constants.ts";
import type { Op } from "../../ir/kernel.ts";
import type { Folding } from "./folding.ts";

/** Operations that are looked through. */
const deepest = 8;

/** The low half of an `i64`. */
export function lowHalf(integer: Op, folding: Folding): Op {
  return cheaperLowHalf(integer, folding) ?? folding.emit({ kind: "convert", op: "trunc" }, "i32", integer);
}

/** The low half of an `i64`; undefined where it is no cheaper than the whole. */
export function cheaperLowHalf(integer: Op, folding: Folding, depth = 0): Op | undefined {
  const { action, args } = integer;
  const [a, b] = args;
  if (action.kind === "convert" && (action.op === "zext" || action.op === "sext") && a?.type === "i32") return a;
  if (action.kind === "const") return folding.int("i32", BigInt.asIntN(32, BigInt(action.value)));
  if (action.kind !== "int" || !a || !b || depth === deepest) return undefined;
  const half = (op: Op): Op => cheaperLowHalf(op, folding, depth + 1) ?? folding.emit({ kind: "convert", op: "trunc" }, "i32", op);
  const by = intConstant(b);
  switch (action.op) {
    case "add":
    case "sub":
    case "mul":
    case "and":
    case "or":
    case "xor": {
      const [x, y] = [cheaperLowHalf(a, folding, depth + 1), cheaperLowHalf(b, folding, depth + 1)];
      return x || y ? folding.emit({ kind: "int", op: action.op }, "i32", x ?? half(a), y ?? half(b)) : undefined;
    }
    case "shl":
      return by !== undefined && by < 32 ? folding.emit({ kind: "int", op: "shl" }, "i32", half(a), folding.int("i32", by)) : undefined;
    case "lshr":
      return by !== undefined && by < 32 && isBelow32Bits(a)
        ? folding.emit({ kind: "int", op: "lshr" }, "i32", half(a), folding.int("i32", by))
        : undefined;
    default:
      return undefined;
  }
}

/** Whether the high half is known to be zero. */
function isBelow32Bits({ action, args }: Op): boolean {
  if (action.kind === "convert") return action.op === "zext" && args[0]?.type === "i32";
  const mask = intConstant(args[1]);
  return action.kind === "int" && action.op === "and" && mask !== undefined && mask >= 0 && mask < 2 ** 32;
}
