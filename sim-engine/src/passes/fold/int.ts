/** Integer arithmetic and logic. */

import { intConstant, isConstant, powerOfTwo } from "../../ir/constants.ts";
import { evaluateInt, widthOf } from "../../ir/evaluate.ts";
import type { Action, Op, ScalarType } from "../../ir/kernel.ts";
import { inverse } from "../../ir/predicates.ts";
import { keepsAllBits, ofLowBits, ofWantedBits } from "./bits.ts";
import { become, type Folding } from "./folding.ts";

type IntAction = Extract<Action, { kind: "int" }>;

const commutative = new Set(["add", "mul", "and", "or", "xor", "smin", "smax", "umin", "umax", "mulhi.s", "mulhi.u"]);

export function foldInt(op: Op, action: IntAction, folding: Folding): Op | undefined {
  const type = op.type as ScalarType;
  let [a, b] = op.args;
  if (!a || !b) return undefined;
  if (a.action.kind === "const" && b.action.kind === "const") {
    const value = evaluateInt(action.op, type, a.action.value, b.action.value);
    return value === undefined ? undefined : folding.constants.get(type, value);
  }
  if (isConstant(a) && commutative.has(action.op)) {
    [a, b] = [b, a];
    op.args = [a, b];
  }
  const constant = intConstant(b);
  if (a === b) {
    const same = foldSame(action, type, a, folding);
    if (same) return same;
  }
  if (constant === undefined) return foldVariable(op, action, a, b, folding);
  return foldConstant(op, action, type, a, constant, folding);
}

function foldSame(action: IntAction, type: ScalarType, a: Op, folding: Folding): Op | undefined {
  switch (action.op) {
    case "sub":
    case "xor":
      return folding.int(type, 0);
    case "and":
    case "or":
    case "smin":
    case "smax":
    case "umin":
    case "umax":
      return a;
    default:
      return undefined;
  }
}

/** `(x | c) | d` with constants too large for a number, as the fields of a descriptor are put together. */
function foldWideConstants(op: Op, kind: "or" | "xor", a: Op, b: Op, folding: Folding): Op | undefined {
  const [x, inner] = a.args;
  if (a.action.kind !== "int" || a.action.op !== kind || !x || inner?.action.kind !== "const" || b.action.kind !== "const")
    return undefined;
  const value = evaluateInt(kind, op.type as ScalarType, inner.action.value, b.action.value);
  if (value === undefined) return undefined;
  return become(op, { kind: "int", op: kind }, x, folding.constants.get(op.type as ScalarType, value));
}

function foldVariable(op: Op, action: IntAction, a: Op, b: Op, folding: Folding): Op | undefined {
  const zero = intConstant(a) === 0;
  switch (action.op) {
    case "shl":
    case "lshr":
    case "ashr":
    case "sdiv":
    case "udiv":
    case "srem":
    case "urem":
      if (zero) return a;
      break;
    case "add": {
      const funnel = foldFunnelShift(op, a, b);
      if (funnel) return funnel;
      // (x - y) + y is x.
      if (a.action.kind === "int" && a.action.op === "sub" && a.args[1] === b) return a.args[0];
      if (b.action.kind === "int" && b.action.op === "sub" && b.args[1] === a) return b.args[0];
      // Constants outward, so that they meet: x + (y + 1) is (x + y) + 1. Exactness does not survive the regrouping.
      const [inner, other] = isAddedConstant(b) ? [b, a] : isAddedConstant(a) ? [a, b] : [];
      if (inner && other && !action.exact && inner.args[0] && inner.args[1]) {
        const sum = folding.emit({ kind: "int", op: "add" }, op.type as ScalarType, other, inner.args[0]);
        return become(op, { kind: "int", op: "add" }, sum, inner.args[1]);
      }
      break;
    }
    case "mul":
      return foldQuotientTimesDivisor(op, a, b, folding) ?? foldQuotientTimesDivisor(op, b, a, folding);
    case "or":
    case "xor":
      return foldWideConstants(op, action.op, a, b, folding) ?? foldFunnelShift(op, a, b);
    case "sub":
      if (a.action.kind === "int" && a.action.op === "add") {
        if (a.args[1] === b) return a.args[0];
        if (a.args[0] === b) return a.args[1];
      }
      break;
    default:
      break;
  }
  if ((action.op === "sdiv" || action.op === "srem") && folding.ranges.nonNegative(a) && folding.ranges.nonNegative(b))
    return become(op, { kind: "int", op: action.op === "sdiv" ? "udiv" : "urem" }, a, b);
  return undefined;
}

/** `x / y * y` is `x - x % y`, where nothing else needs the quotient: a difference that may wrap, as far as the compiler goes on to know. */
function foldQuotientTimesDivisor(op: Op, quotient: Op, divisor: Op, folding: Folding): undefined {
  if (quotient.action.kind !== "int" || quotient.action.op !== "sdiv" || quotient.args[1] !== divisor) return;
  const [dividend] = quotient.args;
  if (!dividend || !folding.isUsedOnce(quotient)) return;
  const rest = folding.emit({ kind: "int", op: "srem" }, op.type as ScalarType, dividend, divisor);
  become(op, { kind: "int", op: "sub" }, dividend, rest);
}

/** `(high << c) | (low >> (32 - c))`, a rotation where both are one: the bits do not meet, so a sum or `^` is the same. */
function foldFunnelShift(op: Op, a: Op, b: Op): Op | undefined {
  if (op.type !== "i32") return undefined;
  const [left, right] = isShift(a, "shl") ? [a, b] : [b, a];
  const [high, up] = left.args;
  const [low, down] = right.args;
  const by = intConstant(up);
  if (!isShift(left, "shl") || !isShift(right, "lshr") || !high || !low || !up || by === undefined) return undefined;
  if (by <= 0 || by >= 32 || intConstant(down) !== 32 - by) return undefined;
  return become(op, { kind: "math", fn: "funnel.l", precision: "precise" }, low, high, up);
}

const isShift = ({ action }: Op, direction: "shl" | "lshr"): boolean => action.kind === "int" && action.op === direction;

const isAddedConstant = (op: Op): boolean => op.action.kind === "int" && op.action.op === "add" && isConstant(op.args[1]);

function foldConstant(op: Op, action: IntAction, type: ScalarType, a: Op, constant: number, folding: Folding): Op | undefined {
  const inner = a.action.kind === "int" ? a.action : undefined;
  const x = a.args[0];
  const c = inner ? intConstant(a.args[1]) : undefined;
  const exact = action.exact ? { exact: true } : {};
  const both = action.exact && inner?.exact ? { exact: true } : {};
  const to = (value: number | bigint): Op => folding.int(type, value);
  const allOnes = constant === -1 || (type === "i1" && constant === 1);
  switch (action.op) {
    case "add":
      if (constant === 0) return a;
      if (inner?.op === "add" && x && c !== undefined) {
        // Two exact steps are one exact step, whichever way they go, where that can be said as one.
        const sum = big(c) + big(constant);
        return become(op, { kind: "int", op: "add", ...(fitsIn(type, sum) ? both : {}) }, x, to(sum));
      }
      if (inner?.op === "sub" && isConstant(a.args[0]) && a.args[0] && a.args[1])
        return become(op, { kind: "int", op: "sub" }, to(big(intConstant(a.args[0]) ?? 0) + big(constant)), a.args[1]);
      break;
    case "sub":
      if (constant === 0) return a;
      return become(op, { kind: "int", op: "add", ...exact }, a, to(-big(constant)));
    case "mul": {
      if (constant === 0) return to(0);
      if (constant === 1) return a;
      const power = powerOfTwo(constant);
      if (inner?.op === "mul" && x && c !== undefined)
        return become(op, { kind: "int", op: "mul", ...both }, x, to(big(c) * big(constant)));
      if (inner?.op === "shl" && x && c !== undefined)
        return become(op, { kind: "int", op: "mul", ...both }, x, to((1n << big(c)) * big(constant)));
      if (power !== undefined) return become(op, { kind: "int", op: "shl", ...exact }, a, folding.int("i32", power));
      if (inner?.op === "add" && !action.exact && folding.isUsedOnce(a) && x && c !== undefined) {
        const scaled = folding.emit({ kind: "int", op: "mul" }, type, x, to(constant));
        return become(op, { kind: "int", op: "add" }, scaled, to(big(c) * big(constant)));
      }
      break;
    }
    case "and":
      if (constant === 0) return to(0);
      if (allOnes) return a;
      if (inner?.op === "and" && x && c !== undefined) return become(op, { kind: "int", op: "and" }, x, to(big(c) & big(constant)));
      if (coversRange(folding, a, constant)) return a;
      if (type === "i32") {
        if (keepsAllBits(a, constant)) return a;
        const wanted = ofWantedBits(a, constant);
        if (wanted !== a) return become(op, action, wanted, to(constant));
      }
      if (constant > 0 && constant < 2 ** 32) {
        const low = ofLowBits(a, 32 - Math.clz32(constant));
        if (low !== a) return become(op, action, low, to(constant));
      }
      break;
    case "or":
      if (constant === 0) return a;
      if (allOnes) return to(constant);
      if (inner?.op === "or" && x && c !== undefined) return become(op, { kind: "int", op: "or" }, x, to(big(c) | big(constant)));
      break;
    case "xor":
      if (constant === 0) return a;
      if (inner?.op === "xor" && x && c !== undefined) return become(op, { kind: "int", op: "xor" }, x, to(big(c) ^ big(constant)));
      if (type === "i1" && a.action.kind === "icmp") return become(op, { kind: "icmp", predicate: inverse[a.action.predicate] }, ...a.args);
      if (type === "i1" && a.action.kind === "fcmp" && (a.action.predicate === "oeq" || a.action.predicate === "une"))
        return become(op, { kind: "fcmp", predicate: a.action.predicate === "oeq" ? "une" : "oeq" }, ...a.args);
      break;
    default:
      return foldShiftOrDivision(op, action, type, a, constant, folding);
  }
  return undefined;
}

function foldShiftOrDivision(op: Op, action: IntAction, type: ScalarType, a: Op, constant: number, folding: Folding): Op | undefined {
  const inner = a.action.kind === "int" ? a.action : undefined;
  const x = a.args[0];
  const c = inner ? intConstant(a.args[1]) : undefined;
  const width = widthOf(type);
  const to = (value: number | bigint): Op => folding.int(type, value);
  const power = powerOfTwo(constant);
  const isScaledSum = inner?.op === "add" && !action.exact && folding.isUsedOnce(a);
  switch (action.op) {
    case "shl":
    case "lshr":
    case "ashr": {
      if (constant === 0) return a;
      if (inner?.op === action.op && x && c !== undefined) {
        if (c >= 0 && constant > 0 && c + constant < width)
          return become(op, { kind: "int", op: action.op }, x, folding.int("i32", c + constant));
        if (action.op !== "ashr") return to(0);
      }
      // A constant comes out of a scaled sum, to meet others: (x + c) << n is (x << n) + (c << n).
      if (action.op === "shl" && isScaledSum && x && c !== undefined && constant > 0 && constant < width) {
        const scaled = folding.emit({ kind: "int", op: "shl" }, type, x, folding.int("i32", constant));
        return become(op, { kind: "int", op: "add" }, scaled, to(big(c) << big(constant)));
      }
      // (x << c) >> c keeps the low bits; (x >> c) << c the high ones.
      if (inner && x && c === constant && width <= 32 && c > 0 && c < width) {
        if (action.op === "lshr" && inner.op === "shl") return become(op, { kind: "int", op: "and" }, x, to(2 ** (width - c) - 1));
        if (action.op === "shl" && inner.op === "lshr") return become(op, { kind: "int", op: "and" }, x, to(-(2 ** c)));
      }
      if (type === "i32" && action.op !== "ashr" && constant > 0 && constant < width) {
        const wanted = ofWantedBits(a, action.op === "lshr" ? -1 << constant : -1 >>> constant);
        if (wanted !== a) return become(op, { kind: "int", op: action.op }, wanted, folding.int("i32", constant));
      }
      if (action.op === "ashr" && folding.ranges.nonNegative(a)) return become(op, { kind: "int", op: "lshr" }, ...op.args);
      return undefined;
    }
    case "udiv":
      if (constant === 1) return a;
      if (power !== undefined) return become(op, { kind: "int", op: "lshr" }, a, folding.int("i32", power));
      return undefined;
    case "urem": {
      if (constant === 1) return to(0);
      if (power !== undefined) return become(op, { kind: "int", op: "and" }, a, to(big(constant) - 1n));
      const range = folding.ranges.of(a);
      return range.low >= 0 && range.high < constant ? a : undefined;
    }
    case "sdiv":
    case "srem":
      if (constant === 1) return action.op === "sdiv" ? a : to(0);
      if (constant > 0 && folding.ranges.nonNegative(a))
        return become(op, { kind: "int", op: action.op === "sdiv" ? "udiv" : "urem" }, ...op.args);
      return undefined;
    case "smin":
    case "smax":
    case "umin":
    case "umax":
      if (inner?.op === action.op && x && c !== undefined) {
        const merged = folding.constants.get(type, constant);
        const kept = (action.op === "smin" ? c < constant : action.op === "smax" ? c > constant : undefined) ?? false;
        if (action.op === "smin" || action.op === "smax") return kept ? a : become(op, action, x, merged);
      }
      return undefined;
    default:
      return undefined;
  }
}

const big = (value: number): bigint => BigInt(value);

/** As a signed number of the type. */
const fitsIn = (type: ScalarType, value: bigint): boolean => BigInt.asIntN(widthOf(type), value) === value;

/** A mask that takes nothing away from any value `a` may have. */
function coversRange(folding: Folding, a: Op, mask: number): boolean {
  const bits = powerOfTwo(mask + 1);
  if (bits === undefined) return false;
  const range = folding.ranges.of(a);
  return range.low >= 0 && range.high <= mask;
}
