/** When nvcc unrolls: the rules. Their thresholds are the compiler's figures. */
import { nvcc } from "../../compilers/compiler.ts";
import { libraryFunction } from "../../compilers/expansions.ts";
import { successors } from "../../ir/builder.ts";
import { intConstant, isConstant } from "../../ir/constants.ts";
import type { Loop } from "../../ir/graph.ts";
import type { Block, MatrixElement, Op } from "../../ir/kernel.ts";
import { isLeaf, isPure } from "../../ir/operations.ts";
import { answerOf } from "../../ir/origins.ts";
import { sharedBase } from "../../ir/windows.ts";
import { meetsWhileSomeLeave } from "./lane-loops.ts";
import { indexesLocalArray } from "./local-arrays.ts";
import { leavesForRare, machineLength } from "./machine-length.ts";

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

/**
 * What one of the machine's products is besides itself. NVVM makes values of the fragments that came with Ampere only after it has unrolled
 * loops: until then their words are in memory (validation/compiler/fragmentSteps.json, fragmentNests.json).
 */
const movesOf = ({ action }: Op): number =>
  action.kind === "matrix" && action.op === "multiply" && action.ofFragment !== undefined ? (movesOfKind[action.of] ?? 0) : 0;

/**
 * Fitted to nests of bfloats (fragmentNests.json), a half of what a product of 16 by 16 sums takes. Of tf32, which is four of the machine's,
 * a half of that; of doubles assumed, two words loaded and stored.
 */
const movesOfKind: Readonly<Partial<Record<MatrixElement, number>>> = { bf16: 8.3, tf32: 4.15, f64: 4 };

/** Whether an operation goes when constants are folded, `given` ones as well, and arrays of the thread's own become values. */
function isFoldedLater(given?: ReadonlySet<Op>): (op: Op) => boolean {
  const known = new Map<Op, boolean>();
  const madeOf = (op: Op): readonly Op[] => (op.action.kind !== "phi" && isPure(op) ? op.args : []);
  const isKnown = (value: Op): boolean =>
    answerOf(value, known, false, madeOf, (op) => {
      const parts = madeOf(op);
      return (
        given?.has(op) || /^(const|alloca)$/.test(op.action.kind) || (parts.length > 0 && parts.every((part) => known.get(part) === true))
      );
    });
  return (op) =>
    isKnown(op) || ((op.action.kind === "load" || op.action.kind === "store") && op.args[0] !== undefined && isKnown(op.args[0]));
}

const isForbidden = ({ header: { unroll } }: Loop): boolean => unroll === 1 || unroll === -1;

/** What ptxas does with what NVVM left. */
export function assemblerFactor(loop: Loop, trips: number | undefined): Decision {
  // It leaves loops with atomics and fences (validation/compiler/steps.json).
  const isOrdered = ({ action: { kind } }: Op): boolean => kind === "atomic" || kind === "fence";
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

interface Sizes {
  /** As written. */
  readonly raw: number;
  /** Where constant address arithmetic has gone. */
  readonly merged: number;
  /** Without addresses. */
  readonly operations: number;
}

/** One iteration in LLVM instructions. Counter and test are free. */
function sizes(loop: Loop, isLeftOut: (op: Op) => boolean = () => false): Sizes {
  let raw = 0;
  let merged = 0;
  let operations = 0;
  const free = controlOnly(loop);
  for (const op of madeAddresses(loop)) free.add(op);
  for (const op of countedAsMoves(loop)) free.add(op);
  const addresses = addressCost(loop, isLeftOut);
  for (const block of loop.blocks) {
    for (const op of block.ops) {
      if (isLeaf(op) || free.has(op) || isLeftOut(op)) continue;
      const { action } = op;
      raw += addresses(op);
      if (action.kind === "gep") continue;
      const cost = costOf(op);
      raw += cost;
      operations += cost;
      merged += action.kind === "int" || action.kind === "convert" ? cost * nvcc.foldedShare : cost;
    }
    if (block.end.kind === "branch" && !loop.latches.includes(block)) {
      raw += 1;
      merged += 1;
      operations += 1;
    }
  }
  return { raw: Math.max(1, raw), merged: Math.max(1, merged), operations };
}

/**
 * What an address takes by LLVM's count: one, and one to extend the index, but for shared memory. A constant is taken out of an index
 * later: until then each is a sum of its own, of an index that the turn computed (validation/compiler/addresses.json).
 */
function addressCost({ blocks }: Loop, isLeftOut: (op: Op) => boolean): (op: Op) => number {
  const ops = [...blocks].flatMap((block) => block.ops);
  const own = new Set(ops.filter(({ action }) => action.kind === "gep"));
  const isMore = (op: Op): boolean => op.action.kind === "gep" && intConstant(op.args[1]) !== undefined;
  // Where the words of a fragment stand is the concern of the instruction that loads it, which has one address.
  const serving = new Set<Op>();
  for (const op of ops)
    for (const arg of own.has(op) ? op.args.slice(1) : isWord(op) ? [] : op.args)
      for (let gep: Op | undefined = arg; gep && own.has(gep) && !serving.has(gep); [gep] = gep.args) serving.add(gep);
  const used = new Set(
    ops.flatMap((op) => (isMore(op) ? op.args.slice(1) : isWord(op) || (own.has(op) && !serving.has(op)) ? [] : op.args)),
  );
  const indexed = (gep: Op, more: number): number => {
    const [base, index] = gep.args;
    return isLeftOut(index as Op) ? 1 : more + (index?.type === "i32" && !isShared(base) ? 2 : 1);
  };
  const ofWord = ({ action, args: [address] }: Op): number => {
    if (action.kind !== "load" || address === undefined || !own.has(address)) return 0;
    let more = 0;
    for (let gep: Op | undefined = address; gep && own.has(gep); [gep] = gep.args) if (isMore(gep)) more = 1;
    return (more + (isShared(address) ? 1 : 2)) / (action.ofFragment ?? 1);
  };
  return (op) => {
    if (isWord(op)) return ofWord(op);
    if (!own.has(op)) return 0;
    const [base] = op.args;
    if (!isMore(op)) return used.has(op) ? indexed(op, 0) : 0;
    return serving.has(op) && base && own.has(base) && !isMore(base) ? indexed(base, 1) : 0;
  };
}

/** Whether it is a part of what `wmma` loads with one instruction. */
const isWord = ({ action }: Op): boolean => action.kind === "load" && action.ofFragment !== undefined;

/** Whether a pointer leads into the block's shared memory. */
function isShared(pointer: Op | undefined): boolean {
  let op = pointer;
  while (op?.action.kind === "gep") [op] = op.args;
  return op?.action.kind === "shared.address";
}

/** LLVM's TCC_Expensive. */
const dearOperation = 4;

/**
 * LLVM instructions of an operation (validation/compiler/operationCosts.json). Library functions are inlined by then; divisions count as
 * dear, a minimum of integers is a comparison and a choice, an absolute value a difference besides; taking a result from several, or from a
 * vector, is free, and so are conversions that leave the bits as they are.
 */
function costOf(op: Op): number {
  const { action } = op;
  if ("ofFragment" in action && action.ofFragment !== undefined)
    return action.kind === "matrix" && action.op === "transpose" ? 0 : 1 / action.ofFragment + movesOf(op);
  if (action.kind === "extract" || (action.kind === "convert" && /^(trunc|bitcast|inttoptr|ptrtoint)$/.test(action.op))) return 0;
  if (action.kind === "int" && /^[su](div|rem)$/.test(action.op)) return dearOperation;
  if (action.kind === "int" && /^[su](min|max)$/.test(action.op)) return 2;
  if (action.kind === "math" && action.fn === "abs" && !op.type.startsWith("f")) return 3;
  if (action.kind === "float" && action.op === "fdiv" && action.precision !== "fast") return dearOperation;
  const library = libraryCall(op);
  return library ? Math.max(1, library.ptx * nvcc.librarySize) : 1;
}

function libraryCall({ action, type }: Op): ReturnType<typeof libraryFunction> {
  const width = type === "f64" ? "f64" : "f32";
  if (action.kind === "float" && action.op === "frem") return libraryFunction("fmod", width);
  return action.kind === "math" && action.precision !== "fast" ? libraryFunction(action.fn, width) : undefined;
}

/** The counter's increment and the test of the latch, which is of the counter itself where it is widened for it. */
function controlOnly(loop: Loop): Set<Op> {
  const found = new Set<Op>();
  for (const latch of loop.latches) {
    if (latch.end.kind !== "branch") continue;
    const { cond } = latch.end;
    found.add(cond);
    for (const tested of cond.args) {
      const isWidened = tested.action.kind === "convert" && tested.action.op === "sext";
      const arg = isWidened ? (tested.args[0] as Op) : tested;
      if (arg.action.kind !== "int" || !arg.args.some((each) => loop.header.phis.includes(each))) continue;
      found.add(arg);
      if (isWidened) found.add(tested);
    }
  }
  return found;
}

/** What makes pointers of numbers that `asm` is given as shared addresses, from where their window begins: to NVVM they stay numbers. */
function* madeAddresses(loop: Loop): Iterable<Op> {
  for (const block of loop.blocks)
    for (const { action, args } of block.ops) {
      const [sum] = args;
      if (action.kind !== "convert" || action.op !== "inttoptr" || sum?.action.kind !== "int" || sum.action.op !== "add") continue;
      if (intConstant(sum.args[1]) !== sharedBase) continue;
      yield sum;
      const [number] = sum.args;
      if (number?.action.kind === "convert" && number.action.op === "zext") yield number;
    }
}

/** What is loaded and stored of a thread's own memory around products that are counted with it. */
function* countedAsMoves(loop: Loop): Iterable<Op> {
  const ops = [...loop.blocks].flatMap((block) => block.ops);
  if (!ops.some((op) => movesOf(op) > 0)) return;
  for (const op of ops) if ((op.action.kind === "load" || op.action.kind === "store") && op.action.space === "local") yield op;
}

/** Unrolled with a rest, products of warp groups would be said to take more registers than nvcc gives them (group-products.test.ts). */
const hasGroupProducts = (loop: Loop): boolean => [...loop.blocks].some(({ ops }) => ops.some(({ action }) => action.kind === "wgmma"));

/** A library function may hold one. */
const hasInnerLoop = (loop: Loop): boolean =>
  [...loop.blocks].some(
    (block) =>
      block.ops.some((op) => libraryCall(op)?.loops) ||
      (block !== loop.header && block.predecessors.some((from) => loop.blocks.has(from) && reaches(block, from, loop))),
  );

/** Whether `to` is reached from `from` inside the loop without passing its header. */
function reaches(from: Block, to: Block, loop: Loop): boolean {
  const seen = new Set([from]);
  const pending = [from];
  for (let block = pending.pop(); block; block = pending.pop()) {
    if (block === to) return true;
    for (const next of successors(block)) {
      if (next === loop.header || !loop.blocks.has(next) || seen.has(next)) continue;
      seen.add(next);
      pending.push(next);
    }
  }
  return false;
}
