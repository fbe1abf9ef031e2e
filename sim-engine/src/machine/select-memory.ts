/** Addresses, loads, stores, atomics, and what lanes exchange. */

import { intConstant, isConstant, powerOfTwo } from "../ir/constants.ts";
import { type Block, type Op, type ScalarType, type Space, scalarBytes } from "../ir/kernel.ts";
import { isLeaf, isSpinning } from "../ir/operations.ts";
import type { Register } from "./machine.ts";
import { placeOfLoad } from "./pair-constants.ts";
import { loadedWords, selectMatrixLoad } from "./select-matrix.ts";
import { selectTexture } from "./select-texture.ts";
import { type BlockCode, type Choice, isFixed, type Selection } from "./selection.ts";

export function selectAddress(selection: Selection, code: BlockCode, op: Op): Choice {
  const { action, args } = op;
  const [base, index] = args;
  if (action.kind !== "gep" || !base || !index) return [];
  const { shape } = selection;
  const constant = intConstant(index) !== undefined;
  if (shape.isNarrowPointer(op)) {
    if (constant) return [selection.isUniformValue(op) ? "UIADD3" : "IADD3"];
    if (isMasked(index)) return ["SHF"];
    const shift = powerOfTwo(action.scale);
    return [action.scale === 1 ? "IADD3" : shift === undefined ? "IMAD" : "LEA"];
  }
  if (constant) return ["IADD3", "IADD3.X"];
  const unsigned = index.action.kind === "convert" && index.action.op === "zext";
  if (index.type === "i64" && !unsigned) {
    if (action.scale === 1) return ["IADD3", "IADD3.X"];
    return powerOfTwo(Math.abs(action.scale)) === undefined ? ["IMAD.WIDE.U32", "IMAD", "IADD3"] : ["LEA", "LEA.HI.X"];
  }
  if (action.scale === 1) return ["IADD3", unsigned ? "IADD3.X" : "LEA.HI.X.SX32"];
  // An index scaled for another base in a block before: the product is kept, and only added here.
  if (hasSharedProduct(selection, code, op)) return ["LEA", "LEA.HI.X"];
  const opcodes = [unsigned ? "IMAD.WIDE.U32" : "IMAD.WIDE"];
  // One operand may come from the constant bank or the instruction: with the base from there the scale needs a register.
  return selection.target.constantOperands && isLeaf(base)
    ? { opcodes, more: [scaleRegister(selection, code, op, action.scale)] }
    : opcodes;
}

const scaleRegister = (selection: Selection, code: BlockCode, op: Op, scale: number): Register =>
  selection.leaf(`scale ${scale}`, code.block, () => {
    const register = selection.newRegister("R");
    return { register, made: [selection.instruction("HFMA2", op.span, [register], [])] };
  });

/** `(i & mask) * 4` is masked after scaling, and added to the base by the access. */
const isMasked = (index: Op): boolean => index.action.kind === "int" && index.action.op === "and" && isConstant(index.args[1]);

/** Whether an address with the same index and scale, but another base, was computed in a block that leads here. */
function hasSharedProduct(selection: Selection, code: BlockCode, op: Op): boolean {
  const { shape } = selection;
  const [base, index] = op.args;
  if (op.action.kind !== "gep" || !index || !base || isLeaf(index)) return false;
  const { scale } = op.action;
  return shape.users(index).some((other) => {
    if (other === op || other.action.kind !== "gep" || other.action.scale !== scale || other.args[0] === base || other.args[1] !== index)
      return false;
    const home = shape.home(other);
    return home !== undefined && home !== code.block && shape.tree.dominates(home, code.block) && !shape.isNarrowPointer(other);
  });
}

const width = (bytes: number): string => (bytes === 16 ? ".128" : bytes === 8 ? ".64" : bytes === 2 ? ".U16" : bytes === 1 ? ".U8" : "");

const loadOpcodes: Readonly<Record<Space, string>> = {
  global: "LDG.E",
  shared: "LDS",
  local: "LDL",
  constant: "LDC",
  param: "LDC",
  texture: "TEX.LL",
  generic: "LD.E",
};
const storeOpcodes: Readonly<Record<Space, string>> = {
  global: "STG.E",
  shared: "STS",
  local: "STL",
  constant: "STG.E",
  param: "STL",
  texture: "SUST.D.BA",
  generic: "ST.E",
};

export function selectLoad(selection: Selection, code: BlockCode, op: Op): void {
  const { action, args } = op;
  const [address] = args;
  if (action.kind !== "load" || !address || op.type === "void") return;
  if (action.space === "texture") {
    selectTexture(selection, code, op);
    return;
  }
  if (action.matrix) {
    selectMatrixLoad(selection, code, op);
    return;
  }
  const bytes = scalarBytes[op.type] * action.components;
  if (action.space === "constant" || action.space === "param") {
    selectConstantLoad(selection, code, op, bytes);
    return;
  }
  const uses = [...selection.use(address, code.block), ...descriptor(selection, code, action.space)];
  code.body.push(selection.instruction(`${loadOpcodes[action.space]}${width(bytes)}`, op.span, loadedWords(selection, op), uses, op));
}

/** At a fixed address, an operand of arithmetic, or a uniform load where that cannot take it; else a load like others. */
function selectConstantLoad(selection: Selection, code: BlockCode, op: Op, bytes: number): void {
  const fixed = isFixed(op.args[0]);
  if (fixed && selection.target.constantOperands) return;
  const opcode = `${selection.isUniformConstant(op) ? "ULDC" : "LDC"}${width(bytes)}`;
  const register = selection.define(op);
  const place = fixed ? placeOfLoad(selection.shape.kernel, op) : undefined;
  if (place) selection.constantPlaces.set(register, place);
  code.body.push(selection.instruction(opcode, op.span, [register], fixed || !op.args[0] ? [] : selection.use(op.args[0], code.block), op));
}

export function selectStore(selection: Selection, code: BlockCode, op: Op): void {
  const { action, args } = op;
  const [address, value] = args;
  if (action.kind !== "store" || !address || !value || value.type === "void") return;
  if (action.space === "texture") {
    selectTexture(selection, code, op);
    return;
  }
  const opcode = action.matrix
    ? `STSM.16.M88.${action.components}`
    : storeOpcodes[action.space] + width(scalarBytes[value.type] * action.components);
  const uses = [...selection.use(address, code.block), ...descriptor(selection, code, action.space)];
  const stored = args.slice(1);
  // A constant to store is put into a register first, but zero stands in one already; a vector needs them side by side.
  const constants = new Set(stored.filter((each) => isConstant(each) && !isZero(each)));
  for (const constant of constants) uses.push(move(selection, code, op, constant.type as ScalarType));
  for (const each of stored) uses.push(...selection.use(each, code.block));
  code.body.push(selection.instruction(opcode, op.span, [], uses, op));
}

const isZero = (op: Op): boolean => op.action.kind === "const" && Number(op.action.value) === 0;

function move(selection: Selection, code: BlockCode, op: Op, type: ScalarType): Register {
  const words = scalarBytes[type] === 8 ? 2 : 1;
  const register = selection.newRegister("R", words);
  for (let word = 0; word < words; word++) code.body.push(selection.instruction("IMAD.MOV", op.span, [register], []));
  return register;
}

/** Global accesses name a descriptor, loaded once. */
function descriptor(selection: Selection, code: BlockCode, space: Space): readonly Register[] {
  if (!selection.target.descriptors || (space !== "global" && space !== "generic")) return [];
  const { span } = code.block.ops[0] ?? { span: { file: 0, line: 0, start: 0, end: 0 } };
  return [
    selection.leaf(
      "descriptor",
      code.block,
      () => {
        const register = selection.newRegister("UR", 2);
        return { register, made: [selection.instruction("ULDC.64", span, [register], [])] };
      },
      { once: true },
    ),
  ];
}

export function selectAtomic(selection: Selection, code: BlockCode, op: Op): void {
  const { action, args } = op;
  const [address, value] = args;
  if (action.kind !== "atomic" || !address || !value || op.type === "void") return;
  const unused = selection.shape.useCount(op) === 0;
  const uses = [...selection.use(address, code.block), ...descriptor(selection, code, action.space)];
  if (isSpinning(op)) {
    selectSpin(selection, code, op, uses);
    return;
  }
  const shared = action.space === "shared";
  const opcode = shared ? "ATOMS" : unused && action.op !== "exch" && action.op !== "cas" ? "RED" : "ATOMG";
  if (!(shared && unused && counts(op)) && isUnited(selection, code.block, op)) {
    selectUnited(selection, code, op, opcode, uses);
    return;
  }
  for (const arg of args.slice(1))
    uses.push(
      ...(isConstant(arg) && !(shared && counts(op))
        ? [move(selection, code, op, arg.type as ScalarType)]
        : selection.use(arg, code.block)),
    );
  const defs = unused ? [] : [selection.define(op)];
  code.body.push(selection.instruction(shared && counts(op) ? "ATOMS.POPC.INC" : opcode, op.span, defs, uses, op));
}

/**
 * Whether one lane makes it for all that are there: of integers of 32 bits at one address, a sum of one value, or, where nobody asks what
 * was there before, anything that REDUX puts together. Not behind `threadIdx.x == 0` itself, where nvcc sees that there is one alone.
 */
function isUnited(selection: Selection, block: Block, op: Op): boolean {
  const { action, args, type } = op;
  const { shape, target } = selection;
  const [address, value] = args;
  if (action.kind !== "atomic" || type !== "i32" || !address || !value || !shape.isUniform(address) || isOfThread(block)) return false;
  if ((action.op === "add" || action.op === "sub") && shape.isUniform(value)) return true;
  return target.warpReduce && shape.useCount(op) === 0 && /^(add|sub|min\.[su]|max\.[su]|and|or|xor)$/.test(action.op);
}

/** Only the first thread comes here, by a branch that asks for nothing else. */
function isOfThread(block: Block): boolean {
  const [from, ...others] = block.predecessors;
  if (!from || others.length > 0 || from.end.kind !== "branch") return false;
  const { cond, then } = from.end;
  const [index, limit] = cond.args;
  if (cond.action.kind !== "icmp" || index?.action.kind !== "special" || index.action.register !== "tid.x") return false;
  return intConstant(limit) === 0 && cond.action.predicate === (then === block ? "eq" : "ne");
}

/** A vote tells who is there; one of them takes all values, or the one as often, to memory, and the others count on from what it finds there. */
function selectUnited(selection: Selection, code: BlockCode, op: Op, opcode: string, address: readonly Register[]): void {
  const [, value] = op.args;
  const unused = selection.shape.useCount(op) === 0;
  const alike = value !== undefined && selection.shape.isUniform(value);
  const one = intConstant(value) === 1;
  const flag = selection.newRegister("P");
  const sum = selection.newRegister("R");
  const emit = (name: string, defs: readonly Register[], uses: readonly Register[], made?: Op): void => {
    code.body.push(selection.instruction(name, op.span, defs, uses, made));
  };
  for (const name of ["S2R", "VOTEU", unused ? "UFLO" : "FLO", alike ? "POPC" : "REDUX"])
    emit(name, [sum], name === "REDUX" && value ? selection.use(value, code.block) : []);
  if (alike && !isConstant(value)) emit("IMAD", [sum], [sum, ...selection.use(value, code.block)]);
  else if (!one) emit(alike ? "IMAD" : "MOV", [sum], [sum]);
  emit("ISETP", [flag], [sum]);
  if (unused) {
    emit(opcode, [], [...address, flag, sum], op);
    return;
  }
  const found = selection.newRegister("R");
  const before = selection.newRegister("R");
  emit(opcode, [found], [...address, flag, sum], op);
  for (const name of ["S2R", "LOP3", "POPC"]) emit(name, [before], name === "S2R" ? [] : [before]);
  emit("SHFL", [found], [found]);
  emit(
    one ? "IMAD.IADD" : "IMAD",
    [selection.define(op)],
    [found, before, ...(alike && !isConstant(value) ? selection.use(value, code.block) : [])],
  );
}

/** A sum that is a loop around a compare-and-swap: one turn of it (`spins.ts` says how many there are). */
function selectSpin(selection: Selection, code: BlockCode, op: Op, address: readonly Register[]): void {
  const wide = op.type !== "f32";
  const [found, sum, done] = [selection.define(op), selection.newRegister("R", wide ? 2 : 1), selection.newRegister("R", wide ? 2 : 1)];
  const through = selection.newRegister("P");
  const value = op.args.slice(1).flatMap((arg) => selection.use(arg, code.block));
  const emit = (opcode: string, defs: readonly Register[], uses: readonly Register[], made?: Op): void => {
    const instruction = selection.instruction(opcode, op.span, defs, uses, made);
    code.body.push(opcode === "BSSY" ? instruction : { ...instruction, spin: op });
  };
  emit("BSSY", [], []);
  emit(wide ? "LDS.64" : "LDS", [found], address);
  for (const opcode of sums[op.type as "f32" | "f64" | "i64"]) emit(opcode, [sum], [found, ...value]);
  emit(wide ? "ATOMS.CAST.SPIN.64" : "ATOMS.CAST.SPIN", [done], [...address, found, sum], op);
  emit("ISETP", [through], [done]);
  if (wide) emit("ISETP", [through], [done, through]);
  emit("BRA", [], [through]);
  emit("BSYNC", [], []);
}

const sums = { f32: ["FADD"], f64: ["DADD"], i64: ["IADD3", "IMAD.X"] } as const;

/** Adding one in shared memory has an instruction of its own. */
const counts = (op: Op): boolean =>
  op.action.kind === "atomic" && op.action.op === "add" && op.type === "i32" && intConstant(op.args[1]) === 1;

/** Compute capability, times ten, from which on lanes of a warp go their ways independently. */
const independentLanes = 70;

/**
 * Where lanes meet in a loop that some of them may leave before others, as far as ptxas sees: before the first such place of a block it looks
 * whether all are there (BRA.DIV, and behind it the code for when they are not), and nothing moves past that branch.
 */
function meet(selection: Selection, code: BlockCode, op: Op): void {
  const { shape, target } = selection;
  // Before Volta the lanes of a warp were together, or masked out.
  if (target.computeCapability < independentLanes) return;
  let loop = shape.loopOf(code.block);
  while (loop && !loop.exits.some(({ from }) => shape.divergence.isDivergent(from))) loop = loop.parent;
  if (!loop || code.body.some(({ opcode }) => opcode === "BRA.DIV")) return;
  code.body.push(selection.instruction("BRA.DIV", op.span, [], []));
}

/** What lanes and blocks exchange; and the rest. */
export function selectExchange(selection: Selection, code: BlockCode, op: Op): Choice {
  const { action, args } = op;
  switch (action.kind) {
    case "copy.async":
      return { opcodes: ["LDGSTS.E"], more: descriptor(selection, code, "global") };
    case "copy.commit":
      return ["LDGDEPBAR"];
    case "copy.wait":
      return ["DEPBAR.LE"];
    case "barrier.arrive":
      return ["SYNCS.ARRIVE.TRANS64"];
    case "barrier":
      if (action.object) {
        // The clock is read for a limit that is rarely reached; who waits asks again until all have come.
        code.body.push(selection.instruction("CS2R", op.span, [selection.newRegister("R", 2)], []));
        const done = selection.newRegister("P");
        code.body.push(selection.instruction("SYNCS.PHASECHK.TRANS64.TRYWAIT", op.span, [done], [], op));
        code.body.push(selection.instruction("BRA", op.span, [], [done]));
        return [];
      }
      return action.reduce ? ["BAR.RED", "B2R.RESULT"] : ["BAR.SYNC"];
    case "syncwarp":
      return ["WARPSYNC"];
    case "fence":
      return action.scope === "block" ? ["MEMBAR"] : ["MEMBAR", "ERRBAR", "CCTL.IVALL"];
    case "shuffle": {
      meet(selection, code, op);
      const wide = op.type !== "void" && scalarBytes[op.type] === 8;
      return { opcodes: wide ? ["SHFL", "SHFL"] : ["SHFL"], operands: args.slice(1) };
    }
    case "vote":
      meet(selection, code, op);
      return ["VOTE"];
    case "match":
      meet(selection, code, op);
      return ["MATCH"];
    case "reduce":
      meet(selection, code, op);
      // Five steps of a butterfly where there is no instruction for it.
      return selection.target.warpReduce
        ? ["REDUX", "IMAD.U32"]
        : Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? "SHFL" : "IADD3"));
    case "special":
      return [action.register === "activemask" ? "VOTE" : "CS2R"];
    case "trap":
      return ["BPT.TRAP"];
    default:
      return [];
  }
}
