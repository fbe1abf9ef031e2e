import { expect, test } from "vitest";
import type { Instruction, Register } from "./machine.ts";
import { opcodeInfo } from "./opcodes.ts";
import { sinkPastBranches } from "./sink.ts";

const span = { file: 0, line: 1, start: 0, end: 0 };
const registers = new Map<string, Register>();
const register = (name: string): Register => {
  const known = registers.get(name) ?? { id: registers.size, file: name.startsWith("P") ? "P" : "R", words: 1 };
  registers.set(name, known);
  return known;
};

/** `opcode results <- operands`, a line each. */
const code = (text: string): Instruction[] =>
  text
    .trim()
    .split("\n")
    .map((line) => {
      const [opcode = "", defs = "", uses = ""] = /^(\S+) ?(.*?) <- ?(.*)$/.exec(line.trim())?.slice(1) ?? [];
      const names = (list: string): Register[] => list.split(" ").filter(Boolean).map(register);
      return { opcode, ...opcodeInfo(opcode), span, defs: names(defs), uses: names(uses) };
    });

const opcodes = (sunk: readonly Instruction[]): string => sunk.map(({ opcode }) => opcode).join(" ");

test.each([
  ["a constant first read behind the branch", "LDC a <- \nBRA <- P\nFADD c <- a", "BRA LDC FADD"],
  ["a constant read before it, too", "LDC a <- \nSTG.E <- a\nBRA <- P\nFADD c <- a", "LDC STG.E BRA FADD"],
  ["a sum whose operand is read behind the branch anyway", "IADD3 n <- p\nBRA <- P\nLDG.E v <- p", "BRA IADD3 LDG.E"],
  ["a sum that ends its operand", "IADD3 n <- p\nBRA <- P\nFADD c <- n", "IADD3 BRA FADD"],
  ["a load, whatever else reads its address", "LDG.E v <- p\nBRA <- P\nFADD c <- v p", "BRA LDG.E FADD"],
  ["no load past a store", "LDG.E v <- p\nBRA <- P\nSTG.E <- q\nBRA <- P\nFADD c <- v", "BRA LDG.E STG.E BRA FADD"],
  [
    "an operand that is written anew",
    "IADD3 n <- p\nBRA <- P\nSTG.E <- p\nS2R p <- \nBRA <- P\nFADD c <- n p",
    "BRA IADD3 STG.E S2R BRA FADD",
  ],
  ["no branch inside the block", "LDC a <- \nFADD b <- a\nBRA <- P", "LDC FADD BRA"],
  ["no load past a fence", "LDG.E v <- p\nBRA <- P\nFENCE <- \nBRA <- P\nFADD c <- v", "BRA LDG.E FENCE BRA FADD"],
])("%s", (_, text, expected) => {
  expect(opcodes(sinkPastBranches(code(text), true))).toBe(expected);
});

test("loads of a kernel without another block stay, and arithmetic does not", () => {
  const text = "LDG.E v <- p\nLDC a <- \nBRA <- P\nFADD c <- v a";
  expect(opcodes(sinkPastBranches(code(text), false))).toBe("LDG.E BRA LDC FADD");
});
