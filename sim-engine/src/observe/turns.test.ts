/** How many places blocks take turns at, as addresses tell it. */
import { expect, test } from "vitest";
import type { Op } from "../ir/kernel.ts";
import { parseKernel } from "../ir/text.ts";
import { turnsOf } from "./turns.ts";

const constantOf = ({ action }: Op): number | undefined => (action.kind === "const" ? Number(action.value) : undefined);

/** The turns of what `%place` is an index of. */
function turnsIn(place: string): number | undefined {
  const { blocks } = parseKernel(`kernel @k(%data: ptr i32) {
entry:
  %data: ptr = param 0
  %tx: i32 = special tid.x
  %bx: i32 = special ctaid.x
  %n: i32 = const 24
  %mask: i32 = const 7
  %size: i32 = const 256
  ${place}
  %p: ptr = gep %data, %place, scale 4
  store.global %p, %tx, align 4
  return
}`);
  const store = blocks[0]!.ops.find(({ action }) => action.kind === "store")!;
  return turnsOf(store.args[0]!, constantOf);
}

test.each([
  ["a copy of the block's", "%c: i32 = urem %bx, %n\n%b: i32 = mul %c, %size\n%place: i32 = add %b, %tx", 24],
  ["the same by a mask", "%c: i32 = and %bx, %mask\n%place: i32 = mul %c, %size", 8],
  ["the thread's", "%place: i32 = urem %tx, %n", undefined],
  ["all over memory", "%b: i32 = mul %bx, %size\n%place: i32 = add %b, %tx", undefined],
])("%s", (_, place, turns) => {
  expect(turnsIn(place)).toBe(turns);
});
