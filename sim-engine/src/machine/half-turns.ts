/**
 * Arithmetic on halves by either of two pipes (8.0, 9.0): the one that multiplies integers, and one beside it (`HFMA2.MMA`), which takes whole
 * words, no half of a word for both. ptxas lets every other one that can go there (33 of 66 in four chains): each pipe takes two cycles
 * (h200-register-reads.tsv).
 */
import { isConstant } from "../ir/constants.ts";
import type { Op } from "../ir/kernel.ts";
import type { HalfPairs } from "./half-pairs.ts";
import type { Instruction } from "./machine.ts";
import { opcodeInfo } from "./opcodes.ts";

const heavy = "fmaheavy";
const beside = "HFMA2.MMA";

/** The instructions of a block in their order, those on halves by turns. */
export function byTurns(instructions: readonly Instruction[], pairs: Pick<HalfPairs, "of">): readonly Instruction[] {
  let isOther = false;
  return instructions.map((instruction) => {
    const { opcode, op } = instruction;
    // What makes a half a float goes the same way.
    if (opcode === "HADD2.F32") return { ...instruction, pipe: heavy };
    if (op === undefined || !/^H(ADD|MUL|FMA)2$/.test(opcode)) return instruction;
    const mayTurn = isWhole(op, pairs);
    if (mayTurn) isOther = !isOther;
    return mayTurn && isOther ? { ...instruction, opcode: beside, ...opcodeInfo(beside) } : { ...instruction, pipe: heavy };
  });
}

/** Whether both halves of each operand are read, each for its own half of the result. */
function isWhole(op: Op, pairs: Pick<HalfPairs, "of">): boolean {
  const pair = pairs.of(op);
  return pair?.low.args.every((arg, index) => isConstant(arg) || arg !== pair.high.args[index]) === true;
}
