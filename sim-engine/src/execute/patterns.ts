/**
 * Values whose lanes differ from the first lane's by amounts known beforehand: thread indices, and sums and constant
 * multiples of them, so most indices and addresses. They are computed for the first lane alone.
 *
 * Sign and zero extension of such values are right as long as no lane wraps around where the first does not: steps that
 * extend check it, and `WrapsAround` asks for the kernel to be run with every lane computed.
 */

import { reversePostorder } from "../ir/graph.ts";
import type { Dim3, Kernel, Op, SpecialRegister } from "../ir/kernel.ts";
import { isPure } from "../ir/operations.ts";
import type { Divergence } from "../passes/facts/divergence.ts";
import type { Work } from "../work.ts";
import type { ConstantOf } from "./constants.ts";
import { gcd } from "./divisors.ts";

export class LanePattern {
  /** What each lane's value is above the first lane's. */
  readonly lanes: Float64Array;
  readonly least: number;
  readonly most: number;

  constructor(lanes: Float64Array) {
    this.lanes = lanes;
    this.least = Math.min(...lanes);
    this.most = Math.max(...lanes);
  }
}

/** Lanes wrap around where the first lane does not. */
export class WrapsAround extends Error {}

export interface Patterns {
  /** Undefined for values that all lanes share, and for those whose lanes differ otherwise. */
  of(op: Op): LanePattern | undefined;
}

export const noPatterns: Patterns = { of: () => undefined };

/** The first lane's value is a multiple of `divisor` (0 for zero). */
interface Linear {
  readonly lanes: Float64Array;
  readonly divisor: number;
}

const warpSize = 32;
/** Amounts beyond this are not worth following. */
const farthest = 2 ** 31;
const even = new Float64Array(warpSize);

export function findPatterns(kernel: Kernel, block: Dim3, divergence: Divergence, constantOf: ConstantOf, work: Work): Patterns {
  const found = new Map<Op, Linear | null>();
  /** What the operands were when an operation was last looked at. */
  const looked = new Map<Op, readonly (Linear | null | undefined)[]>();
  const order = reversePostorder(kernel);
  const thread = threadPatterns(block);

  const transfer = (op: Op): Linear | null | undefined => {
    const { action, args } = op;
    const constant = constantOf(op);
    if (constant !== undefined) return { lanes: even, divisor: Math.abs(constant) };
    const varying = divergence.isVarying(op);
    if (varying && (divergence.outlivesLoop(op) || divergence.isMerged(op))) return null;
    let fallback = varying ? null : { lanes: even, divisor: 1 };
    if (action.kind === "phi") return join(args.map((arg) => found.get(arg)));
    if (action.kind === "special") return thread(action.register) ?? fallback;
    const operands = args.map((arg) => found.get(arg));
    if (operands.includes(undefined)) return undefined;
    const [a, b] = operands;
    // What is made of what all lanes have is the same in all of them.
    if (isPure(op) && operands.length > 0 && operands.every((each) => each?.lanes === even)) fallback = { lanes: even, divisor: 1 };
    if (!a || (args.length > 1 && !b)) return fallback;
    switch (action.kind) {
      case "int":
        return (b && integer(action.op, a, b, args, constantOf)) ?? fallback;
      case "gep":
        return (b && sum(a, scaled(b, action.scale), 1, action.offset)) ?? fallback;
      case "convert":
        return action.op === "sext" || action.op === "zext" || action.op === "trunc" ? wide(op, a) : fallback;
      case "select":
        return fallback;
      default:
        return fallback;
    }
  };
  for (let changed = true; changed; ) {
    changed = false;
    for (const each of order) {
      for (const op of [...each.phis, ...each.ops]) {
        if (op.type === "void") continue;
        // Found in two maps.
        work.ask(2);
        const operands = op.args.map((arg) => found.get(arg));
        const before = looked.get(op);
        if (before && operands.every((operand, k) => operand === before[k])) continue;
        looked.set(op, operands);
        const now = transfer(op);
        if (now === undefined || same(now, found.get(op))) continue;
        found.set(op, now);
        changed = true;
      }
    }
  }
  const patterns = new Map<Op, LanePattern>();
  for (const [op, linear] of found) if (linear && divergence.isVarying(op)) patterns.set(op, new LanePattern(linear.lanes));
  return { of: (op) => patterns.get(op) };
}

function same(a: Linear | null, b: Linear | null | undefined): boolean {
  if (!a || !b) return a === b;
  return a.divisor === b.divisor && sameLanes(a.lanes, b.lanes);
}

const sameLanes = (a: Float64Array, b: Float64Array): boolean => a === b || a.every((value, lane) => value === b[lane]);

/** Values met at a phi: the lanes must differ in the same way, whichever it is. Undefined while none is known. */
function join(values: readonly (Linear | null | undefined)[]): Linear | null | undefined {
  let all: Linear | undefined;
  for (const value of values) {
    if (value === undefined) continue;
    if (!value) return null;
    if (!all) all = value;
    else if (!sameLanes(all.lanes, value.lanes)) return null;
    else all = { lanes: all.lanes, divisor: gcd(all.divisor, value.divisor) };
  }
  return all;
}

function made(values: Float64Array, divisor: number): Linear | null {
  const lanes = values.every((value) => value === 0) ? even : values;
  return lanes.every((value) => Math.abs(value) < farthest) ? { lanes, divisor: Number.isSafeInteger(divisor) ? divisor : 1 } : null;
}

function sum(a: Linear, b: Linear | null, sign: number, offset = 0): Linear | null {
  if (!b) return null;
  const divisor = gcd(gcd(a.divisor, b.divisor), Math.abs(offset));
  if (b.lanes === even) return { lanes: a.lanes, divisor };
  return made(
    a.lanes.map((value, lane) => value + sign * b.lanes[lane]!),
    divisor,
  );
}

function scaled(a: Linear, by: number): Linear | null {
  const divisor = a.divisor * Math.abs(by);
  if (a.lanes === even || by === 1) return { lanes: a.lanes, divisor: Number.isSafeInteger(divisor) ? divisor : 1 };
  return made(
    a.lanes.map((value) => value * by),
    divisor,
  );
}

/** i8 and i16 values wrap too easily. */
const wide = (op: Op, a: Linear): Linear | null => (op.type === "i32" || op.type === "i64" ? a : null);

function integer(op: string, a: Linear, b: Linear, args: readonly Op[], constantOf: ConstantOf): Linear | null | undefined {
  const [left, right] = args;
  if (left && left.type !== "i32" && left.type !== "i64") return undefined;
  const x = left && constantOf(left);
  const y = right && constantOf(right);
  // Truncates towards 0, so that negative ones are divided otherwise: of 32 bits `wrapGuard` looks out for them.
  if (left?.type === "i64" && (op === "sdiv" || op === "srem") && a.lanes !== even) return undefined;
  switch (op) {
    case "add":
      return sum(a, b, 1);
    case "sub":
      return sum(a, b, -1);
    case "mul":
      if (y !== undefined) return scaled(a, y);
      if (x !== undefined) return scaled(b, x);
      // The same factor in all lanes, but not known.
      return a.lanes === even && b.lanes === even ? scaled(a, b.divisor) : undefined;
    case "shl":
      return y !== undefined && y >= 0 && y < 31 ? scaled(a, 2 ** y) : undefined;
    case "and":
      return y !== undefined && y > 0 && (y & (y + 1)) === 0 ? remainder(a, y + 1) : undefined;
    case "urem":
    case "srem":
      return y !== undefined && y > 0 ? remainder(a, y) : undefined;
    case "lshr":
    case "ashr":
      return y !== undefined && y >= 0 && y < 31 ? quotient(a, 2 ** y) : undefined;
    case "udiv":
    case "sdiv":
      return y !== undefined && y > 0 ? quotient(a, y) : undefined;
    default:
      return undefined;
  }
}

/** The first lane's value is a multiple of the divisor, and lanes are not below it: then only their differences count. */
const splits = (a: Linear, by: number): boolean => a.divisor % by === 0 && a.lanes.every((value) => value >= 0);

/** No lane is in another multiple of `by` than the first. */
const staysWithin = (a: Linear, by: number): boolean =>
  a.divisor % by !== 0 && a.lanes.every((value) => value >= 0 && value < gcd(a.divisor, by));

const remainder = (a: Linear, by: number): Linear | null | undefined =>
  a.lanes === even
    ? { lanes: even, divisor: gcd(a.divisor, by) }
    : splits(a, by)
      ? made(
          a.lanes.map((value) => value % by),
          0,
        )
      : undefined;

const quotient = (a: Linear, by: number): Linear | null | undefined =>
  staysWithin(a, by)
    ? { lanes: even, divisor: 1 }
    : splits(a, by)
      ? made(
          a.lanes.map((value) => Math.floor(value / by)),
          a.divisor / by,
        )
      : undefined;

/** How thread indices differ within a warp, where all warps of the block are alike in that. */
function threadPatterns(block: Dim3): (register: SpecialRegister) => Linear | undefined {
  const [width, height, depth] = block;
  const warps = Math.ceil((width * height * depth) / warpSize);
  const indices: Partial<Record<SpecialRegister, (thread: number) => number>> = {
    "tid.x": (thread) => thread % width,
    "tid.y": (thread) => Math.floor(thread / width) % height,
    "tid.z": (thread) => Math.floor(thread / (width * height)),
    laneid: (thread) => thread % warpSize,
  };
  return (register) => {
    const index = indices[register];
    if (!index) return undefined;
    const lanes = new Float64Array(warpSize).map((_, lane) => index(lane) - index(0));
    let divisor = 0;
    for (let warp = 0; warp < warps; warp++) {
      const first = index(warp * warpSize);
      for (let lane = 0; lane < warpSize; lane++) if (index(warp * warpSize + lane) - first !== lanes[lane]) return undefined;
      divisor = gcd(divisor, first);
    }
    return { lanes, divisor };
  };
}
