import { expect, test } from "vitest";
import { parseKernel } from "../ir/text.ts";
import { Work } from "../work.ts";
import { select } from "./select.ts";

/** What the code has of a vote, and of the atomic, of `atomic` at one address, in a block behind `condition`. */
function code(atomic: string, { condition = "%5: i1 = icmp.slt %3, %1", used = false } = {}): string[] {
  const kernel = parseKernel(`kernel @sums(%counter: ptr i32, %out: ptr i32, %v: i32) {
b0:
  %1: i32 = special tid.x
  %2: i32 = const 0
  %3: i32 = const 4
  %11: i32 = const 1
  %12: i32 = param 2
  %13: ptr = param 0
  %14: ptr = param 1
  %15: ptr = gep %14, %1, scale 4, offset 0
  ${condition}
  branch %5, b1, b2
b1:
  %20: i32 = load.global %15, align 4
  %21: i32 = ${atomic}
  ${used ? "store.global %15, %21, align 4" : ""}
  jump b2
b2:
  return
}`);
  const opcodes = [...select(kernel, 90, new Work()).blocks.values()].flatMap(({ instructions }) =>
    instructions.map(({ opcode }) => opcode),
  );
  return opcodes.filter((opcode) => /^(VOTEU|U?FLO|POPC|REDUX|SHFL|RED|ATOM)/.test(opcode)).sort();
}

// nvcc 13.0 for 9.0, each probed: cuobjdump.
test.each([
  ["a sum of ones", "atomic.global.device.add %13, %11", {}, ["POPC", "RED", "UFLO", "VOTEU"]],
  ["what was there before", "atomic.global.device.add %13, %12", { used: true }, ["ATOMG", "FLO", "POPC", "POPC", "SHFL", "VOTEU"]],
  ["a sum of each lane's own", "atomic.global.device.add %13, %20", {}, ["RED", "REDUX", "UFLO", "VOTEU"]],
  ["the greatest", "atomic.global.device.max.s %13, %20", {}, ["RED", "REDUX", "UFLO", "VOTEU"]],
])("one lane makes it for all: %s", (_, atomic, how, expected) => {
  expect(code(atomic, how)).toEqual(expected);
});

test.each([
  ["a sum of each lane's own that asks what was there", "atomic.global.device.add %13, %20", { used: true }, ["ATOMG"]],
  ["logic that asks what was there", "atomic.global.device.or %13, %12", { used: true }, ["ATOMG"]],
  ["the first thread's", "atomic.global.device.add %13, %12", { condition: "%5: i1 = icmp.eq %1, %2" }, ["RED"]],
  ["at places of their own", "atomic.global.device.add %15, %12", {}, ["RED"]],
])("each lane makes its own: %s", (_, atomic, how, expected) => {
  expect(code(atomic, how)).toEqual(expected);
});
