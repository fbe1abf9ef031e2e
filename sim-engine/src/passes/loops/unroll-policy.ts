/** When nvcc unrolls: the rules. Their thresholds are the compiler's figures. */
import { nvcc } from "../../compilers/compiler.ts";
import { successors } from "../../ir/builder.ts";
import { isConstant } from "../../ir/constants.ts";
import type { Loop } from "../../ir/graph.ts";
import type { Block, Op } from "../../ir/kernel.ts";
import { meetsWhileSomeLeave } from "./lane-loops.ts";
import { indexesLocalArray } from "./local-arrays.ts";
import { leavesForRare, machineLength } from "./machine-length.ts";
import { isFoldedLater, libraryCall, movesOf, sizes } from "./turn-size.ts";

export type Decision =
  | { readonly kind: "none" }
  | { readonly kind: "full"; readonly trips: number }
  | { readonly kind: "partial"; readonly factor: number };

/** What is left on the headers of unrolled loops (`Block.unroll`): not to be unrolled again at all, or by the assembler only. */
export const never = 1;
export const unrolledOnce = 0;

/**
 * What NVVM does with a loop that runs `trips` times (undefined: known only at run time).
 * @param within what loops in it grow by, which are unrolled in part (see `growth`)
 */
export function decide(loop: Loop, trips: number | undefined, within = 0): Decision {
  const { unroll } = loop.header;
  if (typeof unroll === "number" && unroll <= 1) return { kind: "none" };
  const size = sizes(loop);
  const raw = Math.max(size.raw, sizesOfNests.get(loop.header) ?? 0);
  if (unroll === "full") {
    const turn = Math.max(sizesInMemory.get(loop.header) ?? 0, size.merged) + 1;
    if (trips !== undefined) {
      if (trips * turn <= nvcc.pragmaUnrollSize) return { kind: "full", trips };
      const factor = dividingPower(trips, Math.min(mostCopies, nvcc.pragmaUnrollSize / turn));
      if (factor > 1) return { kind: "partial", factor };
    }
    // Assumed as large as under a pragma without a number: of short turns nvcc makes 3,000 copies, and leaves 30,000 alone.
  } else if (unroll !== undefined && Math.min(unroll, trips ?? unroll) * (size.raw + 1) <= nvcc.pragmaUnrollSize) {
    if (trips !== undefined && unroll >= trips) return { kind: "full", trips };
    const isExact = trips !== undefined && trips % unroll === 0;
    return (trips === undefined && meetsWhileSomeLeave(loop)) || (!isExact && hasGroupProducts(loop))
      ? { kind: "none" }
      : { kind: "partial", factor: unroll };
  }
  if (trips !== undefined) {
    if (trips * (size.raw + within + 1) < nvcc.fullUnrollSize || fitsFolded(loop, trips)) return { kind: "full", trips };
    if (trips * (size.operations + nvcc.turnSize) <= nvcc.localArrayUnrollSize && indexesLocalArray(loop)) return { kind: "full", trips };
    if (within > 0) return { kind: "none" };
    const factor = dividingPower(trips, nvcc.partialUnrollSize / (size.raw + 1));
    // Loops are unrolled twice: it is then one of fewer turns.
    if (factor > 1) return fitsFolded(loop, trips, factor) ? { kind: "full", trips } : { kind: "partial", factor };
    if (trips % 2 === 0) return { kind: "none" };
  }
  // Only innermost loops are unrolled with a rest; with barriers and shuffles as well as without (validation/compiler/togetherLoops.json).
  if (hasInnerLoop(loop) || hasGroupProducts(loop) || (trips === undefined && meetsWhileSomeLeave(loop))) return { kind: "none" };
  if (trips !== undefined) {
    const copies = nvcc.partialUnrollSize / (size.raw + 1);
    return copies >= 2 ? { kind: "partial", factor: copies >= 4 ? 4 : 2 } : { kind: "none" };
  }
  if (4 * raw <= nvcc.unrollByFourSize) return { kind: "partial", factor: 4 };
  return 2 * raw <= nvcc.unrollByTwoSize ? { kind: "partial", factor: 2 } : { kind: "none" };
}

/**
 * Whether all turns fit once what their numbers make constants is folded, of a loop that has none in it. LLVM goes through them one by one,
 * where they are few, and the more of the work is saved the larger they may be. `factor` turns have become one before.
 */
function fitsFolded(loop: Loop, trips: number, factor = 1): boolean {
  if (trips / factor > nvcc.analysedTurns || hasInnerLoop(loop) || hasCall(loop)) return false;
  const { raw } = sizes(loop, isFoldedLater());
  const folded = sizes(loop, isFoldedLater(countersFromConstants(loop))).raw;
  const saved = Math.min(mostSaved, (factor * (raw + 1) + 2) / (factor * folded));
  return trips * folded < nvcc.fullUnrollSize * saved;
}

/**
 * Whether something in it is a call to LLVM, which then does not go through the turns. Seen of products of fragments (fragmentNests.json);
 * assumed of what else NVVM has an intrinsic for.
 */
const hasCall = (loop: Loop): boolean => [...loop.blocks].some(({ ops }) => ops.some(isCall));

function isCall({ action, type }: Op): boolean {
  switch (action.kind) {
    case "call":
    case "barrier":
    case "syncwarp":
    case "shuffle":
    case "vote":
    case "match":
    case "reduce":
    case "matrix":
    case "texel":
    case "fma":
      return true;
    case "math":
      return type.startsWith("f");
    case "load":
      return action.ofFragment !== undefined || action.matrix === true;
    default:
      return false;
  }
}

/** LLVM's UnrollMaxPercentThresholdBoost. */
const mostSaved = 4;

/** Values that each turn begins with and that its number gives. */
function countersFromConstants({ header, latches }: Loop): ReadonlySet<Op> {
  const isStep = (phi: Op, next: Op | undefined): boolean =>
    next?.action.kind === "int" && next.action.op === "add" && next.args.includes(phi) && next.args.some(isConstant);
  const isCounter = (phi: Op): boolean =>
    phi.args.every((arg, k) => (latches.includes(header.predecessors[k] as Block) ? isStep(phi, arg) : isConstant(arg)));
  return new Set(header.phis.filter(isCounter));
}

/**
 * Copies of a turn, of a loop under a pragma that is not unrolled completely: as many as nvcc was seen to make (validation/compiler/fragmentSteps.json).
 * Assumed: it makes more of short turns, which shows in little but the time that it takes to read them.
 */
const mostCopies = 128;

/** Instructions that a loop has more where it is unrolled in part: its copies, those of the rest, and what chooses between them. */
export const growth = (loop: Loop, decision: Decision): number =>
  decision.kind === "partial" ? 2 * (decision.factor - 1) * sizes(loop).raw + nvcc.unrolledControlSize : 0;

/** By header, of loops around some that were unrolled completely: raw sizes before what those repeat was found. */
const sizesOfNests = new WeakMap<Block, number>();

/**
 * What a loop is when those in it have been unrolled. NVVM has then made values of arrays and folded constants, and not yet found what is
 * loaded or computed twice, when it decides whether to unroll the loop itself (validation/compiler/nests.json).
 */
export function keepSize(loop: Loop): void {
  const isFolded = isFoldedLater();
  sizesOfNests.set(loop.header, sizes(loop, isFolded).raw);
  const ops = [...loop.blocks].flatMap((block) => block.ops);
  if (!ops.some((op) => movesOf(op) > 0)) return;
  sizesInMemory.set(loop.header, sizes(loop, isFolded).merged);
}

/** By header, sizes of loops with products of the fragments that came with Ampere (see `movesOf`). */
const sizesInMemory = new WeakMap<Block, number>();

const isForbidden = ({ header: { unroll } }: Loop): boolean => unroll === 1 || unroll === -1;

/** What ptxas does with what NVVM left. */
export function assemblerFactor(loop: Loop, trips: number | undefined): Decision {
  // It leaves loops with atomics and fences (validation/compiler/steps.json), and with calls (nvcc 13.0).
  const isOrdered = ({ action: { kind } }: Op): boolean => kind === "atomic" || kind === "fence" || kind === "call";
  if (isForbidden(loop) || hasGroupProducts(loop)) return { kind: "none" };
  const ops = [...loop.blocks].flatMap((block) => block.ops);
  if (ops.some((op) => isOrdered(op) || leavesForRare(op))) return { kind: "none" };
  const loads = ops.some((op) => op.action.kind === "load");
  // Of conditions it makes predicates first, where what they guard is short: of loops that load (validation/compiler/guardedLoops.json).
  if (loop.blocks.size > 1 && !(loads && trips === undefined && [...loop.blocks].every((block) => isStraight(block, loop))))
    return { kind: "none" };
  const length = machineLength(ops);
  const accesses = ops.filter(({ action: { kind } }) => kind === "load" || kind === "store").length;
  const pointers = loop.header.phis.filter(({ type }) => type === "ptr").length;
  if (trips !== undefined) return knownTurns(trips, length - testAndJump + accesses + pointers, loop.parent !== undefined);
  // An access is an address besides (validation/compiler/accessLoops.json).
  if (meetsWhileSomeLeave(loop)) return { kind: "none" };
  return length + accesses + indexed(loop) <= (loads ? nvcc.unrollAgainSizeWithLoads : nvcc.unrollAgainSize)
    ? { kind: "partial", factor: nvcc.unrollAgainFactor }
    : { kind: "none" };
}

/** What counts and ends a turn besides what it does: once, however many turns become one. */
const testAndJump = 2;

/**
 * What ptxas does with `trips` turns of `length` instructions, of a loop by itself or within another: all of them one behind the other, or as
 * many as leave the fewest turns to run, with what is left over before the loop (validation/compiler/constantTurns.json).
 */
function knownTurns(trips: number, length: number, isWithin: boolean): Decision {
  const isLong = length > nvcc.assemblerBodySize;
  const most = isLong
    ? nvcc.assemblerFullUnrollSize / trips
    : (isWithin ? nvcc.assemblerFullUnrollWithin : nvcc.assemblerFullUnroll) / Math.sqrt(Math.max(1, trips - 2));
  if (length <= most && !(isLong && trips === 2)) return { kind: "full", trips };
  if (isLong) return { kind: "none" };
  // What is left over are copies as well.
  const copies = (nvcc.assemblerPartialUnrollSize - testAndJump) / (length - testAndJump);
  for (let factor = Math.min(trips, Math.floor(copies)); factor > 1; factor--)
    if (factor + (trips % factor) <= copies) return { kind: "partial", factor };
  return { kind: "none" };
}

/**
 * Instructions for the addresses of rows that have no pointer of their own: of more rows than that NVVM sums each with the counter and
 * extends it, in loops that it has unrolled, as its strength reduction finds too many ways to choose from (validation/compiler/nests.json).
 */
function indexed({ header }: Loop): number {
  const rows = header.phis.filter(({ type }) => type === "ptr").length;
  return header.unroll === unrolledOnce && rows > nvcc.mostRowPointers ? 2 * rows : 0;
}

/** Whether a block of a loop is straight code once short arms of branches are predicated. */
function isStraight({ end }: Block, { blocks, header }: Loop): boolean {
  if (end.kind !== "branch" || !(blocks.has(end.then) && blocks.has(end.else)) || end.then === header || end.else === header) return true;
  const next = (block: Block): Block | undefined => (block.end.kind === "jump" ? block.end.to : undefined);
  const join = next(end.then) === end.else ? end.else : next(end.else) === end.then ? end.then : next(end.then);
  const arms = [end.then, end.else].filter((arm) => arm !== join);
  return arms.every((arm) => arm.predecessors.length === 1 && next(arm) === join && machineLength(arm.ops) - 1 <= nvcc.unrollAgainArmSize);
}

/**
 * Whether NVVM keeps a counter of 32 bits in 64, for products of it that are taken in these. Where the loop does not begin at a constant
 * ptxas does not see how often it runs, and leaves it (validation/compiler/wideProducts.json).
 */
export function countsInSixtyFourBits({ header }: Loop): boolean {
  const counts = (op: Op | undefined): boolean =>
    op !== undefined && header.phis.some((phi) => phi.type === "i32" && (op === phi || op.args.includes(phi)));
  return header.ops.some(
    ({ action, args, type }) =>
      action.kind === "int" &&
      action.op === "mul" &&
      type === "i64" &&
      args.some((arg) => arg.action.kind === "convert" && arg.action.op === "sext" && counts(arg.args[0])),
  );
}

/** The largest power of two that divides `trips` and is at most `limit`. */
function dividingPower(trips: number, limit: number): number {
  let factor = 1;
  while (trips % (factor * 2) === 0 && factor * 2 <= limit) factor *= 2;
  return factor;
}

/** Unrolled with a rest, products of warp groups would be said to take more registers than nvcc gives them (group-products.test.ts). */
const hasGroupProducts = (loop: Loop): boolean => [...loop.blocks].some(({ ops }) => ops.some(({ action }) => action.kind === "wgmma"));

/** A library function may hold one. */
const hasInnerLoop = (loop: Loop): boolean =>
  [...loop.blocks].some(({ ops }) => ops.some((op) => libraryCall(op)?.loops)) || goesRound(loop);

/** Whether blocks of a loop come behind themselves without passing its header: whether some are left when each is taken that has none before it. */
function goesRound({ blocks, header }: Loop): boolean {
  const before = new Map<Block, number>();
  for (const block of blocks)
    if (block !== header) before.set(block, block.predecessors.filter((from) => from !== header && blocks.has(from)).length);
  const free = [...before.keys()].filter((block) => before.get(block) === 0);
  let left = before.size;
  for (let block = free.pop(); block; block = free.pop()) {
    left--;
    for (const next of successors(block)) {
      const others = before.get(next);
      if (others === undefined) continue;
      before.set(next, others - 1);
      if (others === 1) free.push(next);
    }
  }
  return left > 0;
}
