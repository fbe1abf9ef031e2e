import { expect, test } from "vitest";
import { parseKernel } from "../ir/text.ts";
import { Work } from "../work.ts";
import { coveredLogic } from "./logic-trees.ts";
import { Shape } from "./shape.ts";

/** Instructions for logic on four words, of which the last values are stored; as nvcc 13.0 compiles it for 9.0. */
const instructions = (ops: string, ...stored: number[]): number => {
  const text = `kernel @k(%a: i32, %b: i32, %c: i32, %d: i32, %out: ptr i32) {
b0:
  %1: i32 = param 0
  %2: i32 = param 1
  %3: i32 = param 2
  %4: i32 = param 3
  %5: ptr = param 4
  %6: i32 = const -1
  %7: i32 = const 255
  ${ops.split("; ").join("\n  ")}
  ${stored.map((value) => `store.global %5, %${value}, align 4`).join("\n  ")}
  return
}
`;
  const kernel = parseKernel(text);
  const logic = kernel.blocks.flatMap((block) => block.ops.filter(({ action }) => action.kind === "int")).length;
  return logic - coveredLogic(new Shape(kernel, new Work())).size;
};

test.each([
  ["a ^ b ^ c", "%10: i32 = xor %1, %2; %11: i32 = xor %10, %3", [11], 1],
  ["a ^ b ^ c ^ d", "%10: i32 = xor %1, %2; %11: i32 = xor %10, %3; %12: i32 = xor %11, %4", [12], 2],
  ["(a & b) ^ (~a & c)", "%10: i32 = and %1, %2; %11: i32 = xor %1, %6; %12: i32 = and %11, %3; %13: i32 = xor %10, %12", [13], 1],
  [
    "(a & b) ^ (a & c) ^ (b & c)",
    "%10: i32 = and %1, %2; %11: i32 = and %1, %3; %12: i32 = and %2, %3; %13: i32 = xor %10, %11; %14: i32 = xor %13, %12",
    [14],
    1,
  ],
  ["(a | b) & 255", "%10: i32 = or %1, %2; %11: i32 = and %10, %7", [11], 1],
  ["a & b, wanted for itself too", "%10: i32 = and %1, %2; %11: i32 = xor %10, %3", [10, 11], 2],
  ["a & b, wanted by two trees", "%10: i32 = and %1, %2; %11: i32 = xor %10, %3; %12: i32 = or %10, %4", [11, 12], 2],
  ["a sum ends a tree", "%10: i32 = xor %1, %2; %11: i32 = add %10, %3; %12: i32 = xor %11, %4", [12], 3],
])("%s", (_, ops, stored, count) => {
  expect(instructions(ops, ...stored)).toBe(count);
});
