/** Comparisons and selections. */

import { floatConstant, intConstant, isConstant } from "../../ir/constants.ts";
import { compareFloat, compareInt } from "../../ir/evaluate.ts";
import type { IntPredicate, Op, ScalarType } from "../../ir/kernel.ts";
import { swapped } from "../../ir/predicates.ts";
import { become, type Folding, negated } from "./folding.ts";

export function foldCompare(op: Op, folding: Folding): Op | undefined {
  const [a, b] = op.args;
  if (!a || !b) return undefined;
  if (op.action.kind === "fcmp") {
    const [x, y] = [floatConstant(a), floatConstant(b)];
    return x !== undefined && y !== undefined ? folding.int("i1", Number(compareFloat(op.action.predicate, x, y))) : undefined;
  }
  if (op.action.kind !== "icmp") return undefined;
  const { predicate } = op.action;
  if (a.action.kind === "const" && b.action.kind === "const")
    return folding.int("i1", Number(compareInt(predicate, a.type as ScalarType, a.action.value, b.action.value)));
  if (isConstant(a)) return become(op, { kind: "icmp", predicate: swapped[predicate] }, b, a);
  if (a === b) return folding.int("i1", Number(/eq|le|ge/.test(predicate)));
  const constant = intConstant(b);
  if (constant === undefined) return foldByOne(op, predicate, a, b);
  return foldWithConstant(op, predicate, a, constant, folding);
}

/** x - 1 < y is x <= y, and the like, where the step is exact, as LLVM's InstCombine has it. */
function foldByOne(op: Op, predicate: IntPredicate, a: Op, b: Op): Op | undefined {
  const [left, right] = [withoutStep(a, predicate), withoutStep(b, swapped[predicate])];
  if (left) return become(op, { kind: "icmp", predicate: left.predicate }, left.value, b);
  return right && become(op, { kind: "icmp", predicate: swapped[right.predicate] }, a, right.value);
}

const oneLess: { readonly [_ in IntPredicate]?: IntPredicate } = { slt: "sle", sge: "sgt" };
const oneMore: { readonly [_ in IntPredicate]?: IntPredicate } = { sle: "slt", sgt: "sge" };

/** What is one more or less than a value, and how that is compared instead; a counter's next value stays what is tested. */
function withoutStep(stepped: Op, predicate: IntPredicate): { readonly value: Op; readonly predicate: IntPredicate } | undefined {
  const [value, by] = stepped.args;
  if (stepped.action.kind !== "int" || stepped.action.op !== "add" || !stepped.action.exact || !value) return undefined;
  const step = intConstant(by);
  const instead = step === -1 ? oneLess[predicate] : step === 1 ? oneMore[predicate] : undefined;
  return instead && value.action.kind !== "phi" ? { value, predicate: instead } : undefined;
}

function foldWithConstant(op: Op, predicate: IntPredicate, a: Op, constant: number, folding: Folding): Op | undefined {
  const equality = predicate === "eq" || predicate === "ne";
  // A flag widened and compared with zero is the flag, or its negation.
  if (equality && constant === 0 && a.action.kind === "convert" && a.action.op === "zext" && a.args[0]?.type === "i1")
    return predicate === "ne" ? a.args[0] : folding.emit({ kind: "int", op: "xor" }, "i1", a.args[0], folding.int("i1", 1));
  if (equality && a.type === "i1")
    return (predicate === "ne") === (constant === 0) ? a : folding.emit({ kind: "int", op: "xor" }, "i1", a, folding.int("i1", 1));
  // (x + c) == k is x == k - c, exact or not; ordered comparisons need the addition to be exact. A counter's next value stays
  // what is tested: the old one is then free to end.
  if (
    a.action.kind === "int" &&
    a.action.op === "add" &&
    a.args[0] &&
    a.args[0].action.kind !== "phi" &&
    (equality || (a.action.exact && predicate.startsWith("s")))
  ) {
    const added = intConstant(a.args[1]);
    const moved = added === undefined ? undefined : constant - added;
    if (moved !== undefined && (equality || Math.abs(moved) < 2 ** 31))
      return become(op, { kind: "icmp", predicate }, a.args[0], folding.int(a.type as ScalarType, BigInt(moved)));
  }
  if (a.type === "ptr" || a.type === "i64") return undefined;
  const range = folding.ranges.of(a);
  const known = decide(predicate, range.low, range.high, constant);
  return known === undefined ? undefined : folding.int("i1", Number(known));
}

/** The answer when it is the same for all values in [low, high]. */
function decide(predicate: IntPredicate, low: number, high: number, constant: number): boolean | undefined {
  if (predicate.startsWith("u") && (low < 0 || constant < 0)) return undefined;
  switch (predicate) {
    case "eq":
      return constant < low || constant > high ? false : undefined;
    case "ne":
      return constant < low || constant > high ? true : undefined;
    case "slt":
    case "ult":
      return high < constant ? true : low >= constant ? false : undefined;
    case "sle":
    case "ule":
      return high <= constant ? true : low > constant ? false : undefined;
    case "sgt":
    case "ugt":
      return low > constant ? true : high <= constant ? false : undefined;
    case "sge":
    case "uge":
      return low >= constant ? true : high < constant ? false : undefined;
  }
}

export function foldSelect(op: Op, folding: Folding): Op | undefined {
  const [condition, a, b] = op.args;
  if (!condition || !a || !b) return undefined;
  const known = intConstant(condition);
  if (known !== undefined) return known ? a : b;
  if (a === b) return a;
  const inner = negated(condition);
  if (inner) return become(op, op.action, inner, b, a);
  if (op.type === "i1") {
    const [x, y] = [intConstant(a), intConstant(b)];
    if (x === 1 && y === 0) return condition;
    if (x === 0 && y === 1) return folding.emit({ kind: "int", op: "xor" }, "i1", condition, folding.int("i1", 1));
    if (x === 1) return become(op, { kind: "int", op: "or" }, condition, b);
    if (y === 0) return become(op, { kind: "int", op: "and" }, condition, a);
  }
  return foldMinMax(op, condition, a, b);
}

/** `a < b ? a : b` is a minimum, of integers at least: NaN makes it another function for floats. */
function foldMinMax(op: Op, condition: Op, a: Op, b: Op): undefined {
  if (condition.action.kind !== "icmp" || a.type === "ptr") return;
  const [x, y] = condition.args;
  const [narrowX, narrowY] = [extended(x), extended(y)];
  if (narrowX && narrowY && narrowX.by === narrowY.by && narrowX.from.type === narrowY.from.type) {
    // What is compared is extended, as integer promotion has it, and what is chosen is not.
    const straight = narrowX.from === a && narrowY.from === b;
    const { predicate } = condition.action;
    if ((straight || (narrowX.from === b && narrowY.from === a)) && /^[su](lt|le|gt|ge)$/.test(predicate)) {
      const signed = narrowX.by === "sext";
      if (signed && predicate.startsWith("u")) return;
      return become(op, { kind: "int", op: `${signed ? "s" : "u"}${(predicate[1] === "l") === straight ? "min" : "max"}` }, a, b);
    }
  }
  const straight = x === a && y === b;
  if (!straight && !(x === b && y === a)) {
    const stepped = x && y && extremeOfSteps(condition.action.predicate, [x, y], [a, b]);
    return stepped ? become(op, { kind: "int", op: stepped }, a, b) : undefined;
  }
  switch (condition.action.predicate) {
    case "slt":
    case "sle":
      return become(op, { kind: "int", op: straight ? "smin" : "smax" }, a, b);
    case "sgt":
    case "sge":
      return become(op, { kind: "int", op: straight ? "smax" : "smin" }, a, b);
    case "ult":
    case "ule":
      return become(op, { kind: "int", op: straight ? "umin" : "umax" }, a, b);
    case "ugt":
    case "uge":
      return become(op, { kind: "int", op: straight ? "umax" : "umin" }, a, b);
    default:
      return;
  }
}

/**
 * Where what is chosen stands a step from what is compared: `i > w - 1` is compared as `i >= w`, `i + 3 < 0` as `i < -3`, and is still the
 * test of an extreme.
 */
function extremeOfSteps(predicate: IntPredicate, [x, y]: readonly [Op, Op], [a, b]: readonly [Op, Op]): "smin" | "smax" | undefined {
  const [compared, chosen] = [[inSteps(x), inSteps(y)] as const, [inSteps(a), inSteps(b)] as const];
  const straight = compared[0].base === chosen[0].base && compared[1].base === chosen[1].base;
  if (!predicate.startsWith("s") || (!straight && !(compared[0].base === chosen[1].base && compared[1].base === chosen[0].base)))
    return undefined;
  const [left, right] = straight ? chosen : [chosen[1], chosen[0]];
  // The chosen are as far apart as the compared and so much more: for whole numbers, less than 0 is -1 at most.
  const more = left.by - compared[0].by - (right.by - compared[1].by);
  const isSame = more === 0 || more === (predicate === "slt" || predicate === "sge" ? 1 : -1);
  if (!isSame || (chosen[0].base === undefined && chosen[1].base === undefined)) return undefined;
  // `x < w ? x + 1 : w` is no extreme: `x + 1` is never added where `x` is the greatest of its type.
  const mayOverflow = /^s[lg]t$/.test(predicate) === straight ? left.by !== compared[0].by : right.by !== compared[1].by;
  if (more !== 0 && mayOverflow) return undefined;
  if (![...compared, ...chosen].every(({ by }) => Number.isSafeInteger(by))) return undefined;
  return predicate.startsWith("sl") === straight ? "smin" : "smax";
}

/** A value as another and what is added to it, where that cannot overflow; a constant as what is added to nothing. */
function inSteps(op: Op): { readonly base: Op | undefined; readonly by: number } {
  const constant = op.type === "i1" ? undefined : intConstant(op);
  if (constant !== undefined) return { base: undefined, by: constant };
  const [base, by] = op.args;
  const step = op.action.kind === "int" && op.action.op === "add" && op.action.exact ? intConstant(by) : undefined;
  return step === undefined ? { base: op, by: 0 } : { base, by: step };
}

/** What an operand is extended from. */
function extended(op: Op | undefined): { readonly by: "sext" | "zext"; readonly from: Op } | undefined {
  const [from] = op?.args ?? [];
  return op?.action.kind === "convert" && from && (op.action.op === "sext" || op.action.op === "zext")
    ? { by: op.action.op, from }
    : undefined;
}
