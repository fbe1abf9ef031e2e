import { expect, test } from "vitest";
import type { Kernel } from "../ir/kernel.ts";
import { Work } from "../work.ts";
import { dependences } from "./dependences.ts";
import type { Straight } from "./live-words.ts";
import type { Instruction, Register } from "./machine.ts";
import { opcodeInfo } from "./opcodes.ts";
import { latencyOrder } from "./schedule.ts";
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
const register = (id: number, words: Register["words"] = 1): Register => ({ id, file: "R", words });
const instruction = (opcode: string, defs: readonly Register[], uses: readonly Register[] = []): Instruction => ({
  opcode,
  ...opcodeInfo(opcode),
  span,
  defs,
  uses,
});

/** A sum of products of pairs: the first of each lies at one address, the second a pitch further each time. */
function pairs(count: number): Straight {
  const [rows, columns, sum] = [register(0, 2), register(1, 2), register(2)];
  const code: Instruction[] = [];
  for (let k = 0; k < count; k++) {
    const [a, b, at] = [register(10 + k), register(100 + k), register(200 + k, 2)];
    code.push(instruction("LDG.E.A", [a], [rows]), instruction("IADD3", [at], [k === 0 ? columns : register(199 + k, 2)]));
    code.push(instruction("LDG.E.B", [b], [at]), instruction("FFMA", [sum], [a, b, sum]));
  }
  const values = blockValues(code, new Set([sum]), new Set());
  return { nodes: dependences(kernel, code, values.of, new Work()), values: values.count, into: values.into, out: values.out };
}

const loadsIn = (block: Straight, limit: number): string =>
  latencyOrder(block, { limit, isGiven: false, isStepwise: false }, block.nodes, new Work())
    .flatMap(({ instruction: { opcode } }) => /^LDG\.E\.(.)/.exec(opcode)?.[1] ?? [])
    .join("");

test("where registers are short, loads of pairs go as they are written", () => expect(loadsIn(pairs(8), 15)).toMatch(/^AA?(BA)*B+$/));

test("where there are enough, what may go first does", () => expect(loadsIn(pairs(8), Number.POSITIVE_INFINITY)).toMatch(/^AAB/));

/** A tile in steps, two loads of shared memory and four products each, and the next tile's load. */
function steps(count: number): Straight {
  const [shared, far, tile] = [register(0), register(1, 2), register(2, 4)];
  const sums = [200, 201, 202, 203].map((id) => register(id));
  const code = [instruction("LDG.E.128", [tile], [far])];
  for (let k = 0; k < count; k++) {
    const [a, b] = [register(10 + k), register(100 + k)];
    code.push(instruction("LDS", [a], [shared]), instruction("LDS", [b], [shared]));
    for (const sum of sums) code.push(instruction("FFMA", [sum], [a, b, sum]));
  }
  code.push(instruction("STS.128", [], [shared, tile]));
  const values = blockValues(code, new Set(sums), new Set());
  return { nodes: dependences(kernel, code, values.of, new Work()), values: values.count, into: values.into, out: values.out };
}

const orderOf = (block: Straight, isGiven: boolean, isStepwise = isGiven, limit = Number.POSITIVE_INFINITY): string =>
  latencyOrder(block, { limit, isGiven, isStepwise }, block.nodes, new Work())
    .map(({ instruction: { opcode } }) => ({ LDG: "G", LDS: "L", FFM: "f", STS: "S" })[opcode.slice(0, 3)])
    .join("");

test("where the source says how many blocks there are to be, the next tile is loaded first, and shared memory a few steps ahead", () =>
  expect(orderOf(steps(12), true)).toMatch(/^GL{12}f{1,4}LL(f+LL)+f+S$/));

test("where it does not, shared memory goes ahead, and the next tile comes when little else is left", () =>
  expect(orderOf(steps(12), false)).toMatch(/^L{24}f{20,}Gf+S$/));

test("in registers that were found to do, shared memory goes a few steps ahead as well", () =>
  expect(orderOf(steps(12), false, true, 60)).toMatch(/^L{10,14}f{1,4}LL(f+LL)+f+Gf+S$/));
