import { expect, test } from "vitest";
import type { Block, Op } from "../ir/kernel.ts";
import type { Instruction, MachineBlock, MachineKernel, Register } from "./machine.ts";
import { loadsUnderWay } from "./overtaken-stores.ts";

/** Of code such as `load 1`, `sum 1`, `store`, in the order it is issued in, the loads under way at each store; `program`: what its block has. */
function underWay(issued: readonly string[], program: readonly string[] = issued): string[] {
  const registers = new Map<string, Register>();
  const register = (name: string): Register => {
    const known = registers.get(name) ?? { id: registers.size, file: "R", words: 1 };
    registers.set(name, known);
    return known;
  };
  const ops = new Map(issued.map((text, id) => [text, { id } as Op]));
  const instructions = issued.map((text) => {
    const [kind, name = ""] = text.split(" ");
    const opcode = { load: "LDG.E", store: "STG.E", sum: "FADD" }[kind!];
    const [defs, uses] = kind === "load" ? [[register(name)], []] : [[], [register(name)]];
    return { opcode, op: ops.get(text), defs, uses } as unknown as Instruction;
  });
  const block = { ops: program.map((text) => ops.get(text)) } as Block;
  const blocks = new Map<Block, MachineBlock>([[block, { block, instructions }]]);
  const textOf = (op: Op): string => issued[op.id]!;
  return [...loadsUnderWay({ blocks } as unknown as MachineKernel)].flatMap(([store, loads]) =>
    loads.map((load) => `${textOf(store)}: ${textOf(load)}`),
  );
}

test.each([
  ["waited for", ["load a", "sum a", "store x"], undefined, []],
  ["waited for by the store", ["load a", "store a"], undefined, []],
  ["not waited for", ["load a", "store x"], undefined, ["store x: load a"]],
  ["issued ahead", ["load a", "sum a", "load b", "store x"], ["load a", "sum a", "store x", "load b"], ["store x: load b"]],
  ["of another block, under a predicate", ["load a", "store x"], ["store x"], []],
  ["issued behind one that was waited for", ["load a", "load b", "sum a", "store x"], undefined, []],
  ["back before one that was waited for", ["load a", "load b", "sum b", "store x"], undefined, []],
  ["issued behind", ["store x", "load a"], undefined, []],
] as const)("a load that is %s", (_, issued, program, expected) => {
  expect(underWay(issued, program)).toEqual(expected);
});
