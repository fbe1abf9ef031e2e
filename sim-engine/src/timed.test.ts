/** The time of launches without some of their cost: of kernels made at random, and of some whose cost is known. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compiledFor } from "./compiled.ts";
import { assumeUnknowns } from "./contents/assume.ts";
import { EarlierContents } from "./contents/earlier.ts";
import type { AccessCounter } from "./execute/accesses.ts";
import { randomKernel, randomLaunch } from "./execute/testing/random-kernel.ts";
import { executed } from "./executed.ts";
import { findGpu, type GpuModel } from "./gpus/model.ts";
import type { Kernel, Launch, Op } from "./ir/kernel.ts";
import { parseKernel } from "./ir/text.ts";
import { tally } from "./report/tally.ts";
import { simulate } from "./simulate.ts";
import { TimedRun } from "./timed.ts";
import { Work } from "./work.ts";
import type { Without } from "./worth/without.ts";

const h200 = findGpu("h200") as GpuModel;

function timed(
  kernel: Kernel,
  launch: Launch,
): { readonly run: TimedRun; readonly counters: readonly AccessCounter[]; readonly ops: readonly Op[] } {
  const work = new Work();
  const compiled = compiledFor(kernel, 90, work);
  const contents = new EarlierContents(work);
  const { launch: complete } = assumeUnknowns(compiled.kernel, launch, contents, work);
  const run = executed({ kernel: compiled.kernel, launch: complete, contents, uneven: false }, compiled.machine, h200, undefined, work);
  const counted = tally(run.program, run.machine, run.sample, work);
  return {
    run: new TimedRun(run, h200, counted, work),
    counters: run.sample.counts.counters,
    ops: compiled.kernel.blocks.flatMap(({ ops }) => ops),
  };
}

/** A replay in which less waits may meet other queues, and what another access brought before may have to be waited for. */
const nearly = (ns: number): number => 1.03 * ns + 400;

test("without nothing a launch takes as long, without more of its cost no longer", () => {
  const decisions = fc.array(fc.nat(), { minLength: 40, maxLength: 250, size: "max" });
  const shape = fc.constantFrom<[number, number, number]>([32, 1, 1], [48, 1, 1], [16, 4, 1]);
  let asked = 0;
  fc.assert(
    fc.property(decisions, shape, fc.nat(), (choices, block, pick) => {
      const { run, counters, ops } = timed(randomKernel(choices), randomLaunch(block, 64));
      const { time } = run.asItIs();
      if (!time) return;
      const ask = (without: Without): number => run.without(without) as number;
      expect(ask({})).toBe(time.ns);
      const all = counters.map(({ op }) => op);
      const some = new Set(all.filter((_, index) => (pick >> (index % 16)) % 2 === 0));
      const divisions = new Set(ops.filter(({ action }) => action.kind === "int" && /div|rem/.test(action.op)));
      const part = ask({ excess: some });
      expect(part).toBeLessThanOrEqual(nearly(time.ns));
      expect(ask({ excess: new Set(all) })).toBeLessThanOrEqual(nearly(part));
      expect(ask({ meetings: new Set(all) })).toBeLessThanOrEqual(nearly(time.ns));
      expect(ask({ divisions })).toBeLessThanOrEqual(nearly(time.ns));
      asked++;
    }),
    { numRuns: 20, seed: 20_261_123 },
  );
  expect(asked).toBeGreaterThan(10);
});

/** `out[i * stride] = in[i * stride]`, stride a parameter. */
const copy = parseKernel(`kernel @copy(%out: ptr f32, %in: ptr const f32, %stride: i32) {
entry:
  %out: ptr = param 0
  %in: ptr = param 1
  %stride: i32 = param 2
  %tx: i32 = special tid.x
  %bx: i32 = special ctaid.x
  %size: i32 = special ntid.x
  %before: i32 = mul %bx, %size
  %t: i32 = add %before, %tx
  %i: i32 = mul %t, %stride
  %p: ptr = gep %in, %i, scale 4
  %v: f32 = load.global %p, align 4 !7:1-2
  %q: ptr = gep %out, %i, scale 4
  store.global %q, %v, align 4 !7:3-4
  return
}`);

const copying = (stride: number): Launch => ({
  grid: [4096, 1, 1],
  block: [256, 1, 1],
  dynamicSharedBytes: 0,
  arguments: [
    { kind: "pointer", buffer: 0, offset: 0 },
    { kind: "pointer", buffer: 1, offset: 0 },
    { kind: "scalar", value: stride },
  ],
  buffers: ["out", "in"].map((name) => ({ name, bytes: 4 * 4096 * 256 * stride, element: "f32", content: { kind: "unknown" } })),
});

describe("a stride", () => {
  const plain = simulate(copy, copying(1), h200);
  test.each([2, 8, 32])("of %i elements costs what it takes beyond one of 1", (stride) => {
    const { time, costs } = simulate(copy, copying(stride), h200);
    expect(costs).toMatchObject([{ kind: "sectors", at: [{ line: 7 }, { line: 7 }] }]);
    const [cost] = costs ?? [];
    expect(cost?.ns).toBeLessThan(time?.ns ?? 0);
    // What it is imagined without is the launch whose elements stand side by side.
    expect((cost?.ns ?? 0) / (plain.time?.ns ?? 1)).toBeGreaterThan(0.9);
    expect((cost?.ns ?? 0) / (plain.time?.ns ?? 1)).toBeLessThan(1.1);
  });

  test("of one element costs nothing but that each thread takes one", () => {
    expect(plain.costs?.map(({ kind }) => kind)).toEqual(["narrow accesses"]);
  });
});

/** `((float4 *)out)[i] = ((const float4 *)in)[i]` */
const copyVectors = parseKernel(`kernel @copy(%out: ptr f32, %in: ptr const f32, %stride: i32) {
entry:
  %out: ptr = param 0
  %in: ptr = param 1
  %tx: i32 = special tid.x
  %bx: i32 = special ctaid.x
  %size: i32 = special ntid.x
  %before: i32 = mul %bx, %size
  %i: i32 = add %before, %tx
  %p: ptr = gep %in, %i, scale 16
  %v: f32x4 = load.global %p, align 16
  %q: ptr = gep %out, %i, scale 16
  %a: f32 = extract %v, 0
  %b: f32 = extract %v, 1
  %c: f32 = extract %v, 2
  %d: f32 = extract %v, 3
  store.global %q, %a, %b, %c, %d, align 16
  return
}`);

test.each([4096, 131_072])("single elements are imagined as vectors: %i blocks", (blocks) => {
  const buffers = ["out", "in"].map((name) => ({ name, bytes: 1024 * blocks, element: "f32", content: { kind: "unknown" } }) as const);
  const launch = { ...copying(1), grid: [blocks, 1, 1], buffers } as const;
  const { costs } = simulate(copy, launch, h200);
  const vectors = simulate(copyVectors, { ...launch, grid: [blocks / 4, 1, 1] }, h200);
  expect(vectors.costs).toEqual([]);
  expect(costs).toMatchObject([{ kind: "narrow accesses", elements: 4, at: [{ line: 7 }, { line: 7 }] }]);
  expect((costs?.[0]?.ns ?? 0) / (vectors.time?.ns ?? 1)).toBeGreaterThan(0.9);
  expect((costs?.[0]?.ns ?? 0) / (vectors.time?.ns ?? 1)).toBeLessThan(1.1);
});
