/**
 * Instruction selection: which SASS instructions an optimised kernel becomes, block by block. Counts, pipes and dependences are
 * what it is for; encodings are not.
 */

import { successors } from "../ir/builder.ts";
import { isConstant } from "../ir/constants.ts";
import type { Block, Kernel, Op } from "../ir/kernel.ts";
import { isLeaf } from "../ir/operations.ts";
import { Work } from "../work.ts";
import { Absorption } from "./absorb.ts";
import { loadConstantsInArms } from "./arm-constants.ts";
import { balanced } from "./balance.ts";
import type { Pair } from "./half-pairs.ts";
import type { Instruction, MachineBlock, MachineKernel, Register } from "./machine.ts";
import { type Displacement, emitMoves, shareRegisters } from "./phis.ts";
import { predicatedBlocks } from "./predicate.ts";
import { readFirst } from "./read-first.ts";
import { allocate } from "./registers.ts";
import { selectAsync } from "./select-async.ts";
import { selectControl } from "./select-control.ts";
import { selectFloat, selectMath } from "./select-float.ts";
import { selectGroup } from "./select-group.ts";
import { selectCompare, selectConversion, selectInt, selectSelect } from "./select-integer.ts";
import { selectMatrix } from "./select-matrix.ts";
import { selectAddress, selectAtomic, selectExchange, selectLoad, selectStore } from "./select-memory.ts";
import { type BlockCode, type Choice, Selection } from "./selection.ts";
import { Shape } from "./shape.ts";
import { sinkPastBranches } from "./sink.ts";
import { targetOf } from "./target.ts";

/**
 * The machine code of a kernel that `optimise` has run on, for a compute capability (90 for 9.0). Throws `Cancelled` when `work` does.
 * @param registers a thread that it may have, where they are not to be looked for
 */
export function select(kernel: Kernel, computeCapability: number, work: Work = new Work(), registers?: number): MachineKernel {
  const shape = new Shape(kernel, work);
  const target = targetOf(computeCapability);
  const selection = new Selection(shape, target, new Absorption(shape, target));
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
  return {
    kernel,
    computeCapability,
    localBytesPerThread: localBytes(kernel),
    ...allocate(kernel, assemble(selection, predicated), target, work, registers),
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

/**
 * The blocks' instructions. What predicated arms meet in goes on where they stand, without a branch between: it is one stretch of code,
 * whose loads are issued together.
 */
function assemble(selection: Selection, predicated: ReadonlyMap<Block, Block>): Map<Block, MachineBlock> {
  const { blocks: all } = selection.shape.kernel;
  const blocks = new Map<Block, MachineBlock>();
  const guests = new Map<Block, Block[]>();
  for (const block of all) {
    const home = predicated.get(block);
    if (!home) continue;
    const list = guests.get(home);
    if (list) list.push(block);
    else guests.set(home, [block]);
  }
  const balance = selection.target.balances ? balanced : (code: readonly Instruction[]): readonly Instruction[] => code;
  const joined = new Set<Block>();
  const stretch = (first: Block): Instruction[] => {
    const code: Instruction[] = [];
    for (let block: Block | undefined = first; block; ) {
      const { leaves, body, moves, end } = selection.codeOf(block);
      const arms = guests.get(block) ?? [];
      // One by one: there may be more than a call takes arguments.
      for (const part of [leaves, body]) for (const instruction of part) code.push(instruction);
      for (const arm of arms) {
        const of = selection.codeOf(arm);
        const guards = guardsOf(selection, arm);
        for (const instruction of [...of.leaves, ...of.body, ...of.moves])
          code.push({ ...instruction, uses: [...new Set([...instruction.uses, ...guards])], predicated: true, guards });
      }
      for (const part of [moves, end]) for (const instruction of part) code.push(instruction);
      block = joinOf(block, arms, end);
      if (!block) break;
      joined.add(block);
      blocks.set(block, { block, instructions: [], home: first });
    }
    return code;
  };
  for (const block of all) {
    if (joined.has(block)) continue;
    const home = predicated.get(block);
    const instructions = home ? [] : balance(sinkPastBranches(stretch(block), all.length > 1));
    blocks.set(block, { block, instructions, ...(home ? { home } : {}) });
  }
  return blocks;
}

/** The predicates that an arm's instructions run under. */
function guardsOf(selection: Selection, arm: Block): readonly Register[] {
  const [before] = arm.predecessors;
  if (before?.end.kind !== "branch" || isConstant(before.end.cond)) return [];
  return selection.use(before.end.cond, before).filter(({ file }) => file === "P");
}

/** Where the arms of a block meet, and nothing else comes to. */
function joinOf(block: Block, arms: readonly Block[], end: readonly Instruction[]): Block | undefined {
  if (arms.length === 0 || end.length > 0) return undefined;
  const from = new Set([block, ...arms]);
  const join = [...from].flatMap(successors).find((next) => !from.has(next));
  return join?.predecessors.every((each) => from.has(each)) ? join : undefined;
}

const localBytes = (kernel: Kernel): number =>
  (kernel.blocks[0]?.ops ?? []).reduce((sum, { action }) => sum + (action.kind === "alloca" ? Math.ceil(action.bytes / 8) * 8 : 0), 0);
