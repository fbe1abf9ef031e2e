import { expect, test } from "vitest";
import type { Op } from "../../ir/kernel.ts";
import { parseKernel } from "../../ir/text.ts";
import { verifyKernel } from "../../ir/verify.ts";
import { Work } from "../../work.ts";
import { interpret } from "../testing/interpret.ts";
import { sinkIntoBranches, sinkToUse } from "./sink.ts";

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

/** `v = [value]; [entry] if (tid < 4) { [first] if (tid < 2) out[tid] = v; } [join] if (tid < 1) out[tid] = [last]; ` */
const nested = (
  value: string,
  parts: { readonly entry?: string; readonly first?: string; readonly last?: string },
): string => `kernel @nested(%a: ptr i32, %out: ptr i32) {
b0:
  %1: ptr = param 0
  %2: ptr = param 1
  %3: i32 = special tid.x
  %4: i32 = const 4
  %5: i32 = const 2
  %6: ptr = gep %1, %3, scale 4, offset 0
  %10: ptr = gep %2, %3, scale 4, offset 0
  ${value}
  ${parts.entry ?? ""}
  %11: i1 = icmp.slt %3, %4
  branch %11, b1, b3
b1:
  ${parts.first ?? ""}
  %12: i1 = icmp.slt %3, %5
  branch %12, b2, b3
b2:
  ${parts.last === undefined ? "store.global %10, %9, align 4" : ""}
  jump b3
b3:
  %13: i1 = icmp.eq %3, %5
  branch %13, b4, b5
b4:
  ${parts.last ?? ""}
  jump b5
b5:
  return
}
`;

test.each<[what: string, value: string, parts: Parameters<typeof nested>[1], block: number]>([
  ["a load goes on into the branch of a branch", "%9: i32 = load.global %6, align 4", {}, 2],
  ["past a write it does not", "%9: i32 = load.global %6, align 4", { first: "store.global %10, %4, align 4" }, 1],
  ["nor past where ways meet", "%9: i32 = load.global %6, align 4", { last: "store.global %10, %9, align 4" }, 0],
  ["arithmetic does", "%9: i32 = mul %3, %3", { last: "store.global %10, %9, align 4" }, 4],
  ["what two blocks use stays", "%9: i32 = mul %3, %3", { first: "store.global %10, %9, align 4" }, 0],
])("%s", (_, value, parts, block) => {
  const [before, sunk] = [parseKernel(nested(value, parts)), parseKernel(nested(value, parts))];
  sinkToUse(sunk, new Work());
  expect(verifyKernel(sunk)).toEqual([]);
  const isValue = ({ action }: Op): boolean => action.kind === "load" || (action.kind === "int" && action.op === "mul");
  expect(sunk.blocks.findIndex(({ ops }) => ops.some(isValue))).toBe(block);
  expect(interpret(sunk, [4096, 1 << 20]).memory).toEqual(interpret(before, [4096, 1 << 20]).memory);
});

test("a chain of any length goes whole, in time that grows with it", () => {
  const chain = Array.from({ length: 20_000 }, (_, k) => `%${20 + k}: i32 = mul %${k === 0 ? 3 : 19 + k}, %5`).join("\n  ");
  const sunk = parseKernel(nested(`${chain}\n  %9: i32 = mul %20019, %5`, {}));
  const work = new Work();
  sinkToUse(sunk, work);
  expect(sunk.blocks[2]?.ops.length).toBeGreaterThan(20_000);
  expect(work.spent).toBeLessThan(400_000);
});
