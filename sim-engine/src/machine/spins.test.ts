import { expect, test } from "vitest";
import type { Op } from "../ir/kernel.ts";
import { parseKernel } from "../ir/text.ts";
import { Work } from "../work.ts";
import { select } from "./select.ts";
import { withSpins } from "./spins.ts";

/** The instructions from BSSY to BSYNC of a sum in shared memory. */
function sum(type: string, scale: number, turns: number): string[] {
  const kernel = parseKernel(`kernel @sums(%values: ptr const ${type}) shared 4096 {
entry:
  %values: ptr = param 0
  %lane: i32 = special tid.x
  %p: ptr = gep %values, %lane, scale ${scale}
  %v: ${type} = load.global %p, align ${scale}
  %base: ptr = special shared.dynamic
  %w: ptr = gep %base, %lane, scale ${scale}
  %old: ${type} = atomic.shared.device.add %w, %v
  return
}`);
  const op = kernel.blocks.flatMap(({ ops }) => ops).find(({ action }) => action.kind === "atomic") as Op;
  const machine = withSpins(select(kernel, 90, new Work()), new Map([[op, turns]]));
  const opcodes = [...machine.blocks.values()].flatMap(({ instructions }) => instructions.map(({ opcode }) => opcode));
  const from = opcodes.indexOf("BSSY");
  return opcodes.slice(from, opcodes.lastIndexOf("BSYNC") + 1);
}

const turn = ["LDS", "FADD", "ATOMS.CAST.SPIN", "ISETP", "BRA", "BSYNC"];

test.each([
  ["f32", 4, 1, ["BSSY", ...turn]],
  ["f32", 4, 3, ["BSSY", ...turn, ...turn, ...turn]],
  ["f32", 4, 1.4, ["BSSY", ...turn]],
  ["i64", 8, 1, ["BSSY", "LDS.64", "IADD3", "IMAD.X", "ATOMS.CAST.SPIN.64", "ISETP", "ISETP", "BRA", "BSYNC"]],
  ["f64", 8, 1, ["BSSY", "LDS.64", "DADD", "ATOMS.CAST.SPIN.64", "ISETP", "ISETP", "BRA", "BSYNC"]],
])("a sum of %s is written out as nvcc 13.0 has it, once for each turn", (type, scale, turns, expected) => {
  expect(sum(type, scale, turns)).toEqual(expected);
});
