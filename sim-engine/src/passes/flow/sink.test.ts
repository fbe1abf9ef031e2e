import { expect, test } from "vitest";
import { parseKernel } from "../../ir/text.ts";
import { verifyKernel } from "../../ir/verify.ts";
import { Work } from "../../work.ts";
import { interpret } from "../testing/interpret.ts";
import { sinkIntoBranches } from "./sink.ts";

/** `int v = a[tid] + 1; [between] if (tid < 4) out[tid] = v; [after]` */
const kernel = (between: string, after: string): string => `kernel @sunk(%a: ptr i32, %out: ptr i32) {
b0:
  %1: ptr = param 0
  %2: ptr = param 1
  %3: i32 = special tid.x
  %4: i32 = const 4
  %5: i32 = const 1
  %6: ptr = gep %1, %3, scale 4, offset 0
  %7: i32 = load.global %6, align 4
  %8: i32 = add %7, %5
  ${between}
  %9: i1 = icmp.slt %3, %4
  branch %9, b1, b2
b1:
  %10: ptr = gep %2, %3, scale 4, offset 0
  store.global %10, %8, align 4
  jump b2
b2:
  ${after}
  return
}
`;

test.each([
  ["a load goes where it is used", "", "", true],
  ["not past a write that may change it", "store.global %2, %4, align 4", "", false],
  ["not when the other way needs it too", "", "store.global %2, %7, align 4", false],
])("%s", (_, between, after, sinks) => {
  const before = parseKernel(kernel(between, after));
  const sunk = parseKernel(kernel(between, after));
  sinkIntoBranches(sunk, new Work());
  expect(verifyKernel(sunk)).toEqual([]);
  const inEntry = sunk.blocks[0]?.ops.some((op) => op.action.kind === "load");
  expect(inEntry).toBe(!sinks);
  expect(interpret(sunk, [4096, 1 << 20]).memory).toEqual(interpret(before, [4096, 1 << 20]).memory);
});
