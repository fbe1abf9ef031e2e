/** How fast a scheduler's instructions take their pipes, and, given how many they read, their registers, against what was measured on an H200 (register-reads.py, pipe-members.py). */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { findGpu } from "../../src/gpus/model.ts";
import type { Op } from "../../src/ir/kernel.ts";
import { byTurns } from "../../src/machine/half-turns.ts";
import type { Instruction } from "../../src/machine/machine.ts";
import { opcodeInfo } from "../../src/machine/opcodes.ts";
import { replay } from "../../src/timing/replay.ts";
import { TimedProgram } from "../../src/timing/testing/program.ts";
import { Work } from "../../src/work.ts";

const { values } = findGpu("h200")!;

/** By kind: the opcode, and the registers that it reads of three, of two and of one place. */
const kinds: Readonly<Record<string, readonly [opcode: string, three: number, two: number, one: number]>> = {
  ffma: ["FFMA", 3, 2, 1],
  fadd: ["FADD", 2, 1, 1],
  fmul: ["FMUL", 2, 1, 1],
  imad: ["IMAD", 3, 2, 1],
  iadd3: ["IADD3", 3, 2, 1],
  lop3: ["LOP3", 3, 2, 1],
  shf: ["SHF", 3, 2, 1],
  dfma: ["DFMA", 6, 4, 2],
  hmma: ["HMMA.16816.F32", 10, 10, 10],
  "hadd2.f32": ["HADD2.F32", 1, 1, 1],
  f2fp: ["F2FP", 1, 1, 1],
  hfma2: ["HFMA2", 3, 2, 1],
  hadd2: ["HADD2", 2, 1, 1],
  hmul2: ["HMUL2", 2, 1, 1],
  "hfma2.mma": ["HFMA2.MMA", 3, 2, 1],
};

type Part = readonly [count: number, opcode: string, registers: number];

/** `2ffma_one+hadd2.f32_two`; undefined of kinds that are not in the table, and of operands that are kept. */
function partsOf(name: string): readonly Part[] | undefined {
  const parts = name.split("+").map((part): Part | undefined => {
    const [, count, kind = "", way] = /^(\d*)([a-z].*)_(three|two|one)$/.exec(part) ?? [];
    const [opcode, three = 0, two = 0, one = 0] = kinds[kind] ?? [];
    return opcode === undefined ? undefined : [Number(count) || 1, opcode, way === "three" ? three : way === "two" ? two : one];
  });
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

/** As it is for 9.0; halves are not of whole words. */
function asSelected(opcode: string): Instruction {
  const written: Instruction = {
    opcode,
    ...opcodeInfo(opcode),
    span: { file: 0, line: 1, start: 0, end: 0 },
    op: {} as Op,
    defs: [],
    uses: [],
  };
  return byTurns([written], { of: () => undefined })[0]!;
}

/** Cycles an instruction, of one warp's 240. */
function cyclesOf(parts: readonly Part[]): number {
  const program = new TimedProgram();
  const turn = parts.flatMap(([count, opcode, operands]) => Array.from({ length: count }, () => ({ opcode, operands })));
  for (let k = 0; k < 240; k++) {
    const { opcode, operands } = turn[k % turn.length]!;
    const { pipe, work, integerWork } = asSelected(opcode);
    program.instructions.push({ pipe, latency: 4, uses: [], defs: [program.register()], kind: "compute", work, integerWork, operands });
  }
  const of = (times: number): number => replay(program.launch(1, 32, { times }), values, new Work())!.cycles;
  return (of(11) - of(10)) / 240;
}

/** Cycles an instruction with eight warps on the scheduler. */
const measured = (file: string): readonly (readonly [name: string, cycles: number])[] =>
  readFileSync(new URL(file, import.meta.url), "utf8")
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => {
      const [name = "", , , , ofEight] = line.split("\t");
      return [name, Number(ofEight)];
    });

const rows = measured("h200-register-reads.tsv").flatMap(([name, cycles]) => {
  const parts = partsOf(name);
  return parts ? [{ name, parts, measured: cycles }] : [];
});

/**
 * Which bank each register is in is not told here: where the registers of two by turns fall together, three and two of them take as long as three
 * and three. Neither are matrix products that come sooner than five floats after each other, which wait for more than their registers.
 */
const within = (name: string): number => (/^[23]?ffma_\w+\+hmma/.test(name) ? 0.4 : 0.2);
const banks = /^ffma_three\+fadd_two$/;
/** Halves take both halves of the float pipe, and are counted in one: that is seen beside every other float. */
const whole = /^2?ffma_\w+\+h(fma2|add2|mul2)_/;

describe("a scheduler's instructions by their registers and pipes", () => {
  test.each(rows.filter(({ name }) => !banks.test(name) && !whole.test(name)))("$name", ({ name, parts, measured }) =>
    expect(Math.abs(cyclesOf(parts) / measured - 1)).toBeLessThan(within(name)),
  );
  test("on average", () => {
    const errors = rows.filter(({ name }) => !whole.test(name)).map(({ parts, measured }) => Math.abs(cyclesOf(parts) / measured - 1));
    expect(errors.reduce((sum, error) => sum + error, 0) / errors.length).toBeLessThan(0.06);
  });
});

// Shuffles and what is like them wait for the SM's data path.
const members = measured("h200-pipe-members.tsv").filter(([name]) => !/SHFL|REDUX/.test(name));

describe("the pipe of each instruction", () => {
  test.each(members)("%s: %f cycles", (name, cycles) => {
    const parts = name.split("+").map((opcode): Part => [1, opcode, 1]);
    expect(Math.abs(cyclesOf(parts) / cycles - 1)).toBeLessThan(0.1);
  });
});
