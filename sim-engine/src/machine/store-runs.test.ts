import { expect, test } from "vitest";
import type { Block, Op } from "../ir/kernel.ts";
import type { Instruction, MachineBlock, MachineKernel, Register } from "./machine.ts";
import { type InRun, storeRuns } from "./store-runs.ts";

/**
 * The runs of stores in code by blocks, store by store. What follows an opcode are registers: what a load gives, what a sum gives and needs,
 * what others need.
 */
function runsIn(...blocks: string[][]): (InRun | undefined)[] {
  const stores: Op[] = [];
  const known = new Map<string, Register>();
  const register = (name: string): Register => known.get(name) ?? known.set(name, {} as Register).get(name)!;
  const made = blocks.map((opcodes): [Block, MachineBlock] => {
    const block = {} as Block;
    const instructions = opcodes.map((text) => {
      const [opcode = "", ...names] = text.split(" ");
      const op = {} as Op;
      if (opcode.startsWith("ST")) stores.push(op);
      const given = /^(LDG|FADD)/.test(opcode) ? 1 : 0;
      return { opcode, op, defs: names.slice(0, given).map(register), uses: names.slice(given).map(register) } as unknown as Instruction;
    });
    return [block, { block, instructions }];
  });
  const runs = storeRuns({ blocks: new Map(made) } as unknown as MachineKernel);
  return stores.map((store) => runs.get(store));
}

/** Which stores are of one run: their positions among all stores. */
function runsOf(...blocks: string[][]): number[][] {
  const numbers = runsIn(...blocks).map((store) => store?.run);
  return [...new Set(numbers)].flatMap((run) => (run === undefined ? [] : [[...numbers.keys()].filter((at) => numbers[at] === run)]));
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

test.each([
  ["values of the same load", ["LDG.E a", "FADD s a", "STG.E s", "FADD t a", "STG.E t"], [false, false]],
  ["values of loads before that of the first", ["LDG.E a", "LDG.E b", "STG.E b", "STG.E a"], [false, false]],
  ["values of one load after the other", ["LDG.E a", "LDG.E b", "FADD s a", "STG.E s", "FADD t b", "STG.E t"], [false, true]],
] as const)("which of a run's stores wait for a load, of %s", (_, code, awaits) => {
  expect(runsIn([...code]).map((store) => store?.awaits)).toEqual(awaits);
});
