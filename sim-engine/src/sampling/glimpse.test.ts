/** Beginnings of blocks that are too long to be run. */
import { expect, test } from "vitest";
import { compile } from "../execute/compile.ts";
import { reference } from "../gpus/model.ts";
import type { Launch } from "../ir/kernel.ts";
import { parseKernel } from "../ir/text.ts";
import { numberSites, Observer } from "../observe/observer.ts";
import { Work } from "../work.ts";
import { glimpse } from "./glimpse.ts";

const walk = parseKernel(`kernel @walk(%a: ptr f32, %turns: i32) {
entry:
  %a: ptr = param 0
  %turns: i32 = param 1
  %tx: i32 = special tid.x
  %bx: i32 = special ctaid.x
  %zero: i32 = const 0
  %one: i32 = const 1
  %size: i32 = const 32
  %first: i32 = mul %bx, %size
  jump loop
loop:
  %k: i32 = phi [%zero, entry], [%k2, loop]
  %row: i32 = mul %k, %size
  %i: i32 = add %row, %tx
  %j: i32 = add %i, %first
  %p: ptr = gep %a, %j, scale 4
  %v: f32 = load.global %p, align 4, volatile !3
  %k2: i32 = add %k, %one
  %more: i1 = icmp.slt %k2, %turns
  branch %more, loop, done
done:
  return
}`);

const launch = (turns: number): Launch => ({
  grid: [4, 3, 1],
  block: [32, 1, 1],
  dynamicSharedBytes: 0,
  arguments: [
    { kind: "pointer", buffer: 0, offset: 0 },
    { kind: "scalar", value: turns },
  ],
  buffers: [{ name: "a", bytes: 1 << 30, element: "f32", content: { kind: "unknown" } }],
});

function logsOf(turns: number, blocks: readonly number[]) {
  const program = compile(walk, launch(turns));
  const sites = numberSites(program, new Set());
  const seen = glimpse(program, blocks, (runner) => new Observer(runner, sites, reference.values), new Work());
  return seen.map(({ log }) => ({ block: log.block, requests: log.requests, first: log.sectors[0] ?? 0 }));
}

test("a block that goes on and on is left, and the next begins where it begins", () => {
  const logs = logsOf(1e6, [1, 6, 0]);
  expect(logs.map(({ block }) => block)).toEqual([1, 6, 0]);
  for (const { requests } of logs) {
    expect(requests).toBeGreaterThan(100);
    expect(requests).toBeLessThan(100_000);
  }
  const [one, six, none] = logs.map(({ first }) => first);
  // Four sectors a block, in the order of x: the second block, the third of the second row, the first.
  expect((one ?? 0) - (none ?? 0)).toBe(4);
  expect((six ?? 0) - (none ?? 0)).toBe(8);
});

test("one that is short is run whole", () => {
  expect(logsOf(3, [2]).map(({ requests }) => requests)).toEqual([3]);
});
