import { expect, test } from "vitest";
import type { Block, Op } from "../ir/kernel.ts";
import type { Instruction, MachineBlock, MachineKernel, Register } from "./machine.ts";
import { storeRuns } from "./store-runs.ts";

/**
 * Which stores of code by blocks, opcodes in each, are of one run: their positions among all stores. What follows an opcode are registers:
 * what a load gives, what others need.
 */
function runsOf(...blocks: string[][]): number[][] {
  const stores: Op[] = [];
  const known = new Map<string, Register>();
  const made = blocks.map((opcodes): [Block, MachineBlock] => {
    const block = {} as Block;
    const instructions = opcodes.map((text) => {
      const [opcode = "", ...names] = text.split(" ");
      const op = {} as Op;
      if (opcode.startsWith("ST")) stores.push(op);
      const registers = names.map((name) => known.get(name) ?? known.set(name, {} as Register).get(name)!);
      const [defs, uses] = opcode.startsWith("LDG")
        ? [registers, []]
        : [registers.slice(0, opcode === "FADD" ? 1 : 0), registers.slice(opcode === "FADD" ? 1 : 0)];
      return { opcode, op, defs, uses } as unknown as Instruction;
    });
    return [block, { block, instructions }];
  });
  const runs = storeRuns({ blocks: new Map(made) } as unknown as MachineKernel);
  const numbers = stores.map((store) => runs.get(store));
  return [...new Set(numbers)].flatMap((run) => (run === undefined ? [] : [[...stores.keys()].filter((at) => numbers[at] === run)]));
}
const sums = (count: number): string[] => Array<string>(count).fill("FADD");

test.each([
  ["one behind the other", [["STG.E", "STG.E", "FADD", "STG.E"]], [[0, 1, 2]]],
  ["a few instructions between", [["STG.E", ...sums(16), "STG.E"]], [[0, 1]]],
  ["many instructions between", [["STG.E", ...sums(17), "STG.E"]], []],
  ["a branch between", [["STG.E", "BRA"], ["STG.E"]], [[0, 1]]],
  [
    "a load between",
    [["STG.E", "STG.E", "LDG.E", "STG.E", "STG.E"]],
    [
      [0, 1],
      [2, 3],
    ],
  ],
  ["values of the same load", [["LDG.E a", "FADD s a", "STG.E s", "FADD t a", "STG.E t"]], [[0, 1]]],
  ["values of loads before that of the first", [["LDG.E a", "LDG.E b", "STG.E b", "STG.E a"]], [[0, 1]]],
  ["a load to wait for between", [["LDG.E a", "LDG.E b", "FADD s a", "STG.E s", "FADD t b", "STG.E t"]], []],
  ["a barrier between", [["STG.E", "BAR.SYNC", "STG.E"]], []],
  ["shared memory", [["STS", "STS"]], []],
])("stores with %s", (_, blocks, expected) => {
  expect(runsOf(...blocks)).toEqual(expected);
});
