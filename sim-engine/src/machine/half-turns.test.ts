import { expect, test } from "vitest";
import type { Op } from "../ir/kernel.ts";
import { byTurns } from "./half-turns.ts";
import type { Instruction } from "./machine.ts";
import { opcodeInfo } from "./opcodes.ts";

const span = { file: 0, line: 1, start: 0, end: 0 };
const value = (args: readonly Op[] = []): Op => ({ action: { kind: "load" }, args, type: "f16", span }) as unknown as Op;

/** Products of words, or of a word and one half for both. */
function product(isBroadcast: boolean): { readonly instruction: Instruction; readonly pair: { low: Op; high: Op } } {
  const half = value();
  const pair = { low: value([value(), half]), high: value([value(), isBroadcast ? half : value()]) };
  return { pair, instruction: { opcode: "HMUL2", ...opcodeInfo("HMUL2"), span, op: pair.high, defs: [], uses: [] } };
}

test.each([
  [
    "every other one of whole words",
    [false, false, false, false],
    ["HFMA2.MMA fp16", "HMUL2 fmaheavy", "HFMA2.MMA fp16", "HMUL2 fmaheavy"],
  ],
  ["none where a half is for both", [true, true], ["HMUL2 fmaheavy", "HMUL2 fmaheavy"]],
  ["turns go on past those", [false, true, false], ["HFMA2.MMA fp16", "HMUL2 fmaheavy", "HMUL2 fmaheavy"]],
])("%s", (_, broadcasts, expected) => {
  const made = broadcasts.map(product);
  const pairs = { of: (op: Op) => made.find(({ pair }) => pair.high === op)?.pair };
  const code = byTurns(
    made.map(({ instruction }) => instruction),
    pairs,
  );
  expect(code.map(({ opcode, pipe }) => `${opcode} ${pipe}`)).toEqual(expected);
});

test("a single half, and what is no arithmetic on halves, stays as it is", () => {
  const single: Instruction = { opcode: "HADD2", ...opcodeInfo("HADD2"), span, op: value(), defs: [], uses: [] };
  const float: Instruction = { opcode: "FADD", ...opcodeInfo("FADD"), span, op: value(), defs: [], uses: [] };
  const none = { of: () => undefined };
  expect(byTurns([single, float], none).map(({ opcode, pipe }) => [opcode, pipe])).toEqual([
    ["HADD2", "fmaheavy"],
    ["FADD", "fma"],
  ]);
});
