/**
 * Addresses that count from where the shared window starts, as PTX takes them, and pointers made of them: where such an address comes
 * from a pointer, what is made of it is that pointer again, moved by what was added between.
 */
import { intConstant } from "../../ir/constants.ts";
import type { Op } from "../../ir/kernel.ts";
import { underlyingObject } from "../facts/alias.ts";
import type { Folding } from "./folding.ts";
import { lowHalf } from "./low-half.ts";

/** How many sums are looked through: those of a program are few. */
const mostSums = 16;

/** What `inttoptr` makes of an integer; undefined where it does not come from one pointer into shared memory. */
export function foldSharedAddress(integer: Op, folding: Folding): Op | undefined {
  let at = integer;
  let offset = 0n;
  // Behind a truncation 64-bit sums are those of 32 bits.
  let isNarrow = false;
  let index: Op | undefined;
  for (let sums = 0; sums < mostSums; sums++) {
    const { action, args } = at;
    const [a, b] = args;
    if (!a) return undefined;
    if (action.kind === "convert") {
      if (action.op === "ptrtoint") {
        if (offset < -(2n ** 31n) || offset >= 2n ** 31n || !isShared(a)) return undefined;
        const moved = index ? folding.emit({ kind: "gep", scale: 1, offset: 0 }, "ptr", a, index) : a;
        return folding.emit({ kind: "gep", scale: 1, offset: Number(offset) }, "ptr", moved, folding.int("i32", 0));
      }
      // The window ends before 32 bits do: nothing is lost, and nothing wraps.
      if (action.op !== "zext" && action.op !== "trunc") return undefined;
      isNarrow = true;
      at = a;
    } else if (action.kind === "int" && (action.op === "add" || action.op === "sub") && b) {
      const constant = intConstant(b);
      if (constant !== undefined) {
        offset += action.op === "add" ? BigInt(constant) : -BigInt(constant);
        at = a;
      } else if (action.op === "add" && !index && isNarrow) {
        const [pointer, other] = leadsToPointer(a) ? [a, b] : [b, a];
        index = other.type === "i64" ? lowHalf(other, folding) : other;
        at = pointer;
      } else return undefined;
    } else return undefined;
  }
  return undefined;
}

function isShared(pointer: Op): boolean {
  return underlyingObject(pointer)?.action.kind === "shared.address";
}

/** Whether the first operands lead to a pointer: the other operand of a sum is then an index. */
function leadsToPointer(from: Op): boolean {
  let at: Op | undefined = from;
  for (let sums = 0; at && sums < mostSums; sums++) {
    if (at.action.kind === "convert" && at.action.op === "ptrtoint") return true;
    if (at.action.kind !== "convert" && at.action.kind !== "int") return false;
    at = at.args[0];
  }
  return false;
}
