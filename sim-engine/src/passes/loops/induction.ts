/** How often loops run: trip counts that are constants, or that can be computed before the loop. */
import { nvcc } from "../../compilers/compiler.ts";
import { createOp } from "../../ir/builder.ts";
import { intConstant } from "../../ir/constants.ts";
import { compareInt, evaluateConversion, evaluateInt } from "../../ir/evaluate.ts";
import type { Loop } from "../../ir/graph.ts";
import type { Block, IntPredicate, Kernel, Op, ScalarType } from "../../ir/kernel.ts";
import { hasEffect } from "../../ir/operations.ts";
import { inverse, swapped } from "../../ir/predicates.ts";
import type { Constants } from "../edit/constants.ts";

/** A loop that ends each iteration with the one test that can leave it. */
export interface BottomTested {
  readonly latch: Block;
  readonly exit: Block;
  readonly cond: Op;
  /** The value of `cond` that goes on. */
  readonly continues: boolean;
}

/** Undefined for loops with other ways out, or that test elsewhere. */
export function bottomTest(loop: Loop): BottomTested | undefined {
  const [latch] = loop.latches;
  const [exit] = loop.exits;
  if (!latch || !exit || loop.latches.length !== 1 || loop.exits.length !== 1 || exit.from !== latch || latch.end.kind !== "branch")
    return undefined;
  return { latch, exit: exit.to, cond: latch.end.cond, continues: latch.end.then === loop.header };
}

/** A counter that steps by the same each turn, and the test of it: the loop goes on while `tested predicate bound`. */
export interface Counter {
  readonly phi: Op;
  readonly start: Op;
  /** A constant, or what is known only at run time. */
  readonly step: number | Op;
  /** What is added to the counter's value at the start of the iteration before it is tested. */
  readonly testedOffset: number | Op;
  readonly predicate: IntPredicate;
  readonly bound: Op;
  /** The steps are known not to wrap. */
  readonly exact: boolean;
  /** What is compared is the counter in a wider type. */
  readonly widened: boolean;
}

/** The counter the loop ends by; `entry` is the loop's preheader. */
export function loopCounter(loop: Loop, test: BottomTested, entry: Block): Counter | undefined {
  if (test.cond.action.kind !== "icmp") return undefined;
  let predicate: IntPredicate = test.continues ? test.cond.action.predicate : inverse[test.cond.action.predicate];
  let [tested, bound] = test.cond.args;
  if (!tested || !bound) return undefined;
  const inLoop = definedIn(loop);
  if (inLoop(bound)) {
    if (inLoop(tested)) return undefined;
    [tested, bound] = [bound, tested];
    predicate = swapped[predicate];
  }
  const narrow = tested.action.kind === "convert" && tested.action.op === "sext" ? tested.args[0] : undefined;
  const enter = loop.header.predecessors.indexOf(entry);
  const back = loop.header.predecessors.indexOf(test.latch);
  const given = givenStep(narrow ?? tested, loop.header, back, inLoop);
  if (given && mustEnd(loop)) {
    const start = given.phi.args[enter];
    // Nor does it where both are made alike of the launch's indices, as a warp's number and how many there are (validation/compiler/alikeSteps.json).
    if (start && start.action.kind !== "special" && madeAlike(start, given.step)) return undefined;
    return start && { ...given, start, testedOffset: given.step, predicate, bound, exact: true, widened: narrow !== undefined };
  }
  const at = steps(narrow ?? tested);
  const { phi } = at;
  if (!loop.header.phis.includes(phi) || phi.args.length !== 2) return undefined;
  const start = phi.args[enter];
  const next = phi.args[back];
  if (!start || !next) return undefined;
  const advanced = steps(next);
  if (advanced.phi !== phi || advanced.offset === 0) return undefined;
  const exact = advanced.exact && at.exact;
  // Steps that may wrap are not the same steps in a wider type (LLVM's scalar evolution widens a counter as this does).
  if (narrow && !exact) return undefined;
  return {
    phi,
    start,
    step: advanced.offset,
    testedOffset: at.offset,
    predicate,
    bound,
    exact: advanced.exact,
    widened: narrow !== undefined,
  };
}

/** Whether it may be taken to end whatever it steps by: a loop that does nothing but compute and store (C++ 6.9.2.2: progress). */
function mustEnd({ blocks }: Loop): boolean {
  const allowed = (op: Op): boolean => (op.action.kind === "store" && op.action.volatile !== true) || !(hasEffect(op) || isAssembly(op));
  return [...blocks].every(({ ops }) => ops.every(allowed));
}

/** CUDA's headers compute with half precision by inline assembly, of which NVVM does not know that it returns. */
function isAssembly({ action, type, args }: Op): boolean {
  const isHalf = (of: Op["type"]): boolean => of === "f16" || of === "bf16";
  const computes = /^(convert|float|fma|math|fcmp)$/.test(action.kind);
  return computes && (isHalf(type) || args.some((arg) => isHalf(arg.type)));
}

/** The counter of which `tested` is the next value, where it goes on by what the loop does not change, and does not wrap. */
function givenStep(
  tested: Op,
  header: Block,
  back: number,
  inLoop: (op: Op) => boolean,
): { readonly phi: Op; readonly step: Op } | undefined {
  const { action, args } = tested;
  if (action.kind !== "int" || action.op !== "add" || action.exact !== true) return undefined;
  const phi = args.find((arg) => header.phis.includes(arg) && arg.args.length === 2 && arg.args[back] === tested);
  const step = args.find((arg) => arg !== phi);
  // Nor does NVVM count by what was widened without a sign (validation/compiler/steps.json).
  if (step?.action.kind === "convert" && step.action.op === "zext") return undefined;
  return phi && step && !inLoop(step) && intConstant(step) === undefined ? { phi, step } : undefined;
}

/** Whether two values come of indices of the launch by the same operations, none of which but those below the last only adds. */
function madeAlike(a: Op, b: Op): boolean {
  if (a.action.kind === "special") return b.action.kind === "special";
  if (a.action.kind !== "int" || b.action.kind !== "int" || a.action.op !== b.action.op || a.action.op === "add") return false;
  const differing = a.args.flatMap((arg, at) => {
    const other = b.args[at];
    const constant = intConstant(arg);
    return other === undefined || arg === other || (constant !== undefined && constant === intConstant(other)) ? [] : [{ arg, other }];
  });
  const [{ arg, other } = {}] = differing;
  return differing.length === 1 && arg !== undefined && other !== undefined && madeAlike(arg, other);
}

/** A value as another plus a constant. */
function steps(op: Op): { readonly phi: Op; readonly offset: number; readonly exact: boolean } {
  let phi = op;
  let offset = 0;
  let exact = true;
  while (phi.action.kind === "int" && phi.action.op === "add" && phi.args[0]) {
    const constant = intConstant(phi.args[1]);
    if (constant === undefined) break;
    offset += constant;
    exact &&= phi.action.exact === true;
    phi = phi.args[0];
  }
  return { phi, offset, exact };
}

export function definedIn(loop: Loop): (op: Op) => boolean {
  const inside = new Set<Op>();
  for (const block of loop.blocks) {
    for (const phi of block.phis) inside.add(phi);
    for (const op of block.ops) inside.add(op);
  }
  return (op) => inside.has(op);
}

/** How often the body runs each time the loop is entered, when that is the same constant always. */
export function constantTrips(loop: Loop, test: BottomTested, entry: Block): number | undefined {
  const counter = loopCounter(loop, test, entry);
  if (counter) {
    const start = intConstant(counter.start);
    const bound = intConstant(counter.bound);
    const { step, testedOffset, predicate } = counter;
    if (start !== undefined && bound !== undefined && typeof step === "number" && typeof testedOffset === "number")
      return countSteps(step, predicate, start + testedOffset, bound);
  }
  return bruteForceTrips(loop, test, entry);
}

function countSteps(step: number, predicate: IntPredicate, first: number, bound: number): number | undefined {
  const distance = bound - first;
  const unsigned = predicate.startsWith("u");
  if (unsigned && (first < 0 || bound < 0)) return undefined;
  switch (predicate) {
    case "slt":
    case "ult":
      return step > 0 ? 1 + Math.max(0, Math.ceil(distance / step)) : undefined;
    case "sle":
    case "ule":
      return step > 0 ? 1 + Math.max(0, Math.floor(distance / step) + 1) : undefined;
    case "sgt":
      return step < 0 ? 1 + Math.max(0, Math.ceil(distance / step)) : undefined;
    case "sge":
      return step < 0 ? 1 + Math.max(0, Math.floor(distance / step) + 1) : undefined;
    case "ne":
      return distance % step === 0 && distance / step >= 0 ? 1 + distance / step : undefined;
    default:
      return undefined;
  }
}

function bruteForceTrips(loop: Loop, test: BottomTested, entry: Block): number | undefined {
  const enter = loop.header.predecessors.indexOf(entry);
  const back = loop.header.predecessors.indexOf(test.latch);
  let held = new Map<Op, number | bigint>();
  for (const phi of loop.header.phis) {
    const start = phi.args[enter];
    if (start?.action.kind === "const") held.set(phi, start.action.value);
  }
  if (held.size === 0) return undefined;
  for (let trips = 1; trips <= nvcc.tripSearch; trips++) {
    const memo = new Map(held);
    const cond = evaluate(test.cond, memo, 0);
    if (cond === undefined) return undefined;
    if (Boolean(cond) !== test.continues) return trips;
    const next = new Map<Op, number | bigint>();
    for (const phi of held.keys()) {
      const value = evaluate(phi.args[back], memo, 0);
      if (value !== undefined) next.set(phi, value);
    }
    held = next;
  }
  return undefined;
}

function evaluate(op: Op | undefined, memo: Map<Op, number | bigint>, depth: number): number | bigint | undefined {
  if (!op || depth > 24) return undefined;
  const known = memo.get(op);
  if (known !== undefined) return known;
  const { action, args, type } = op;
  let value: number | bigint | undefined;
  if (action.kind === "const") value = action.value;
  else if (type !== "void" && (action.kind === "int" || action.kind === "icmp" || action.kind === "convert")) {
    const a = evaluate(args[0], memo, depth + 1);
    const from = args[0]?.type;
    if (a === undefined || !from || from === "void") return undefined;
    if (action.kind === "convert") value = evaluateConversion(action.op, from, type, a);
    else {
      const b = evaluate(args[1], memo, depth + 1);
      if (b === undefined) return undefined;
      value = action.kind === "int" ? evaluateInt(action.op, type, a, b) : Number(compareInt(action.predicate, from, a, b));
    }
  }
  if (value !== undefined) memo.set(op, value);
  return value;
}

/** The type that turns are counted in: that of the comparison. */
export const tripsType = ({ phi, bound, widened }: Counter): ScalarType => (widened ? bound : phi).type as ScalarType;

/**
 * Whether NVVM can compute before the loop how often it goes on: only for counters that go towards their bound and cannot step over it by
 * wrapping. Of counters that are compared in a wider type it knows that of those from a constant on, by one, or as unsigned numbers
 * (validation/compiler/widenedCounters.json). `block` is the preheader.
 */
export function isCounted(block: Block, counter: Counter): boolean {
  const { step, testedOffset, predicate, widened } = counter;
  const type = tripsType(counter);
  if (type !== "i32" && type !== "i64") return false;
  const from = intConstant(counter.start);
  if (widened && (from === undefined || (step !== 1 && !predicate.startsWith("u")))) return false;
  // A signed counter that does not wrap goes up: else the loop would have no end.
  if (typeof step !== "number" || typeof testedOffset !== "number")
    return (predicate === "slt" || predicate === "sle") && typeof step !== "number" && enteredByTest(block, counter);
  const size = Math.abs(step);
  const fits = step > 0 ? /^[su]l[te]$/.test(predicate) : /^[su]g[te]$/.test(predicate);
  if (size === 1) return fits || predicate === "ne";
  // That the steps do not wrap as signed numbers says of unsigned ones only where they begin at a known one.
  return fits && counter.exact && !(predicate.startsWith("u") && (from === undefined || from < 0));
}

/** Emits, at the end of the preheader `block`, how often the test at the bottom goes on: one less than the trips, where that is counted. */
export function emitTripsLessOne(kernel: Kernel, block: Block, counter: Counter, constants: Constants): Op | undefined {
  if (!isCounted(block, counter)) return undefined;
  const { phi, step, testedOffset, predicate, bound, widened } = counter;
  const type = tripsType(counter) as "i32" | "i64";
  const from = intConstant(counter.start);
  const start = widened && from !== undefined ? constants.int(type, from) : counter.start;
  const emit = (action: Op["action"], ...args: Op[]): Op => {
    const op = createOp(kernel, action, type, args, phi.span);
    block.ops.push(op);
    return op;
  };
  if (typeof step !== "number" || typeof testedOffset !== "number") {
    const last = predicate === "slt" ? emit({ kind: "int", op: "add" }, bound, constants.int(type, -1)) : bound;
    return emit({ kind: "int", op: "udiv" }, emit({ kind: "int", op: "sub" }, last, start), step as Op);
  }
  const up = step > 0;
  const inclusive = predicate === "sle" || predicate === "ule" || predicate === "sge" || predicate === "uge";
  const size = Math.abs(step);
  const add = (a: Op, value: number): Op => (value === 0 ? a : emit({ kind: "int", op: "add" }, a, constants.int(type, value)));
  const first = add(start, testedOffset);
  const slack = inclusive ? 1 : 0;
  let end = add(bound, up ? slack : -slack);
  // A first test that already fails would leave a distance below zero, unless the loop was entered by the same test, one step before.
  if (predicate !== "ne" && (size !== 1 || !enteredByTest(block, { ...counter, start })))
    end = emit({ kind: "int", op: up ? (predicate[0] === "u" ? "umax" : "smax") : predicate[0] === "u" ? "umin" : "smin" }, end, first);
  const startsAtZero = intConstant(start) !== undefined && intConstant(start) === -testedOffset;
  const distance = up ? (startsAtZero ? end : emit({ kind: "int", op: "sub" }, end, first)) : emit({ kind: "int", op: "sub" }, first, end);
  if (size === 1) return distance;
  return emit({ kind: "int", op: "udiv" }, add(distance, size - 1), constants.int(type, size));
}

/** Whether the way into the loop passed `start predicate bound`, or what the fold pass makes of it. */
function enteredByTest(preheader: Block, counter: Counter): boolean {
  const { start, step, testedOffset, predicate, bound } = counter;
  if (step !== testedOffset) return false;
  let block = preheader;
  for (let up = 0; up < 4; up++) {
    const [from] = block.predecessors;
    if (!from || block.predecessors.length !== 1) return false;
    const { end } = from;
    if (end.kind === "branch" && end.then !== end.else && end.cond.action.kind === "icmp") {
      const holds = end.then === block ? end.cond.action.predicate : inverse[end.cond.action.predicate];
      const [a, b] = end.cond.args;
      if (a === start && b === bound && holds === predicate) return true;
      if (b === start && a === bound && holds === swapped[predicate]) return true;
      // 0 < n may be written n >= 1.
      const [s, limit] = [intConstant(start), intConstant(b)];
      if (a === bound && s !== undefined && limit !== undefined && predicate === "slt" && holds === "sge" && limit === s + 1) return true;
    }
    block = from;
  }
  return false;
}
