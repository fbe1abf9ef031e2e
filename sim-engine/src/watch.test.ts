import { describe, expect, test } from "vitest";
import { findGpu } from "./gpus/model.ts";
import type { Launch } from "./ir/kernel.ts";
import { parseKernel } from "./ir/text.ts";
import { type WatchedPlace, watchWarp } from "./watch.ts";
import { Cancelled, Work } from "./work.ts";

const h200 = findGpu("h200");
if (!h200) throw new Error("no H200");

/** Each thread adds up `turns` numbers a row of 64 apart, those of the first `edge` threads of the grid alone. */
const kernel = parseKernel(`kernel @rows(%out: ptr f32, %in: ptr const f32, %edge: i32, %turns: i32) {
entry:
  %out: ptr = param 0
  %in: ptr = param 1
  %edge: i32 = param 2
  %turns: i32 = param 3
  %tx: i32 = special tid.x
  %bx: i32 = special ctaid.x
  %c64: i32 = const 64
  %zero: i32 = const 0
  %one: i32 = const 1
  %x0: i32 = mul %bx, %c64
  %x: i32 = add %x0, %tx
  %inside: i1 = icmp.slt %x, %edge
  branch %inside, loop, end !10
loop:
  %j: i32 = phi [%zero, entry], [%j2, loop]
  %row: i32 = mul %j, %c64
  %i: i32 = add %row, %x
  %p: ptr = gep %in, %i, scale 4
  %v: f32 = load.global %p, align 4 !20
  %q: ptr = gep %out, %i, scale 4
  store.global %q, %v, align 4 !21
  %j2: i32 = add %j, %one
  %more: i1 = icmp.slt %j2, %turns
  branch %more, loop, end !30
end:
  return
}`);

const launch = (edge: number, turns: number): Launch => ({
  grid: [4, 1, 1],
  block: [64, 1, 1],
  dynamicSharedBytes: 0,
  arguments: [
    { kind: "pointer", buffer: 0, offset: 0 },
    { kind: "pointer", buffer: 1, offset: 0 },
    { kind: "scalar", value: edge },
    { kind: "scalar", value: turns },
  ],
  buffers: [
    { name: "out", bytes: 2 ** 24, element: "f32", content: { kind: "zero" } },
    { name: "in", bytes: 2 ** 24, element: "f32", content: { kind: "zero" } },
  ],
});

const load: WatchedPlace = { isAt: ({ line }) => line === 20, access: { space: "global", operation: "load", bytesPerLane: 4 } };
const guard: WatchedPlace = { isAt: ({ line }) => line === 10 };
const watch = (place: WatchedPlace, block: number, warp: number, edge = 200, turns = 5, work = new Work()) =>
  watchWarp(kernel, launch(edge, turns), h200, place, { block, warp }, work);

describe("what a warp does at a place", () => {
  test("an access, turn by turn: its lanes' bytes, and where they lie", () => {
    const { executions, count, isCut } = watch(load, 0, 1);
    expect([executions.length, count, isCut]).toEqual([5, 5, false]);
    expect(executions[2]).toEqual({ lanes: 0xffffffff, bytes: Array.from({ length: 32 }, (_, lane) => 4 * lane), at: 0 });
  });

  test("lanes that take no part are none", () => {
    const { executions } = watch(load, 3, 0, 200);
    expect(executions[0]).toMatchObject({ lanes: 0xff, bytes: [0, 4, 8, 12, 16, 20, 24, 28] });
    expect(watch(load, 3, 1, 200)).toMatchObject({ executions: [], count: 0, isCut: false });
  });

  test.each([
    [0, 0, 0xffffffff],
    [3, 0, 0xff],
    [3, 1, 0],
  ])("a branch of block %i, warp %i: which lanes go one way", (block, warp, inside) => {
    const { executions, count, ways } = watch(guard, block, warp, 200);
    expect(count).toBe(1);
    const [one] = executions;
    if (!one || !("taken" in one)) throw new Error("it is a branch");
    expect(one.lanes).toBe(0xffffffff);
    // Which of both ways is the first one is the compiler's choice.
    const [place, mask] = ways[0] ? [ways[0], one.taken] : [ways[1], ~one.taken >>> 0];
    expect([20, 21, 30]).toContain(place?.line);
    expect(mask).toBe(inside);
  });

  test("of many executions the first are told, and of one that takes too long as many as it came to", () => {
    expect(watch(load, 0, 0, 256, 1000)).toMatchObject({ count: 1000, isCut: false });
    expect(watch(load, 0, 0, 256, 1000).executions).toHaveLength(256);
    const long = watch(load, 0, 0, 256, 10_000_000);
    expect(long.isCut).toBe(true);
    expect(long.count).toBeGreaterThan(256);
  });

  test("a warp that there is not, and one that nobody waits for", () => {
    expect(() => watch(load, 4, 0)).toThrow("the launch has no such warp");
    expect(() => watch(load, 0, 2)).toThrow("the launch has no such warp");
    expect(() => watch(load, 0, 0, 256, 100_000, new Work(Number.POSITIVE_INFINITY, () => true))).toThrow(Cancelled);
  });
});
