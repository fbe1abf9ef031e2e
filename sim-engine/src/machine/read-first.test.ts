import { expect, test } from "vitest";
import type { Block, Op } from "../ir/kernel.ts";
import { parseKernel } from "../ir/text.ts";
import { Work } from "../work.ts";
import { readFirst } from "./read-first.ts";

const body = (text: string): Block =>
  parseKernel(`kernel @k(%a: ptr f32) {
entry:
  %a: ptr = param 0
  %x: f32 = load.global %a, align 4
${text}
  return
}`).blocks[0] as Block;

/** Operations by their place in the block, in the order they come in if the load in line 2 takes the register of the one in line 1. */
function order(text: string, isPartOfOther: (op: Op) => boolean = () => false): number[] {
  const block = body(text);
  const onLine = (line: number): Op => block.ops.find(({ span }) => span.line === line)!;
  const inOrder = readFirst(block, [{ value: onLine(1), by: onLine(2) }], isPartOfOther, new Work());
  return inOrder.map(({ span }) => span.line).filter((line) => line > 0);
}

test.each([
  [
    "what reads the value comes first",
    `  %v: f32 = load.global %a, align 4 !1
  %n: f32 = load.global %a, align 4 !2
  %w: f32 = fadd %v, %v !3
  store.global %a, %w, align 4 !4`,
    [1, 3, 2, 4],
  ],
  [
    "with what it is computed from",
    `  %v: f32 = load.global %a, align 4 !1
  %n: f32 = load.global %a, align 4 !2
  %z: f32 = fadd %x, %x !3
  %w: f32 = fadd %v, %z !4
  store.global %a, %w, align 4 !5`,
    [1, 3, 4, 2, 5],
  ],
  [
    "not where that waits for memory",
    `  %v: f32 = load.global %a, align 4 !1
  %n: f32 = load.global %a, align 4 !2
  %z: f32 = load.global %a, align 4 !3
  %w: f32 = fadd %v, %z !4
  store.global %a, %w, align 4 !5`,
    [1, 2, 3, 4, 5],
  ],
  [
    "not where it needs the one that takes the register",
    `  %v: f32 = load.global %a, align 4 !1
  %n: f32 = load.global %a, align 4 !2
  %w: f32 = fadd %v, %n !3
  store.global %a, %w, align 4 !4`,
    [1, 2, 3, 4],
  ],
])("%s", (_, text, expected) => {
  expect(order(text)).toEqual(expected);
});

test("what another operation's instruction does is read by that one", () => {
  const text = `  %v: f32 = load.global %a, align 4 !1
  %n: f32 = load.global %a, align 4 !2
  %m: f32 = fmul %v, %x !3
  %w: f32 = fadd %m, %x !4
  store.global %a, %w, align 4 !5`;
  expect(order(text, ({ span }) => span.line === 3)).toEqual([1, 3, 4, 2, 5]);
});
