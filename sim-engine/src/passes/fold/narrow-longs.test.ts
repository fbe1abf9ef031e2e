import { expect, test } from "vitest";
import { parseKernel, printKernel } from "../../ir/text.ts";
import { verifyKernel } from "../../ir/verify.ts";
import { Work } from "../../work.ts";
import { removeDeadCode } from "./dce.ts";
import { narrowLongs } from "./narrow-longs.ts";

const kernel = (body: string): string => `kernel @k(%n: i64, %y: ptr i64, %s: i32) {
b0:
  %1: i64 = param 0
  %2: ptr = param 1
  %3: i64 = const 1
  %4: i64 = const 0
  %5: i32 = const 2
  %6: i64 = const 384
  jump b1
b1:
${body}
b2:
  return
}
`;

/** Widths of the operations of the loop that are left, in order. */
function widths(body: string): string {
  const made = parseKernel(kernel(body));
  narrowLongs(made, new Work());
  removeDeadCode(made, new Work());
  expect(verifyKernel(made)).toEqual([]);
  const loop = printKernel(made).split("jump")[1] ?? "";
  return [...loop.matchAll(/: (i32|i64) = (\w+)/g)].map(([, type, action]) => `${action} ${type}`).join(", ");
}

const store = (value: string) => `  store.global %2, ${value}, align 4`;

test.each([
  [
    "the stage of a pipeline and its place",
    `  %10: i64 = phi [%4, b0], [%12, b1]
  %11: i64 = add %10, %3
  %12: i64 = and %11, %3
  %13: i64 = mul %12, %6
  %14: i32 = trunc %13
${store("%14")}
  %15: i1 = icmp.ne %1, %4
  branch %15, b1, b2`,
    "phi i32, add i32, and i32, mul i32",
  ],
  [
    "nothing of a counter that is compared",
    `  %10: i64 = phi [%4, b0], [%11, b1]
  %11: i64 = add %10, %3
  %14: i32 = trunc %10
${store("%14")}
  %15: i1 = icmp.ult %11, %1
  branch %15, b1, b2`,
    "phi i64, add i64, trunc i32",
  ],
  [
    "nothing of what is shifted right",
    `  %10: i64 = add %1, %3
  %11: i64 = lshr %10, %5
  %14: i32 = trunc %11
${store("%14")}
  %15: i1 = icmp.ne %1, %4
  branch %15, b1, b2`,
    "add i64, lshr i64, trunc i32",
  ],
  [
    "what a mask leaves, extended for who reads all of it",
    `  %10: i64 = add %1, %3
  %11: i64 = and %10, %6
  %12: i64 = lshr %11, %5
${store("%12")}
  %15: i1 = icmp.ne %1, %4
  branch %15, b1, b2`,
    "add i32, and i32, zext i64, lshr i64",
  ],
])("%s", (_, body, expected) => {
  expect(widths(body)).toBe(expected);
});

test("a mask in the block that constants stand in: they are there once", () => {
  const made = parseKernel(`kernel @k(%n: i64, %y: ptr i64) {
b0:
  %1: i64 = param 0
  %2: ptr = param 1
  %3: i64 = const 1
  %4: i64 = const 262143
  %5: i64 = add %1, %3
  %6: i64 = and %5, %4
  store.global %2, %6, align 8
  return
}
`);
  expect(narrowLongs(made, new Work())).toBe(true);
  expect(verifyKernel(made)).toEqual([]);
  const ops = made.blocks.flatMap((block) => block.ops);
  expect(new Set(ops).size).toBe(ops.length);
  expect(printKernel(made)).toMatch(/: i32 = const 262143/);
});
