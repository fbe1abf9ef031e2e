import { expect, test } from "vitest";
import { balanced } from "./balance.ts";
import type { Instruction, Register } from "./machine.ts";
import { opcodeInfo } from "./opcodes.ts";

const span = { file: 0, line: 1, start: 0, end: 0 };
let next = 0;
const register = (file: Register["file"] = "R"): Register => ({ id: next++, file, words: 1 });
const instruction = (opcode: string, uses = 2, flags = 0): Instruction => ({
  opcode,
  ...opcodeInfo(opcode),
  span,
  defs: [register()],
  uses: [...Array.from({ length: uses }, () => register()), ...Array.from({ length: flags }, () => register("P"))],
});
const times = (count: number, opcode: string, uses?: number, flags?: number): Instruction[] =>
  Array.from({ length: count }, () => instruction(opcode, uses, flags));
const count = (code: readonly Instruction[], opcode: string): number => balanced(code).filter((each) => each.opcode === opcode).length;

test.each([
  ["half of the sums, where there is nothing else", times(8, "IADD3"), "IMAD.IADD", 4],
  ["none where as much is multiplied", [...times(8, "IADD3"), ...times(8, "IMAD")], "IMAD.IADD", 0],
  ["none where floats are", [...times(8, "IADD3"), ...times(16, "FFMA")], "IMAD.IADD", 0],
  ["all where the rest cannot", [...times(4, "IADD3"), ...times(20, "LOP3")], "IMAD.IADD", 4],
  ["none of three operands", times(8, "IADD3", 3), "IMAD.IADD", 0],
  ["none that carries", times(8, "IADD3", 2, 1), "IMAD.IADD", 0],
  ["moves", times(8, "MOV", 1), "IMAD.MOV", 4],
  ["no shift to the right", times(8, "SHF", 1), "IMAD.SHL", 0],
  ["nothing of one", times(1, "IADD3"), "IMAD.IADD", 0],
])("%s", (_, code, opcode, expected) => {
  expect(count(code, opcode)).toBe(expected);
});
