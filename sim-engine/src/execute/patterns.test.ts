import { describe, expect, test } from "vitest";
import type { Launch } from "../ir/kernel.ts";
import { parseKernel } from "../ir/text.ts";
import { Work } from "../work.ts";
import { compile } from "./compile.ts";
import { Runner } from "./run.ts";

/** A load at a place that lines make of what a thread is: its transactions in the first block, of blocks of so many columns and rows. */
function transactions(lines: string, [columns, rows]: readonly [number, number], allLanes: boolean): number {
  const kernel = parseKernel(`kernel @k(%out: ptr f32) {
entry:
  %out: ptr = param 0
  %tx: i32 = special tid.x
  %bx: i32 = special ctaid.x
  %c2: i32 = const 2
  %c4: i32 = const 4
  %c16: i32 = const 16
  %c32: i32 = const 32
  %c48: i32 = const 48
  %c64: i32 = const 64
  %l48: i64 = const 48
  %x0: i32 = mul %bx, %c16
  %x1: i32 = add %x0, %tx
  %x: i32 = sub %x1, %c48
${lines}
  %p: ptr = gep %out, %q, scale 128, offset 4096
  %v: f32 = load.global %p, align 4 !20
  return
}`);
  const launch: Launch = {
    grid: [4, 1, 1],
    block: [columns, rows, 1],
    dynamicSharedBytes: 0,
    arguments: [{ kind: "pointer", buffer: 0, offset: 0 }],
    buffers: [{ name: "out", bytes: 65536, element: "f32", content: { kind: "zero" } }],
  };
  const program = compile(kernel, launch, { allLanes });
  new Runner(program, new Work(1e6)).runBlock([0, 0, 0]);
  return [...program.counters.values()].flat().reduce((sum, counter) => sum + counter.transactions, 0);
}

describe("what the first lane tells of the others", () => {
  test.each<[what: string, lines: string, block: readonly [number, number]]>([
    ["the number of the warp", "%q: i32 = udiv %tx, %c32", [256, 1]],
    ["of every other warp", "%q: i32 = udiv %tx, %c64", [256, 1]],
    ["a row that is negative for the first warps", "%w: i32 = sdiv %tx, %c32\n  %m: i32 = sub %w, %c4\n  %q: i32 = sdiv %m, %c2", [256, 1]],
    ["a choice by the warp", "%w: i32 = udiv %tx, %c32\n  %is: i1 = icmp.ult %w, %c4\n  %q: i32 = select %is, %c2, %w", [256, 1]],
    ["a long that is divided towards 0", "%l: i64 = sext %x\n  %q: i64 = sdiv %l, %l48", [16, 16]],
    ["its rest", "%l: i64 = sext %x\n  %q: i64 = srem %l, %l48", [16, 16]],
  ])("%s", (_, lines, block) => {
    expect(transactions(lines, block, false)).toBe(transactions(lines, block, true));
  });

  test("factors that grow beyond all numbers end", () => {
    const squares = Array.from({ length: 8 }, (_, k) => `%s${k + 1}: i32 = mul %s${k}, %s${k}`).join("\n  ");
    const lines = `%s0: i32 = mul %bx, %c64\n  ${squares}\n  %r: i32 = lshr %s8, %c2\n  %q: i32 = and %r, %c2`;
    expect(transactions(lines, [32, 1], false)).toBe(1);
  });
});
