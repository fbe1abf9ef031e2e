/**
 * Instruction selection: which SASS instructions an optimised kernel becomes, block by block. Counts, pipes and dependences are
 * what it is for; encodings are not.
 */

import { isConstant } from "../ir/constants.ts";
import type { Block, Kernel, Op } from "../ir/kernel.ts";
import { isLeaf } from "../ir/operations.ts";
import { Work } from "../work.ts";
import { loadConstantsInArms } from "./arm-constants.ts";
import { balanced } from "./balance.ts";
import type { Pair } from "./half-pairs.ts";
import { byTurns } from "./half-turns.ts";
import type { Instruction, MachineBlock, MachineKernel, Register } from "./machine.ts";
import { pairConstants } from "./pair-constants.ts";
import { type Displacement, emitMoves, shareRegisters } from "./phis.ts";
import { predicatedBlocks } from "./predicate.ts";
import { readFirst } from "./read-first.ts";
import { allocate } from "./registers.ts";
import { selectAsync } from "./select-async.ts";
import { printedBytes, selectCall } from "./select-call.ts";
import { selectControl } from "./select-control.ts";
import { selectFloat, selectMath } from "./select-float.ts";
import { selectGroup } from "./select-group.ts";
import { selectCompare, selectConversion, selectInt, selectSelect } from "./select-integer.ts";
import { selectMatrix } from "./select-matrix.ts";
import { selectAddress, selectAtomic, selectExchange, selectLoad, selectStore } from "./select-memory.ts";
import { type BlockCode, type Choice, Selection } from "./selection.ts";
import { Shape } from "./shape.ts";
import { shareAddresses } from "./share-addresses.ts";
import { sinkPastBranches } from "./sink.ts";
import { type Stretch, stretchesOf } from "./stretches.ts";
import { targetOf } from "./target.ts";

/**
 * The machine code of a kernel that `optimise` has run on, for a compute capability (90 for 9.0). Throws `Cancelled` when `work` does.
 * Places in the kernel that arms share are moved before them (`shareAddresses`), which changes nothing of what it computes.
 * @param registers a thread that it may have, where they are not to be looked for
 */
export function select(kernel: Kernel, computeCapability: number, work: Work = new Work(), registers?: number): MachineKernel {
  const shape = new Shape(kernel, work);
  const target = targetOf(computeCapability);
  const selection = new Selection(shape, target);
  const displacements = new Map<Block | undefined, Displacement[]>();
  for (const each of shareRegisters(selection)) {
    const home = shape.home(each.by);
    displacements.set(home, [...(displacements.get(home) ?? []), each]);
  }
  prologue(selection);
  for (const block of kernel.blocks) {
    const code = selection.codeOf(block);
    for (const op of readFirst(block, displacements.get(block) ?? [], (part) => selection.absorption.has(part), work)) {
      work.ask(4);
      selectOp(selection, code, op);
    }
    if (block.end.kind === "branch" && !isConstant(block.end.cond)) selection.use(block.end.cond, block);
  }
  emitMoves(selection);
  const predicated = predicatedBlocks(selection);
  loadConstantsInArms(selection, predicated);
  selectControl(selection, predicated);
  const stretches = stretchesOf(selection, predicated);
  if (shareAddresses(kernel, stretches, work)) return select(kernel, computeCapability, work, registers);
  return {
    kernel,
    computeCapability,
    localBytesPerThread: localBytes(kernel),
    ...allocate(kernel, assemble(selection, stretches), target, work, registers),
  };
}

/** The stack pointer is loaded whether or not there is a stack. */
function prologue(selection: Selection): void {
  const entry = selection.shape.kernel.blocks[0];
  if (!entry) return;
  const code = selection.codeOf(entry);
  const { constantOperands } = selection.target;
  const span = selection.shape.kernel.shared[0]?.span ??
    entry.ops.find((op) => isLeaf(op) && op.span.line > 0)?.span ?? { file: 0, line: 0, start: 0, end: 0 };
  const stack = selection.newRegister("R");
  code.leaves.push(selection.instruction(constantOperands ? "IMAD.MOV" : "LDC", span, [stack], []));
  if (localBytes(selection.shape.kernel) > 0) code.leaves.push(selection.instruction("IADD3", span, [stack], [stack]));
}

function selectOp(selection: Selection, code: BlockCode, op: Op): void {
  if (isLeaf(op) || selection.absorption.has(op)) return;
  const { pairs } = selection.absorption;
  const word = pairs.ofWord(op);
  if (word) {
    selection.alias(op, selection.define(word));
    return;
  }
  switch (op.action.kind) {
    case "texel":
      // The access does it.
      break;
    case "matrix":
      selectMatrix(selection, code, op);
      break;
    case "wgmma":
    case "wgmma.fence":
    case "wgmma.commit":
    case "wgmma.wait":
      selectGroup(selection, code, op);
      break;
    case "load":
      selectLoad(selection, code, op);
      break;
    case "store":
      selectStore(selection, code, op);
      break;
    case "atomic":
      selectAtomic(selection, code, op);
      break;
    case "call":
      selectCall(selection, code, op);
      break;
    default:
      selection.emit(code, op, withOtherHalf(choose(selection, code, op), pairs.of(op)));
  }
}

/** Of a pair, the operands of both. */
const withOtherHalf = (choice: Choice, pair: Pair | undefined): Choice =>
  pair ? { ...("opcodes" in choice ? choice : { opcodes: choice }), operands: [...pair.low.args, ...pair.high.args] } : choice;

function choose(selection: Selection, code: BlockCode, op: Op): Choice {
  switch (op.action.kind) {
    case "alloca":
    case "unknown":
    case "phi":
    case "extract":
      return [];
    case "int":
      return selectInt(selection, code, op);
    case "icmp":
    case "fcmp":
      return selectCompare(selection, op);
    case "select":
      return selectSelect(selection, op);
    case "convert":
      return selectConversion(selection, op);
    case "float":
    case "fma":
      return selectFloat(selection, code, op);
    case "math":
      return selectMath(selection, op);
    case "gep":
      return selectAddress(selection, code, op);
    case "mbarrier":
    case "mbarrier.wait":
    case "copy.bulk":
    case "bulk.commit":
    case "bulk.wait":
      return selectAsync(selection, code, op);
    default:
      return selectExchange(selection, code, op);
  }
}

/** The blocks' instructions, by the stretches of code that they stand in. */
function assemble(selection: Selection, all: readonly Stretch[]): Map<Block, MachineBlock> {
  const balance = selection.target.balances ? balanced : (code: readonly Instruction[]): readonly Instruction[] => code;
  const { pairs } = selection.absorption;
  const share = selection.target.sharesHalves
    ? (code: readonly Instruction[]): readonly Instruction[] => byTurns(code, pairs)
    : (code: readonly Instruction[]): readonly Instruction[] => code;
  const loadedInPairs = (code: Instruction[]): Instruction[] => pairConstants(code, (register) => selection.constantPlaces.get(register));
  const isAlone = selection.shape.kernel.blocks.length === 1;
  const blocks = new Map<Block, MachineBlock>();
  for (const stretch of all) {
    const [first, ...others] = stretch.flatMap(({ block, arms }) => [block, ...arms]) as [Block, ...Block[]];
    blocks.set(first, {
      block: first,
      instructions: share(balance(sinkPastBranches(loadedInPairs(codeOf(selection, stretch)), !isAlone))),
    });
    for (const block of others) blocks.set(block, { block, instructions: [], home: first });
  }
  return blocks;
}

/** The code of a stretch: each block's with its arms' between, and no branch but at the end. */
function codeOf(selection: Selection, stretch: Stretch): Instruction[] {
  const code: Instruction[] = [];
  // One by one: there may be more than a call takes arguments.
  const add = (instructions: readonly Instruction[]): void => {
    for (const instruction of instructions) code.push(instruction);
  };
  for (const { block, arms } of stretch) {
    const { leaves, body, moves, end } = selection.codeOf(block);
    const before = movesBefore(
      moves,
      arms.map((arm) => selection.codeOf(arm)),
    );
    for (const part of [leaves, body, before]) add(part);
    for (const arm of arms) {
      const of = selection.codeOf(arm);
      const guards = guardsOf(selection, arm);
      for (const instruction of [...of.leaves, ...of.body, ...of.moves])
        code.push({ ...instruction, uses: [...new Set([...instruction.uses, ...guards])], predicated: true, guards });
    }
    add(moves.filter((each) => !before.includes(each)));
    add(end);
  }
  return code;
}

/**
 * Of the moves into what arms meet in, those that come before the arms, whose own then write over them under their predicates: all but what
 * an arm still reads.
 */
function movesBefore(moves: readonly Instruction[], arms: readonly BlockCode[]): readonly Instruction[] {
  if (arms.length === 0) return [];
  const read = new Set(arms.flatMap(({ leaves, body, moves: own }) => [...leaves, ...body, ...own].flatMap(({ uses }) => uses)));
  const isFree = ({ defs }: Instruction): boolean => !defs.some((def) => read.has(def));
  return moves.every(isFree) ? moves : moves.filter((move) => move.uses.length === 0 && isFree(move));
}

/** The predicates that an arm's instructions run under. */
function guardsOf(selection: Selection, arm: Block): readonly Register[] {
  const [before] = arm.predecessors;
  if (before?.end.kind !== "branch" || isConstant(before.end.cond)) return [];
  return selection.use(before.end.cond, before).filter(({ file }) => file === "P");
}

const localBytes = (kernel: Kernel): number =>
  (kernel.blocks[0]?.ops ?? []).reduce(
    (sum, { action }) => sum + (action.kind === "alloca" ? Math.ceil(action.bytes / 8) * 8 : 0),
    printedBytes(kernel),
  );
