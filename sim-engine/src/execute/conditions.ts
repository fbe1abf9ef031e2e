/** Conditions of branches, and what one lane's value tells of the others'. */
import type { IntPredicate, Op } from "../ir/kernel.ts";
import { type LanePattern, type Patterns, WrapsAround } from "./patterns.ts";
import { type Ints, longToBigInt, longToNumber, type Registers, type Slot, type Step } from "./registers.ts";

/** Lanes of `mask` that take the branch, of the warp whose registers begin at `o`. */
export type Condition = (o: number, mask: number) => number;

const warpSize = 32;

/** All lanes have the condition of the first. */
export const firstLane =
  (values: Ints): Condition =>
  (o, mask) =>
    values[o] === 0 ? 0 : mask;

export const everyLane =
  (values: Ints): Condition =>
  (o, mask) => {
    let bits = 0;
    for (let lane = 0; lane < warpSize; lane++) bits |= (values[o + lane]! & 1) << lane;
    return bits & mask;
  };

/** Comparisons of this type can be decided from the first lanes. */
export const canFuse = ({ type }: Op): boolean => type === "i32" || type === "i64";

const none = new Float64Array(warpSize);

/** Outcome for differences a - b of signed numbers. */
function ofDifference(predicate: IntPredicate): (difference: number) => boolean {
  switch (predicate) {
    case "eq":
      return (d) => d === 0;
    case "ne":
      return (d) => d !== 0;
    case "slt":
    case "ult":
      return (d) => d < 0;
    case "sle":
    case "ule":
      return (d) => d <= 0;
    case "sgt":
    case "ugt":
      return (d) => d > 0;
    case "sge":
    case "uge":
      return (d) => d >= 0;
  }
}

/** Compares values whose lanes differ from the first by patterns. */
export function comparison(
  predicate: IntPredicate,
  a: Slot,
  aPattern: LanePattern | undefined,
  b: Slot,
  bPattern: LanePattern | undefined,
): Condition {
  const holds = ofDifference(predicate);
  const unsigned = predicate.startsWith("u");
  const [above, below] = [aPattern?.lanes ?? none, bPattern?.lanes ?? none];
  const apart = above.map((value, lane) => value - below[lane]!);
  const [least, most] = [Math.min(...apart), Math.max(...apart)];
  const monotone = predicate !== "eq" && predicate !== "ne";
  const [readA, readB] = [firstValue(a), firstValue(b)];
  const inRange = range(a, aPattern, unsigned);
  const bInRange = range(b, bPattern, unsigned);
  const exactly = exactComparison(predicate, a, above, b, below);
  return (o, mask) => {
    const [x, y] = [readA(o), readB(o)];
    if (!inRange(x) || !bInRange(y)) return exactly(o, mask);
    const difference = x - y;
    if (monotone) {
      const one = holds(difference + least);
      if (one === holds(difference + most)) return one ? mask : 0;
    } else if (difference + least > 0 || difference + most < 0) return predicate === "ne" ? mask : 0;
    let bits = 0;
    for (let lane = 0; lane < warpSize; lane++) if (holds(difference + apart[lane]!)) bits |= 1 << lane;
    return bits & mask;
  };
}

function firstValue(slot: Slot): (o: number) => number {
  if (slot.kind === "long") {
    const { lo, hi } = slot.data;
    return (o) => longToNumber(lo[o]!, hi[o]!);
  }
  const { data } = slot;
  return (o) => data[o]!;
}

/** All lanes are plain numbers in the range where signed and, if asked for, unsigned order agree. */
function range(slot: Slot, pattern: LanePattern | undefined, unsigned: boolean): (first: number) => boolean {
  const limit = slot.kind === "long" ? 2 ** 52 : 2 ** 31;
  const least = (unsigned ? 0 : -limit) - (pattern?.least ?? 0);
  const most = limit - 1 - (pattern?.most ?? 0);
  return (first) => first >= least && first <= most;
}

/** Lane by lane, wrapping around. */
function exactComparison(predicate: IntPredicate, a: Slot, above: Float64Array, b: Slot, below: Float64Array): Condition {
  const holds = ofDifference(predicate);
  const unsigned = predicate.startsWith("u");
  const bits = a.kind === "long" ? 64 : 32;
  const value = (slot: Slot, o: number, more: number): bigint => {
    const first = slot.kind === "long" ? longToBigInt(slot.data.lo[o]!, slot.data.hi[o]!) : BigInt(slot.data[o]!);
    return unsigned ? BigInt.asUintN(bits, first + BigInt(more)) : BigInt.asIntN(bits, first + BigInt(more));
  };
  return (o, mask) => {
    let taken = 0;
    for (let lane = 0; lane < warpSize; lane++) {
      const [x, y] = [value(a, o, above[lane]!), value(b, o, below[lane]!)];
      if (holds(x < y ? -1 : x > y ? 1 : 0)) taken |= 1 << lane;
    }
    return taken & mask;
  };
}

/** Where lanes are read, and how: all of them, or the first and what each is above it. */
export interface Operand {
  readonly slot: Slot;
  readonly scalar: boolean;
  readonly pattern: LanePattern | undefined;
}

/** A lane's value, of the warp whose registers begin at `o`. */
export type LaneValue = (o: number, lane: number) => number;

function laneValue(unsigned: boolean, { slot, scalar, pattern }: Operand): LaneValue {
  const above = pattern?.lanes ?? none;
  const at = (o: number, lane: number): number => (scalar ? o : o + lane);
  const more = (lane: number): number => (scalar ? above[lane]! : 0);
  if (slot.kind === "long") {
    const { lo, hi } = slot.data;
    return (o, lane) => longToNumber(lo[at(o, lane)]!, unsigned ? hi[at(o, lane)]! >>> 0 : hi[at(o, lane)]!) + more(lane);
  }
  const { data } = slot;
  if (slot.kind === "double") return (o, lane) => data[at(o, lane)]! + more(lane);
  return (o, lane) => {
    const whole = (data[at(o, lane)]! + more(lane)) | 0;
    return unsigned ? whole >>> 0 : whole;
  };
}

/** How far a is above b, for operands of any form. */
export function laneDifference(unsigned: boolean, a: Operand, b: Operand): LaneValue {
  const [x, y] = [laneValue(unsigned, a), laneValue(unsigned, b)];
  return (o, lane) => x(o, lane) - y(o, lane);
}

/** Whether a is below b, for operands of any form. */
export function laneByLane(unsigned: boolean, a: Operand, b: Operand): Condition {
  const [x, y] = [laneValue(unsigned, a), laneValue(unsigned, b)];
  return (o, mask) => {
    let bits = 0;
    for (let lane = 0; lane < warpSize; lane++) if (x(o, lane) < y(o, lane)) bits |= 1 << lane;
    return bits & mask;
  };
}

/** A step that throws `WrapsAround` when extending or dividing the first lane's value would not tell the others'. */
export function wrapGuard(op: Op, registers: Registers, patterns: Patterns): Step | undefined {
  const { action, args } = op;
  const operand = action.kind === "gep" ? args[1] : args[0];
  const pattern = operand && patterns.of(operand);
  if (!operand || !pattern || operand.type !== "i32") return undefined;
  const values = registers.ints(operand);
  const { least, most } = pattern;
  // All lanes have the same.
  if (least === 0 && most === 0) return undefined;
  const signed =
    (low: number): Step =>
    (o) => {
      const first = values[o]!;
      if (first + least < low || first + most > 0x7fffffff) throw new WrapsAround();
    };
  if (action.kind === "gep" || (action.kind === "convert" && action.op === "sext")) return signed(-0x80000000);
  const unsigned: Step = (o) => {
    const first = values[o]! >>> 0;
    if (first + least < 0 || first + most > 0xffffffff) throw new WrapsAround();
  };
  if (action.kind === "convert" && action.op === "zext") return unsigned;
  if (action.kind !== "int") return undefined;
  switch (action.op) {
    case "sdiv":
    case "srem":
      return signed(0);
    case "ashr":
      return signed(-0x80000000);
    case "udiv":
    case "urem":
    case "lshr":
      return unsigned;
    default:
      return undefined;
  }
}
