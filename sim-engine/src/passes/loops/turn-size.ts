/** How long a loop's turn is by LLVM's count, as NVVM takes it where it decides on unrolling. For ptxas's see `machine-length.ts`. */
import { nvcc } from "../../compilers/compiler.ts";
import { libraryFunction } from "../../compilers/expansions.ts";
import { intConstant } from "../../ir/constants.ts";
import type { Loop } from "../../ir/graph.ts";
import type { MatrixElement, Op } from "../../ir/kernel.ts";
import { isLeaf, isPure } from "../../ir/operations.ts";
import { answerOf } from "../../ir/origins.ts";
import { sharedBase } from "../../ir/windows.ts";

export interface Sizes {
  /** As written. */
  readonly raw: number;
  /** Where constant address arithmetic has gone. */
  readonly merged: number;
  /** Without addresses. */
  readonly operations: number;
}

/** One iteration in LLVM instructions. Counter and test are free. */
export function sizes(loop: Loop, isLeftOut: (op: Op) => boolean = () => false): Sizes {
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
  const used = new Set<Op>();
  for (const op of ops) {
    const isSum = isMore(op);
    if (!isSum && (isWord(op) || (own.has(op) && !serving.has(op)))) continue;
    for (let k = isSum ? 1 : 0; k < op.args.length; k++) if (own.has(op.args[k]!)) used.add(op.args[k]!);
  }
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

export function libraryCall({ action, type }: Op): ReturnType<typeof libraryFunction> {
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

/**
 * What one of the machine's products is besides itself. NVVM makes values of the fragments that came with Ampere only after it has unrolled
 * loops: until then their words are in memory (validation/compiler/fragmentSteps.json, fragmentNests.json).
 */
export const movesOf = ({ action }: Op): number =>
  action.kind === "matrix" && action.op === "multiply" && action.ofFragment !== undefined ? (movesOfKind[action.of] ?? 0) : 0;

/**
 * Fitted to nests of bfloats (fragmentNests.json), a half of what a product of 16 by 16 sums takes. Of tf32, which is four of the machine's,
 * a half of that; of doubles assumed, two words loaded and stored.
 */
const movesOfKind: Readonly<Partial<Record<MatrixElement, number>>> = { bf16: 8.3, tf32: 4.15, f64: 4 };

/** Whether an operation goes when constants are folded, `given` ones as well, and arrays of the thread's own become values. */
export function isFoldedLater(given?: ReadonlySet<Op>): (op: Op) => boolean {
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
