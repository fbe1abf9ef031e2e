import { describe, expect, test } from "vitest";
import { createBlock } from "../ir/builder.ts";
import type { Kernel } from "../ir/kernel.ts";
import { Work } from "../work.ts";
import { recomputableRegisters, reloadableRegisters } from "./liveness.ts";
import type { Instruction, MachineBlock, Register } from "./machine.ts";
import { opcodeInfo } from "./opcodes.ts";
import { Pressure } from "./pressure.ts";
import { allocate } from "./registers.ts";
import { targetOf } from "./target.ts";
import { blockValues } from "./values.ts";

const span = { file: 0, line: 1, start: 0, end: 0 };
const register = (id: number, words: Register["words"] = 1, file: Register["file"] = "R"): Register => ({ id, file, words });
const instruction = (opcode: string, defs: readonly Register[], uses: readonly Register[] = []): Instruction => ({
  opcode,
  ...opcodeInfo(opcode),
  span,
  defs,
  uses,
});

const emptyKernel = (): Kernel => ({
  name: "k",
  templateArguments: [],
  files: ["k.cu"],
  parameters: [],
  shared: [],
  globals: [],
  blocks: [],
  nextId: 0,
});

function straight(instructions: readonly Instruction[]): Pressure {
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
  const block = createBlock(kernel);
  const blocks = new Map<typeof block, MachineBlock>([[block, { block, instructions }]]);
  return new Pressure(kernel, blocks, new Work());
}

/** `count` loads, each added to a sum before the next. */
function sumOfLoads(count: number): Instruction[] {
  const address = register(0, 2);
  const sum = register(1);
  const code = [instruction("LDC.64", [address]), instruction("IMAD.MOV", [sum])];
  for (let index = 0; index < count; index++) {
    const loaded = register(2 + index);
    code.push(instruction("LDG.E", [loaded], [address]), instruction("FADD", [sum], [sum, loaded]));
  }
  code.push(instruction("STG.E", [], [address, sum]));
  return code;
}

describe("registers live at once", () => {
  test("loads are issued ahead as far as registers go", () => {
    const pressure = straight(sumOfLoads(40));
    expect(pressure.within(250).words).toBe(43);
    expect(pressure.within(29).words).toBeLessThanOrEqual(29);
    expect(pressure.within(29).words).toBeGreaterThan(20);
  });

  test("where nothing fits, live ranges are as short as they can be", () => {
    expect(straight(sumOfLoads(40)).within(0).words).toBe(4);
  });

  test("registers of other files do not count", () => {
    const uniform = register(0, 2, "UR");
    expect(straight([instruction("ULDC.64", [uniform]), instruction("LDG.E", [register(1)], [uniform])]).within(29).words).toBe(1);
  });
});

describe("code for rare operands", () => {
  const [a, b, quotient, loaded, reciprocal, rest] = [0, 1, 2, 3, 4, 5].map((id) => register(id)) as [
    Register,
    Register,
    Register,
    Register,
    Register,
    Register,
  ];
  const address = register(6, 2);
  const divide = (callee: number): Instruction[] => [
    instruction("MUFU.RCP", [reciprocal], [b]),
    { ...instruction("BRA", [rest], [reciprocal, a, b]), callee },
    instruction("BSYNC", [quotient], [rest]),
  ];

  test("a function called takes its registers beside what is live across the call", () => {
    const code = [instruction("MOV", [a]), instruction("MOV", [b]), ...divide(20), instruction("STG.E", [], [address, quotient])];
    expect(straight(code).within(250)).toMatchObject({ atCalls: 22 });
  });

  test("nothing moves past the branch to it", () => {
    const code = [...divide(8), instruction("LDG.E", [loaded], [address]), instruction("STG.E", [], [address, quotient, loaded])];
    const order = [...straight(code).within(250).code.values()].flat().map(({ opcode }) => opcode);
    expect(order.indexOf("LDG.E")).toBeGreaterThan(order.indexOf("BRA"));
  });
});

test("what comes from the constant bank takes registers only where it is read, when it is loaded anew", () => {
  const pointer = register(0, 2);
  const through = register(1, 2);
  const code = [instruction("STG.E", [], [pointer])];
  const { into } = blockValues(code, new Set([through]), new Set(), new Set([pointer, through]));
  expect([...into]).toEqual([
    { index: expect.any(Number), words: 0, reloaded: 2 },
    { index: expect.any(Number), words: 0, reloaded: 2 },
  ]);
});

test.each([
  [[instruction("LDC.64", [register(0, 2)])], 1],
  [[instruction("S2R", [register(0)])], 0],
  [[instruction("IMAD.WIDE", [register(0, 2)], [register(1)])], 0],
])("%j: %d registers that can be loaded anew", (code, count) => {
  expect(reloadableRegisters([code], new Set()).size).toBe(count);
});

test("what a few instructions make of the thread's index need not be kept through a loop that does not read it", () => {
  const [thread, row, place, sum, loaded] = [register(0), register(1), register(2), register(3), register(4)];
  const code = [
    instruction("S2R", [thread]),
    instruction("SHF.R.U32.HI", [row], [thread]),
    instruction("LEA", [place], [row, register(9, 1, "UR")]),
    instruction("LDG.E", [loaded], [register(5, 2)]),
    instruction("IADD3", [sum], [loaded, place]),
  ];
  const recomputable = recomputableRegisters([code], new Set());
  expect(recomputable).toEqual(new Set([thread, row, place]));
  expect(recomputableRegisters([code], new Set([thread]))).toEqual(new Set());
  const loop = [instruction("FADD", [register(6)], [register(7)])];
  const kept = (again: ReadonlySet<Register>) => [...blockValues(loop, new Set([row, place, sum]), new Set(), new Set(), again).into];
  const words = (values: readonly { readonly words: number }[]) => values.reduce((all, value) => all + value.words, 0);
  expect(words(kept(new Set())) - words(kept(recomputable))).toBe(2);
});

test.each([
  ["LDG.E.128", "FADD", 8, 128],
  ["LDG.E.128", "FADD", 4, 0],
  // The stores may meet the next loads, which wait for them however many registers there are.
  ["LDG.E.128", "STG.E.128", 8, 0],
  ["LDS.128", "FADD", 16, Number.POSITIVE_INFINITY],
  ["LDS.128", "FADD", 8, 0],
  ["LDS.64", "FADD", 16, 0],
])("%s read by %s, %d of them in 20 registers, starve below %d", (opcode, reader, count, starvedBelow) => {
  const address = register(0, 2);
  const code = Array.from({ length: count }, (_, index) => {
    const quad = register(1 + index, 4);
    return [instruction(opcode, [quad], [address]), instruction(reader, reader === "FADD" ? [register(100 + index)] : [], [address, quad])];
  });
  expect(straight(code.flat()).within(20).starvedBelow).toBe(starvedBelow);
});

test.each([
  [undefined, { value: 32, low: 24, high: 40 }],
  [24, { value: 24, low: 18, high: 24 }],
])("a sum of 40 loads with at most %s registers", (maxRegisters, expected) => {
  const kernel: Kernel = { ...emptyKernel(), ...(maxRegisters === undefined ? {} : { maxRegisters }) };
  const block = createBlock(kernel);
  const blocks = new Map<typeof block, MachineBlock>([[block, { block, instructions: sumOfLoads(40) }]]);
  expect(allocate(kernel, blocks, targetOf(90), new Work()).registers).toEqual(expected);
});

test.each([
  [undefined, 10, undefined],
  [24, 10, undefined],
  [24, 60, 24],
])("with at most %s registers, %d values needed twice", (maxRegisters, count, value) => {
  const kernel: Kernel = { ...emptyKernel(), ...(maxRegisters === undefined ? {} : { maxRegisters }) };
  const block = createBlock(kernel);
  const values = Array.from({ length: count }, (_, index) => register(2 + index));
  const [address, sum] = [register(0, 2), register(1)];
  const code = [
    ...values.map((each) => instruction("LDG.E", [each], [address])),
    ...[...values, ...values].map((each) => instruction("FADD", [sum], [sum, each])),
    instruction("STG.E", [], [address, sum]),
  ];
  const { registers } = allocate(kernel, new Map([[block, { block, instructions: code }]]), targetOf(90), new Work());
  // More than it may have is told.
  expect([registers.wanted === undefined ? undefined : registers.value, (registers.wanted ?? count) >= count]).toEqual([value, true]);
});

test("a register holds a value of its own between writes", () => {
  const sum = register(0);
  const other = register(1);
  const code = [instruction("FADD", [other], [sum]), instruction("FADD", [sum], [other])];
  const { into, out, of } = blockValues(code, new Set([sum]), new Set());
  expect(into.size).toBe(1);
  expect([...out]).toEqual(of[1]?.makes);
  expect(out.has(of[0]?.reads[0] as never)).toBe(false);
});

test("a write under a predicate keeps what the register held", () => {
  const sum = register(0);
  const code = [{ ...instruction("FADD", [sum], [sum]), predicated: true as const }];
  const { into, out } = blockValues(code, new Set([sum]), new Set([sum]));
  expect([...into]).toEqual([...out]);
});

test.each([
  [90, [32, 40, 48, 56, 64, 72, 80, 96, 128, 168, 255]],
  [86, [40, 48, 56, 64, 72, 80, 96, 128, 168, 255]],
  [75, [64, 72, 80, 96, 128, 168, 255]],
])("registers that cost a warp on compute capability %d", (computeCapability, steps) => {
  expect(targetOf(computeCapability).registerSteps).toEqual(steps);
});

test("where no step is left, little more is taken than the code cannot do without", () => {
  const kernel = emptyKernel();
  const block = createBlock(kernel);
  const values = Array.from({ length: 190 }, (_, index) => register(2 + index));
  const [address, sum] = [register(0, 2), register(1)];
  const code = [
    ...values.map((each) => instruction("LDG.E", [each], [address])),
    ...[...values, ...values].map((each) => instruction("FADD", [sum], [sum, each])),
    instruction("STG.E", [], [address, sum]),
  ];
  const { registers } = allocate(kernel, new Map([[block, { block, instructions: code }]]), targetOf(90), new Work());
  expect(registers.value).toBeGreaterThan(195);
  expect(registers.value).toBeLessThan(225);
});

/** A tile of four sums in steps: two loads of shared memory each, and two of the next tile's. */
function tile(count: number): Instruction[] {
  const [shared, far] = [register(0), register(1, 2)];
  const sums = [0, 1, 2, 3].map((k) => register(10 + k));
  const next = [register(20, 4), register(21, 4)];
  const code = [instruction("LDC", [shared]), instruction("LDC.64", [far]), ...sums.map((sum) => instruction("IMAD.MOV", [sum]))];
  for (const each of next) code.push(instruction("LDG.E.128", [each], [far]));
  for (let k = 0; k < count; k++) {
    const [a, b] = [register(100 + k), register(200 + k)];
    code.push(instruction("LDS", [a], [shared]), instruction("LDS", [b], [shared]));
    for (const sum of sums) code.push(instruction("FFMA", [sum], [a, b, sum]));
  }
  for (const each of next) code.push(instruction("STS.128", [], [shared, each]));
  return [...code, instruction("STG.E", [], [far, ...sums])];
}

test("registers are chosen with all loads of shared memory ahead that have room; in them these go ahead by steps", () => {
  const ahead = (code: readonly Instruction[] | undefined): number =>
    (code ?? [])
      .slice(
        0,
        code?.findIndex(({ opcode }) => opcode === "FFMA"),
      )
      .filter(({ opcode }) => opcode === "LDS").length;
  const kernel = emptyKernel();
  const block = createBlock(kernel);
  const blocks = new Map<typeof block, MachineBlock>([[block, { block, instructions: tile(24) }]]);
  const { registers, blocks: code } = allocate(kernel, blocks, targetOf(90), new Work());
  const pressure = new Pressure(kernel, blocks, new Work());
  const words = registers.value - 2;
  const chosenBy = ahead(pressure.fitting(words)?.code.get(block));
  expect(ahead(code.get(block)?.instructions)).toBe(ahead(pressure.stepwise(words)?.code.get(block)));
  expect(ahead(code.get(block)?.instructions)).toBeLessThan(chosenBy);
});
