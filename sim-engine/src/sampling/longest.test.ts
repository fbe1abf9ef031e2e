/** Warps that data lets do much more than others: rows of a sparse matrix, a thread each. */
import { expect, test } from "vitest";
import { compile } from "../execute/compile.ts";
import { warpSize } from "../execute/program.ts";
import { plainContents } from "../execute/sources.ts";
import { reference } from "../gpus/model.ts";
import type { Launch } from "../ir/kernel.ts";
import { parseKernel } from "../ir/text.ts";
import { numberSites, Observer } from "../observe/observer.ts";
import { Work } from "../work.ts";
import { type Longest, longestOf } from "./longest.ts";
import { survey } from "./survey.ts";

const rows = parseKernel(`kernel @rows(%turns: ptr i32, %data: ptr f32) {
entry:
  %turns: ptr = param 0
  %data: ptr = param 1
  %tx: i32 = special tid.x
  %bx: i32 = special ctaid.x
  %zero: i32 = const 0
  %one: i32 = const 1
  %size: i32 = const 128
  %first: i32 = mul %bx, %size
  %row: i32 = add %first, %tx
  %p: ptr = gep %turns, %row, scale 4
  %n: i32 = load.global %p, align 4
  %any: i1 = icmp.sgt %n, %zero
  branch %any, loop, done
loop:
  %k: i32 = phi [%zero, entry], [%k2, loop]
  %j: i32 = add %row, %k
  %q: ptr = gep %data, %j, scale 4
  %v: f32 = load.global %q, align 4, volatile !3
  %k2: i32 = add %k, %one
  %more: i1 = icmp.slt %k2, %n
  branch %more, loop, done
done:
  return
}`);

const blocks = 500;

const launch = (turns: readonly number[]): Launch => ({
  grid: [blocks, 1, 1],
  block: [128, 1, 1],
  dynamicSharedBytes: 0,
  arguments: [
    { kind: "pointer", buffer: 0, offset: 0 },
    { kind: "pointer", buffer: 1, offset: 0 },
  ],
  buffers: [
    { name: "turns", bytes: turns.length * 4, element: "i32", content: { kind: "values", values: turns } },
    { name: "data", bytes: 1 << 24, element: "f32", content: { kind: "unknown" } },
  ],
});

/** Rows of four, but for one. */
const hub = (row: number, turns: number): number[] => Array.from({ length: 128 * blocks }, (_, k) => (k === row ? turns : 4));

const lengthOf = (): number => 5;
const options = { contents: plainContents, lengthOf, steps: 200_000 };

function longestIn(turns: readonly number[], blockSteps: number): Longest | undefined {
  const program = compile(rows, launch(turns));
  const sites = numberSites(program, new Set());
  return longestOf(program, { ...options, blockSteps, observerOf: (runner) => new Observer(runner, sites, reference.values) }, new Work());
}

test("the longest warp of all is found, wherever it is, without a turn of its loop being run", () => {
  const work = new Work();
  const found = survey(compile(rows, launch(hub(128 * 321 + 70, 1e6))), options, work)!;
  expect(found.longest).toMatchObject({ block: 321, warp: 2 });
  expect(found.longest.issued).toBeGreaterThan(5e6);
  expect(found.isOfAll).toBe(true);
  expect(work.spent).toBeLessThan(options.steps);
});

test("of more warps than can be looked at, some from all over the grid are", () => {
  const found = survey(compile(rows, launch(hub(0, 1000))), { ...options, steps: 30_000 }, new Work())!;
  expect(found.isOfAll).toBe(false);
  expect(found.longest.block).toBe(0);
});

test("of more warps than can be looked at, the one whose loop's bound tells that it does most is found, wherever it is", () => {
  for (const row of [128 * 321 + 70, 128 * 499 + 127, 5]) {
    const found = survey(compile(rows, launch(hub(row, 1000))), { ...options, steps: 30_000 }, new Work())!;
    expect(found.longest).toMatchObject({ block: Math.floor(row / 128), warp: Math.floor((row % 128) / warpSize) });
  }
});

test("what was seen counts where others turn out to take more steps than the first did", () => {
  const turns = Array.from({ length: 128 * blocks }, (_, k) => (k < 128 * 400 ? 4 : 4 + (k % 7)));
  const found = survey(compile(rows, launch(turns)), { ...options, steps: 60_000 }, new Work());
  expect(found?.mean).toBeGreaterThan(0);
});

test("its block is run whole, or the warp alone where that is too much", () => {
  const turns = hub(128 * 321 + 70, 2000);
  const whole = longestIn(turns, 100_000)!;
  expect(whole).toMatchObject({ block: 321, isCertain: true });
  expect(whole.records).toHaveLength(128 / warpSize);
  for (let k = 0; k < 128; k += 32) turns[128 * 321 + k] = 1999;
  const part = longestIn(turns, 20_000)!;
  expect(part.isCertain).toBe(false);
  expect(part.records.map(({ warp }) => warp)).toEqual([2]);
});

test("where all do about as much nothing is told, nor where it is too much to be run", () => {
  expect(longestIn(hub(0, 5), 100_000)).toBeUndefined();
  expect(longestIn(hub(0, 1e5), 1000)).toBeUndefined();
});
