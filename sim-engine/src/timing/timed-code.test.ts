import { expect, test } from "vitest";
import type { Block, Kernel } from "../ir/kernel.ts";
import type { Instruction, MachineKernel, Register } from "../machine/machine.ts";
import { opcodeInfo } from "../machine/opcodes.ts";
import { timedCode } from "./timed-code.ts";

const span = { file: 0, line: 1, start: 0, end: 0 };
const register = (id: number, file: Register["file"] = "R"): Register => ({ id, file, words: 1 });
const [a, b, c, d, sum, other] = [0, 1, 2, 3, 4, 5].map((id) => register(id)) as [
  Register,
  Register,
  Register,
  Register,
  Register,
  Register,
];
const uniform = register(6, "UR");
const pair: Register = { ...register(7), words: 2 };

const code = (
  ...instructions: readonly (readonly [opcode: string, uses: readonly Register[], defs?: readonly Register[]])[]
): readonly (number | undefined)[] => {
  const block = {} as Block;
  const made = instructions.map(
    ([opcode, uses, defs = [register(9)]]): Instruction => ({ opcode, ...opcodeInfo(opcode), span, defs, uses }),
  );
  const machine = { kernel: {} as Kernel, blocks: new Map([[block, { block, instructions: made }]]) } as unknown as MachineKernel;
  return timedCode(machine, new Map(), new Map()).code[0]!.map(({ operands }) => operands);
};

test.each<[string, readonly (readonly [string, readonly Register[], (readonly Register[])?])[], readonly (number | undefined)[]]>([
  ["three registers", [["FFMA", [a, b, sum]]], [3]],
  ["one of them twice", [["FFMA", [a, a, sum]]], [2]],
  ["a uniform one is of another file", [["FFMA", [a, uniform, sum]]], [2]],
  ["both words of a wide one", [["DFMA", [pair, pair, sum]]], [3]],
  ["an address and what is stored there", [["STS.64", [a, pair]]], [3]],
  [
    "what the one before read as well is kept",
    [
      ["FFMA", [a, b, sum]],
      ["FFMA", [a, c, other]],
      ["FFMA", [d, c, sum]],
    ],
    [3, 2, 2],
  ],
  [
    "by integers, too",
    [
      ["FFMA", [a, b, sum]],
      ["LOP3", [a, b]],
      ["FFMA", [a, c, other]],
    ],
    [3, 0, 2],
  ],
  [
    "not past loads",
    [
      ["FFMA", [a, b, sum]],
      ["LDS", [a]],
      ["FFMA", [a, c, other]],
    ],
    [3, 1, 3],
  ],
  [
    "nor what is written over",
    [
      ["FFMA", [a, b, sum], [a]],
      ["FFMA", [a, b, other]],
    ],
    [3, 2],
  ],
  [
    "nor a sum as a factor",
    [
      ["FFMA", [a, b, sum]],
      ["FFMA", [sum, b, other]],
    ],
    [3, 2],
  ],
])("registers that instructions read: %s", (_, instructions, expected) => expect(code(...instructions)).toEqual(expected));
