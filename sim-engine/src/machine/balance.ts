/**
 * Integer arithmetic by either of two pipes: ptxas lets the one that multiplies add, move and shift as well (`IMAD.IADD`, `IMAD.SHL`; a one
 * that is added under a condition is a sum and a move under a predicate) where the other one has more to do.
 */
import { isConstant } from "../ir/constants.ts";
import type { Instruction } from "./machine.ts";
import { opcodeInfo } from "./opcodes.ts";

/** Cycles that a pipe of half a warp's width is busy with an instruction; one that multiplies and adds floats goes to either of two. */
const narrow = 2;
const either = 1;

/** The instructions of a block in their order, with as many by the other pipe as make both end at the same time. */
export function balanced(instructions: readonly Instruction[]): readonly Instruction[] {
  let busy = 0;
  let other = 0;
  for (const { pipe } of instructions) {
    if (pipe === "alu") busy += narrow;
    else if (pipe === "fmaheavy") other += narrow;
    else if (pipe === "fma") other += either;
  }
  if (busy < other + 2 * narrow) return instructions;
  const choices = instructions.filter((each) => otherWay(each) !== undefined).length;
  let due = Math.min(choices, Math.floor((busy - other) / (2 * narrow)));
  return instructions.map((instruction) => {
    const opcode = due > 0 ? otherWay(instruction) : undefined;
    if (opcode === undefined) return instruction;
    due--;
    return { ...instruction, opcode, ...opcodeInfo(opcode) };
  });
}

/** What does the same where the multiplier is. */
function otherWay({ opcode, op, uses, defs }: Instruction): string | undefined {
  const words = [...uses, ...defs];
  if (words.some(({ file, words: count }) => file === "P" || count > 1) && opcode !== "SEL") return undefined;
  switch (opcode) {
    case "IADD3":
      // Of three operands one would be left over.
      return uses.filter(({ file }) => file === "R" || file === "UR").length <= 2 ? "IMAD.IADD" : undefined;
    case "MOV":
      return "IMAD.MOV";
    case "SHF":
      return op?.action.kind === "int" && op.action.op === "shl" && isConstant(op.args[1]) ? "IMAD.SHL" : undefined;
    case "SEL":
      return op?.action.kind === "convert" ? "IMAD.MOV" : undefined;
    default:
      return undefined;
  }
}
