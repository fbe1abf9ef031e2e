/** Matrix products of warp groups: their descriptors in uniform registers, their sums where they stand, and what waits for them. */
import type { GpuValues } from "../gpus/model.ts";
import { intConstant, isConstant } from "../ir/constants.ts";
import { elementBits, type GroupElement, type GroupProduct, groupDepthBytes, groupRows, type Op } from "../ir/kernel.ts";
import { isLeaf } from "../ir/operations.ts";
import { sharedBase } from "../ir/windows.ts";
import { descriptorsOf } from "./descriptors.ts";
import { highHalf, lowHalf } from "./high-halves.ts";
import type { Instruction, ProductTime, Register } from "./machine.ts";
import { resultWords } from "./select-matrix.ts";
import type { BlockCode, Selection } from "./selection.ts";

const opcodes: Readonly<Record<GroupElement, string>> = {
  f16: "HGMMA",
  bf16: "HGMMA",
  tf32: "HGMMA",
  e4m3: "QGMMA",
  e5m2: "QGMMA",
  s8: "IGMMA",
  u8: "IGMMA",
};

export function selectGroup(selection: Selection, code: BlockCode, op: Op): void {
  switch (op.action.kind) {
    case "wgmma":
      selectProduct(selection, code, op, op.action.product);
      return;
    case "wgmma.fence":
      code.body.push(selection.instruction("WARPGROUP.ARRIVE", op.span, [], [], op));
      return;
    case "wgmma.commit":
      commit(selection, code, op);
      return;
    case "wgmma.wait":
      code.body.push(selection.instruction("WARPGROUP.DEPBAR.LE", op.span, [], [], op));
      return;
    default:
  }
}

function selectProduct(selection: Selection, code: BlockCode, op: Op, product: GroupProduct): void {
  const [, adds, ...rest] = op.args;
  const descriptors = descriptorsOf(op);
  const words = product.aIn === "shared" ? [] : rest.slice(0, 4);
  const sums = rest.slice(product.aIn === "shared" ? 2 : 5);
  const uses = descriptors.flatMap((each) => uniformPair(selection, code, op, each));
  // Four words one after the other: those that stand elsewhere too are moved there.
  for (const word of new Set(words)) {
    const [register] = selection.use(word, code.block);
    if (register) uses.push(register);
    const moves = isConstant(word) ? 1 : words.filter((each) => each === word).length - 1;
    for (let k = 0; k < moves; k++) uses.push(made(selection, code, op, "IMAD.MOV", "R", register ? [register] : []));
  }
  // What is added to nothing is not added to; else the sums stand where the result will.
  const fresh = intConstant(adds) === 0 || sums.every((each) => isConstant(each) && Number((each.action as { value: number }).value) === 0);
  if (!fresh) {
    if (adds && !isConstant(adds)) uses.push(...selection.use(adds, code.block));
    for (const [index, each] of sums.entries()) {
      if (!isConstant(each)) uses.push(...selection.use(each, code.block));
      // Two at once.
      else if (index % 2 === 0) uses.push(made(selection, code, op, "CS2R", "R", []));
    }
  }
  const defs = resultWords(selection, op, sums.length);
  const instruction = selection.instruction(opcodeOf(product), op.span, defs, uses, op);
  const { limits } = selection.target;
  const latency = (limits.groupProductLatency ?? 0) + (limits.groupProductColumnLatency ?? 0) * product.columns;
  code.body.push({ ...instruction, latency, product: timeOf(product, limits) });
}

function opcodeOf({ columns, a, b, sums }: GroupProduct): string {
  const types = a === "f16" ? "" : elementBits[a] === 8 ? `.${a}.${b}`.toUpperCase() : `.${a.toUpperCase()}`;
  return `${opcodes[a]}.64x${columns}x${(8 * groupDepthBytes) / elementBits[a]}${sums === "s32" ? "" : `.${sums.toUpperCase()}`}${types}`;
}

/** Rates go by the bits of an element, and so depths: a product takes the time of one of halves. */
function timeOf({ columns, aIn }: GroupProduct, limits: GpuValues): ProductTime {
  const halves = groupRows * columns * (groupDepthBytes / 2);
  const cycles = halves / (limits.tensorFp16PerClock ?? Number.POSITIVE_INFINITY);
  if (aIn === "shared") return { cycles, gap: 0, commits: false };
  return { cycles: Math.max(cycles, limits.groupProductLeast ?? 0), gap: limits.groupProductGap ?? 0, commits: false };
}

/** The last product before it says so itself; where none stands in the block, one of nothing does. */
function commit(selection: Selection, code: BlockCode, op: Op): void {
  const last = code.body.findLastIndex(({ product }) => product !== undefined);
  const instruction = code.body[last];
  if (instruction?.product && !instruction.product.commits) {
    code.body[last] = { ...instruction, product: { ...instruction.product, commits: true } };
    return;
  }
  code.body.push(selection.instruction("WARPGROUP.ARRIVE", op.span, [], []));
  const nothing = selection.instruction("HGMMA.64x8x16.F16", op.span, [], [], op);
  code.body.push({ ...nothing, latency: selection.target.limits.groupProductLatency ?? 0, product: { cycles: 0, gap: 0, commits: true } });
}

function made(selection: Selection, code: BlockCode, op: Op, opcode: string, file: Register["file"], uses: readonly Register[]): Register {
  const register = selection.newRegister(file);
  code.body.push(selection.instruction(opcode, op.span, [register], uses));
  return register;
}

/** A descriptor in two uniform registers. */
function uniformPair(selection: Selection, code: BlockCode, op: Op, descriptor: Op): Register[] {
  const high = highHalf(descriptor);
  const at = outsideLoop(selection, code, descriptor);
  const low = uniformWords(selection, at, descriptor);
  if (isConstant(descriptor)) return [0, 1].map(() => made(selection, at, op, "UMOV", "UR", []));
  if (low.every(({ file }) => file === "UR")) return high === undefined ? [...low] : [...low, made(selection, at, op, "UMOV", "UR", [])];
  const pair = [...low];
  // Made elsewhere, it is kept as a word; before a loop, as two.
  if (high !== undefined && selection.shape.home(descriptor) !== code.block && at === code)
    pair.push(made(selection, at, op, "IMAD.MOV", "R", low));
  if (high !== undefined) pair.push(made(selection, at, op, "IMAD.MOV", "R", []));
  return [0, 1].map(() => made(selection, code, op, "R2UR", "UR", pair));
}

/** Before a loop of one block, what makes a descriptor that is the same in each turn stands in front of it. */
function outsideLoop(selection: Selection, code: BlockCode, descriptor: Op): BlockCode {
  const { block } = code;
  const { shape } = selection;
  const [before, ...others] = block.predecessors.filter((each) => each !== block);
  if (!before || others.length > 0 || shape.loopOf(block)?.blocks.size !== 1) return code;
  const pending = [descriptor];
  for (let op = pending.pop(); op; op = pending.pop()) {
    if (shape.home(op) !== block || isLeaf(op)) continue;
    if (!selection.absorption.makesDescriptor(op)) return code;
    pending.push(...op.args);
  }
  return selection.codeOf(before);
}

/** What products of a block have made of descriptors so far. */
const madeIn = new WeakMap<BlockCode, Map<Op, readonly Register[]>>();

/** Computes what makes a descriptor, on the uniform datapath; what is known of its upper half costs nothing. */
function uniformWords(selection: Selection, code: BlockCode, op: Op): readonly Register[] {
  if (!selection.absorption.makesDescriptor(op)) return selection.use(op, code.block);
  const known = madeIn.get(code) ?? new Map<Op, readonly Register[]>();
  madeIn.set(code, known);
  const before = known.get(op);
  if (before) return before;
  let words: readonly Register[] = op.args.flatMap((arg) => uniformWords(selection, code, arg));
  for (const opcode of uniformOpcodes(op)) {
    const instruction: Instruction = selection.instruction(opcode, op.span, [selection.newRegister("UR")], words);
    code.body.push(instruction);
    words = instruction.defs;
  }
  known.set(op, words);
  return words;
}

function uniformOpcodes(op: Op): readonly string[] {
  const { action, args } = op;
  const [, b] = args;
  if (action.kind === "gep") {
    const index = intConstant(b);
    if (index !== undefined) return index * action.scale + action.offset === 0 ? [] : ["UIADD3"];
    return action.offset === 0 ? ["ULEA"] : ["ULEA", "UIADD3"];
  }
  if (action.kind !== "int") return [];
  const low = b && lowHalf(b);
  switch (action.op) {
    case "add":
    case "sub":
      // From a pointer into the shared window to what counts from its start.
      if (Math.abs(intConstant(b) ?? 0) === sharedBase) return [];
      return op.type === "i64" && highHalf(op) === undefined ? ["UIADD3", "UIADD3.X"] : ["UIADD3"];
    case "and":
      return low === -1 ? [] : ["ULOP3"];
    case "or":
    case "xor":
      return low === 0 ? [] : ["ULOP3"];
    case "mul":
      return ["UIMAD"];
    default:
      return op.type === "i64" && highHalf(op) === undefined ? ["USHF", "USHF"] : ["USHF"];
  }
}
