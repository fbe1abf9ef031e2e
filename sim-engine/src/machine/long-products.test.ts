import { expect, test } from "vitest";
import { parseKernel } from "../ir/text.ts";
import { select } from "./select.ts";

/** The arithmetic of 64 bits, as nvcc 13.0 compiles it for 9.0. */
const code = (ops: string): string => {
  const isRead = (value: string): boolean => new RegExp(`${value}\\b`).test(ops);
  const text = `kernel @k(%a: ptr i64) {
b0:
  %1: ptr = param 0
  %2: i32 = special tid.x
  %3: ptr = gep %1, %2, scale 8
  %4: i64 = load.global %3, align 8
  ${isRead("%6") ? "%5: ptr = gep %3, %2, scale 0, offset 512\n%6: i64 = load.global %5, align 8" : ""}
  %7: i64 = const 1442695040888963407
  ${ops.split("; ").join("\n  ")}
  store.global %3, %20, align 8
  return
}
`;
  const { blocks } = select(parseKernel(text), 90);
  const all = [...blocks.values()].flatMap(({ instructions }) => instructions.map(({ opcode }) => opcode));
  const behind = all.slice(all.lastIndexOf("LDG.E.64") + 1, all.indexOf("STG.E.64"));
  return [...all.filter((opcode) => opcode.endsWith("MOV")), ...behind.filter((opcode) => !opcode.endsWith("MOV"))].join(" ");
};

test.each([
  ["a product", "%20: i64 = mul %4, %6", "IMAD IMAD IMAD.WIDE.U32 IADD3"],
  ["one that is added to", "%19: i64 = mul %4, %6; %20: i64 = add %19, %4", "IMAD IMAD IMAD.WIDE.U32 IADD3"],
  ["a constant", "%19: i64 = mul %4, %6; %20: i64 = add %19, %7", "IMAD.MOV MOV IMAD IMAD IMAD.WIDE.U32 IADD3"],
  [
    "of words",
    "%15: i32 = trunc %4; %16: i32 = trunc %6; %17: i64 = sext %15; %18: i64 = sext %16; %19: i64 = mul %17, %18; %20: i64 = add %19, %4",
    "IMAD.WIDE",
  ],
  [
    "of words that are wanted for themselves, too",
    "%15: i32 = trunc %4; %16: i32 = trunc %6; %17: i64 = sext %15; %18: i64 = sext %16; %14: i64 = mul %17, %18; %13: i64 = mul %17, %17; %20: i64 = add %14, %13",
    "IMAD.WIDE IMAD.WIDE",
  ],
  [
    "of a word and a constant of more than 32 bits",
    "%15: i32 = trunc %4; %17: i64 = sext %15; %18: i64 = const 4886718345; %20: i64 = mul %17, %18",
    "SHF IMAD.WIDE.U32 IMAD IADD3",
  ],
  [
    "of words that are not extended alike",
    "%15: i32 = trunc %4; %16: i32 = trunc %6; %17: i64 = sext %15; %18: i64 = zext %16; %20: i64 = mul %17, %18",
    "SHF IMAD.WIDE.U32 IMAD IADD3",
  ],
  [
    "one that is wanted for itself, too",
    "%19: i64 = mul %4, %6; %18: i64 = add %19, %4; %20: i64 = xor %18, %19",
    "IMAD IMAD IMAD.WIDE.U32 IADD3 IADD3 IADD3.X LOP3 LOP3",
  ],
])("%s", (_, ops, expected) => {
  expect(code(ops)).toBe(expected);
});
