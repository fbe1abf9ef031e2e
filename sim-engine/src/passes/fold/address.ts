/** Addresses: constants move from the index into the offset, where load and store instructions hold them for free. */

import { intConstant } from "../../ir/constants.ts";
import type { Action, Op } from "../../ir/kernel.ts";
import { isNarrow } from "../facts/alias.ts";
import { become, type Folding } from "./folding.ts";
import { cheaperLowHalf } from "./low-half.ts";

type GepAction = Extract<Action, { kind: "gep" }>;

export function foldAddress(op: Op, action: GepAction, folding: Folding): Op | undefined {
  const [base, index] = op.args;
  if (!base || !index) return undefined;
  const known = intConstant(index);
  if (action.ofLane && known === undefined) return undefined;
  if (known !== undefined) {
    const offset = known * action.scale + action.offset;
    if (offset === 0) return base;
    // A constant distance from another address: one address, two offsets.
    if (base.action.kind === "gep" && base.args[0] && base.args[1] && intConstant(base.args[1]) !== undefined) {
      const outer = (intConstant(base.args[1]) ?? 0) * base.action.scale + base.action.offset;
      return become(op, { kind: "gep", scale: 1, offset: outer + offset }, base.args[0], folding.int("i32", 0));
    }
    if (known !== 0 || action.scale !== 1) return become(op, { kind: "gep", scale: 1, offset }, base, folding.int("i32", 0));
    return undefined;
  }
  // Offsets go outermost: base[i] + 8 is (base[i]) + 8, and what differs by offset alone shares base[i].
  if (action.offset !== 0) {
    const inner = folding.emit({ kind: "gep", scale: action.scale, offset: 0 }, "ptr", base, index);
    return become(op, { kind: "gep", scale: 1, offset: action.offset }, inner, folding.int("i32", 0));
  }
  if (base.action.kind === "gep" && base.args[0] && base.args[1] && intConstant(base.args[1]) !== undefined) {
    const inner = folding.emit({ kind: "gep", scale: action.scale, offset: 0 }, "ptr", base.args[0], index);
    const offset = (intConstant(base.args[1]) ?? 0) * base.action.scale + base.action.offset;
    return become(op, { kind: "gep", scale: 1, offset }, inner, folding.int("i32", 0));
  }
  // Sums of 32-bit indices are widened by the address arithmetic; what moves a pointer on is kept wide.
  const widened = index.action.kind === "convert" && index.action.op === "sext" && index.args[0]?.type === "i32" && !isMoving(base);
  if (widened && index.args[0]) return become(op, action, base, index.args[0]);
  const narrow = isNarrow(base);
  if (narrow && index.type === "i64") {
    const low = cheaperLowHalf(index, folding);
    if (low) return become(op, action, base, low);
  }
  return foldIndex(op, action, base, index, narrow, folding);
}

/** Constant terms and factors of the index, where the arithmetic cannot wrap, or may: 64 bits, signed and exact, 32-bit addresses. */
function foldIndex(op: Op, action: GepAction, base: Op, index: Op, narrow: boolean, folding: Folding): Op | undefined {
  if (index.action.kind !== "int" || (index.type !== "i64" && !index.action.exact && !narrow)) return undefined;
  const [a, b] = index.args;
  const constant = intConstant(b);
  if (!a || !b) return undefined;
  switch (index.action.op) {
    case "add": {
      if (constant !== undefined) return become(op, { kind: "gep", scale: action.scale, offset: constant * action.scale }, base, a);
      const split = constantTerm(index, narrow);
      if (!split) return undefined;
      const rest = folding.emit(
        index.action.exact ? { kind: "int", op: "add", exact: true } : { kind: "int", op: "add" },
        index.type === "i64" ? "i64" : "i32",
        split.a,
        split.b,
      );
      return become(op, { kind: "gep", scale: action.scale, offset: split.constant * action.scale }, base, rest);
    }
    case "mul":
      if (constant !== undefined && Math.abs(constant * action.scale) < 2 ** 31)
        return become(op, { kind: "gep", scale: action.scale * constant, offset: 0 }, base, a);
      return undefined;
    case "shl":
      if (constant !== undefined && action.scale * 2 ** constant < 2 ** 31)
        return become(op, { kind: "gep", scale: action.scale * 2 ** constant, offset: 0 }, base, a);
      return undefined;
    default:
      return undefined;
  }
}

/** x + (y + 3) as x, y and 3, when each step is exact, or may wrap. */
function constantTerm(sum: Op, narrow: boolean): { readonly a: Op; readonly b: Op; readonly constant: number } | undefined {
  const [a, b] = sum.args;
  for (const [inner, other] of [
    [a, b],
    [b, a],
  ]) {
    if (
      !inner ||
      !other ||
      inner.action.kind !== "int" ||
      inner.action.op !== "add" ||
      !(inner.action.exact || inner.type === "i64" || narrow)
    )
      continue;
    const constant = intConstant(inner.args[1]);
    if (constant !== undefined && inner.args[0]) return { a: other, b: inner.args[0], constant };
  }
  return undefined;
}

/** A pointer that a loop advances. */
function isMoving(base: Op): boolean {
  let at = base;
  while (at.action.kind === "gep" && at.args[0]) at = at.args[0];
  return at.action.kind === "phi";
}
