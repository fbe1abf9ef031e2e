import { expect, test } from "vitest";
import { parseKernel } from "../ir/text.ts";
import { select } from "./select.ts";

/** The instructions for halves of words, as nvcc 13.0 compiles them. */
const code = (ops: string, computeCapability = 90): string => {
  const text = `kernel @k(%a: ptr i32, %w: i32, %x: f32, %y: f32) {
b0:
  %1: ptr = param 0
  %6: i32 = special tid.x
  %7: ptr = gep %1, %6, scale 4, offset 0
  %2: i32 = load.global %7, align 4
  %3: f32 = param 2
  %4: f32 = param 3
  %5: i32 = const 16
  ${ops.split("; ").join("\n  ")}
  return
}
`;
  const machine = select(parseKernel(text), computeCapability);
  const opcodes = [...machine.blocks.values()].flatMap(({ instructions }) => instructions.map(({ opcode }) => opcode));
  return opcodes.filter((opcode) => !/^(S2|LD|ULDC|IMAD|EXIT|STG)/.test(opcode)).join(" ");
};

const upper = "%10: i32 = lshr %2, %5; %11: i16 = trunc %10; %12: f16 = bitcast %11";
const rounded = "%20: f16 = fptrunc %3; %21: f16 = fptrunc %4";
const low = (half: number): string => `%30: i16 = bitcast %${half}; %31: i32 = zext %30`;
const high = (half: number): string => `%32: i16 = bitcast %${half}; %33: i32 = zext %32; %34: i32 = shl %33, %5`;

test.each([
  ["the upper half of a word is read where it is", `${upper}; %13: f32 = fpext %12; store.global %1, %13, align 4`, "HADD2.F32"],
  ["stored by itself it is taken out", `${upper}; store.global %1, %12, align 2`, "SHF"],
  [
    "two floats are rounded into a word",
    `${rounded}; ${low(20)}; ${high(21)}; %35: i32 = or %31, %34; store.global %1, %35, align 4`,
    "F2FP",
  ],
  ["as neighbours of a wide store, too", `${rounded}; store.global %1, %20, %21, align 4`, "F2FP"],
  [
    "one that is wanted for itself is rounded before",
    `${rounded}; ${low(20)}; ${high(21)}; %35: i32 = or %31, %34; store.global %1, %35, align 4; store.global %1, %20, align 2`,
    "F2FP F2FP PRMT",
  ],
])("%s", (_, ops, expected) => {
  expect(code(ops).split(" ").sort().join(" ")).toBe(expected);
});

test.each([
  ["one", "%20: f16 = fptrunc %3; store.global %1, %20, align 2", "F2F.F16.F32"],
  ["two", `${rounded}; store.global %1, %20, %21, align 4`, "F2F.F16.F32 F2F.F16.F32 PRMT"],
  [
    "two, into a word",
    `${rounded}; ${low(20)}; ${high(21)}; %35: i32 = or %31, %34; store.global %1, %35, align 4`,
    "F2F.F16.F32 F2F.F16.F32 PRMT",
  ],
])("before 8.0 floats are rounded one by one: %s", (_, ops, expected) => {
  // The size of a word is moved by one more.
  expect(code(ops, 75).split(" ").sort().join(" ").replace("HFMA2 ", "").replace(" HFMA2", "")).toBe(expected);
});
