import { expect, test } from "vitest";
import type { Block, Op } from "../ir/kernel.ts";
import type { Instruction, MachineBlock, Register } from "./machine.ts";
import { placesIn } from "./places.ts";

/** Bursts of the operations of a block's code, such as `LDG a`, `FADD s a b`: what an instruction gives, and what it needs. */
function bursts(...code: string[]): (number | undefined)[] {
  const known = new Map<string, Register>();
  const register = (name: string): Register => known.get(name) ?? known.set(name, {} as Register).get(name)!;
  const instructions = code.map((text, id) => {
    const [opcode, ...names] = text.split(" ");
    const [def, ...uses] = names.map(register);
    return { opcode, op: { id } as Op, defs: [def], uses } as unknown as Instruction;
  });
  const block = {} as Block;
  const places = placesIn({ blocks: new Map<Block, MachineBlock>([[block, { block, instructions }]]) });
  return instructions.map(({ op }) => places.get(op!)?.burst);
}

test.each([
  ["loads without a wait", ["LDG a", "LDG b", "LDG c"], [0, 0, 0]],
  ["a load at what another gives", ["LDG a", "LDG b a"], [0, 1]],
  ["what was waited for with what came before", ["LDG a", "LDG b", "FADD s b", "LDG c a", "LDG d c"], [0, 0, 1, 1, 2]],
  ["what is there sooner than memory", ["LDG a", "MUFU m", "FADD x m", "LDG b", "FADD y a", "LDG c"], [0, 0, 1, 1, 2, 2]],
  ["what comes at a time that is known", ["FADD a", "LDG b a", "LDG c"], [0, 0, 0]],
] as const)("%s", (_, code, expected) => {
  expect(bursts(...code)).toEqual(expected);
});
