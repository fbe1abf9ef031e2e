import { describe, expect, test } from "vitest";
import type { Kernel } from "../ir/kernel.ts";
import { Work } from "../work.ts";
import { dependences } from "./dependences.ts";
import { fillStalls } from "./fill-stalls.ts";
import { peakOf, type Straight } from "./live-words.ts";
import type { Instruction, Register } from "./machine.ts";
import { opcodeInfo } from "./opcodes.ts";
import { blockValues } from "./values.ts";

const kernel: Kernel = {
  name: "k",
  templateArguments: [],
  files: ["k.cu"],
  parameters: [],
  shared: [],
  globals: [],
  blocks: [],
  nextId: 0,
};
const span = { file: 0, line: 1, start: 0, end: 0 };
const register = (id: number): Register => ({ id, file: "R", words: 1 });

function instruction(opcode: string, defs: readonly Register[], uses: readonly Register[] = []): Instruction {
  return { opcode, ...opcodeInfo(opcode), span, defs, uses };
}

function straight(instructions: readonly Instruction[], out: readonly Register[]): Straight {
  const values = blockValues(instructions, new Set(out), new Set());
  return { nodes: dependences(kernel, instructions, values.of, new Work()), values: values.count, into: values.into, out: values.out };
}

/** Chains of sums, one after the other, each of `length` on a value of its own. */
function chains(count: number, length: number): { readonly code: Instruction[]; readonly results: Register[] } {
  const start = register(0);
  const results = Array.from({ length: count }, (_, index) => register(index + 1));
  const code = results.flatMap((sum) => [
    instruction("FADD", [sum], [start]),
    ...Array.from({ length: length - 1 }, () => instruction("FADD", [sum], [sum])),
  ]);
  return { code, results };
}

const orderOf = (nodes: readonly { readonly index: number }[]): number[] => nodes.map(({ index }) => index);

describe("stalls of an order that saves registers", () => {
  const { code, results } = chains(3, 3);
  const block = straight(code, results);

  test("chains of arithmetic are woven into one another", () => {
    expect(orderOf(fillStalls(block, block.nodes, 250, new Work()))).toEqual([0, 3, 6, 1, 4, 7, 2, 5, 8]);
  });

  test("no more of them than there are registers for", () => {
    const four = chains(4, 3);
    const tight = straight(four.code, four.results);
    const order = fillStalls(tight, tight.nodes, 3, new Work());
    expect(peakOf(tight, order).words).toBe(peakOf(tight, tight.nodes).words);
    expect(orderOf(order).slice(0, 3)).toEqual([0, 3, 1]);
  });

  test("loads stay where they are", () => {
    const loaded = register(9);
    const address = register(8);
    const { code: sums, results: made } = chains(1, 3);
    const loading = straight([...sums, instruction("LDG.E", [loaded], [address])], [...made, loaded]);
    expect(orderOf(fillStalls(loading, loading.nodes, 250, new Work()))).toEqual([0, 1, 2, 3]);
  });

  test("each instruction is issued once, behind what it waits for", () => {
    const order = orderOf(fillStalls(block, block.nodes, 3, new Work()));
    expect([...order].sort((a, b) => a - b)).toEqual(block.nodes.map(({ index }) => index));
    for (const node of block.nodes) for (const next of node.next) expect(order.indexOf(node.index)).toBeLessThan(order.indexOf(next.index));
  });
});
