import { expect, test } from "vitest";
import type { Block, Op } from "../ir/kernel.ts";
import type { Instruction, MachineBlock, MachineKernel } from "./machine.ts";
import { storeRuns } from "./store-runs.ts";

/** Which stores of code by blocks, opcodes in each, are of one run: their positions among all stores. */
function runsOf(...blocks: string[][]): number[][] {
  const stores: Op[] = [];
  const made = blocks.map((opcodes): [Block, MachineBlock] => {
    const block = {} as Block;
    const instructions = opcodes.map((opcode) => {
      const op = {} as Op;
      if (opcode.startsWith("ST")) stores.push(op);
      return { opcode, op } as Instruction;
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
  ["a barrier between", [["STG.E", "BAR.SYNC", "STG.E"]], []],
  ["shared memory", [["STS", "STS"]], []],
])("stores with %s", (_, blocks, expected) => {
  expect(runsOf(...blocks)).toEqual(expected);
});
