/** Sampled totals against those of running every block, on random kernels whose control flow and addresses follow from indices. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { compile } from "../execute/compile.ts";
import { launchConstants } from "../execute/constants.ts";
import { WrapsAround } from "../execute/patterns.ts";
import { Runner } from "../execute/run.ts";
import { reference } from "../gpus/model.ts";
import { Builder, createKernel, linkBlocks } from "../ir/builder.ts";
import type { Dim3, IntBinary, Kernel, Launch, Op } from "../ir/kernel.ts";
import { parseKernel, printKernel } from "../ir/text.ts";
import { numberSites, Observer } from "../observe/observer.ts";
import { promote } from "../passes/memory/promote.ts";
import { Work } from "../work.ts";
import { markComparisons } from "./comparisons.ts";
import { CountVector } from "./counts.ts";
import { markSkips } from "./loops.ts";
import { type Sample, Sampler } from "./sample.ts";
import { blockVariation, Subject } from "./variation.ts";

/** A kernel of loads at indices made of thread and block indices, behind guards and in loops, that the decisions describe. */
function indexKernel(decisions: readonly number[]): Kernel {
  const kernel = createKernel({ name: "indices", parameters: [{ name: "p", type: "ptr", bytes: 8 }] });
  const b = new Builder(kernel);
  let at = 0;
  const choose = (below: number): number => (decisions[at++] ?? 0) % below;
  const pick = <T>(values: readonly T[]): T => values[choose(values.length)] as T;
  const int = (value: number): Op => b.constant("i32", value);
  const x = b.int("add", b.int("mul", b.special("ctaid.x"), b.special("ntid.x")), b.special("tid.x"));
  const y = b.int("add", b.int("mul", b.special("ctaid.y"), b.special("ntid.y")), b.special("tid.y"));
  /** Blocks numbered otherwise than they are launched: in a row, or in groups of columns. */
  const remapped = (): Op => {
    const row = b.int("add", b.special("ctaid.x"), b.int("mul", b.special("ctaid.y"), b.special("nctaid.x")));
    const all = b.int("add", row, b.int("mul", b.special("ctaid.z"), b.int("mul", b.special("nctaid.x"), b.special("nctaid.y"))));
    const width = int(pick([2, 3, 4, 8]));
    const turned = b.int("add", b.int("mul", b.int("urem", all, width), int(pick([16, 50]))), b.int("udiv", all, width));
    return b.int("add", b.int("mul", pick([all, turned]), b.special("ntid.x")), b.special("tid.x"));
  };
  const known = [
    x,
    y,
    b.special("tid.x"),
    b.special("ctaid.x"),
    b.special("ctaid.y"),
    b.int("add", b.int("mul", y, int(pick([64, 100, 128]))), x),
    b.special("ctaid.z"),
    remapped(),
  ];

  const value = (depth: number): Op => {
    if (depth === 0 || choose(3) === 0) return choose(4) === 0 ? int(choose(50)) : pick(known);
    const op = pick<IntBinary>(["add", "sub", "mul", "udiv", "urem", "and", "smin", "smax", "lshr", "xor"]);
    const left = value(depth - 1);
    switch (op) {
      case "mul":
        return b.int(op, left, int(1 + choose(9)));
      case "udiv":
      case "urem":
        return b.int(op, left, int(pick([2, 3, 7, 16, 32, 48, 100])));
      case "and":
        return b.int(op, left, int(pick([7, 31, 255])));
      case "lshr":
        return b.int(op, left, int(choose(6)));
      default:
        return b.int(op, left, value(depth - 1));
    }
  };
  const access = (): void => {
    const index = b.int("and", value(3), int(0xffff));
    const address = b.gep(b.parameter(0), index, pick([1, 4, 4, 8, 20]));
    b.load("global", "i8", address, { align: 1 });
  };
  const statements = (depth: number): void => {
    for (let count = 1 + choose(2); count > 0; count--) {
      const kind = depth === 0 ? 0 : choose(4);
      if (kind < 2) access();
      else if (kind === 2) {
        const [then, after] = [b.newBlock(), b.newBlock()];
        b.branch(b.icmp(pick(["slt", "sge", "eq", "ne"]), value(2), int(choose(400))), then, after);
        b.block = then;
        statements(depth - 1);
        b.jump(after);
        b.block = after;
      } else {
        const counter = b.alloca(4, 4, "i");
        // Some go through an array as a grid does, from each thread's own place on by the number of all.
        const stride = choose(4) === 0;
        b.store("local", counter, [stride ? x : int(choose(3))]);
        const threads = stride ? b.int("mul", b.special("nctaid.x"), b.special("ntid.x")) : undefined;
        const limit = stride ? int(choose(9000)) : choose(2) ? int(choose(120)) : b.int("and", value(1), int(63));
        const [header, body, exit] = [b.newBlock(), b.newBlock(), b.newBlock()];
        b.jump(header);
        b.block = header;
        const i = b.load("local", "i32", counter);
        b.branch(b.icmp("slt", i, limit), body, exit);
        b.block = body;
        known.push(i);
        statements(depth - 1);
        known.pop();
        b.store("local", counter, [b.int("add", i, threads ?? int(pick([1, 1, 2, 5])))]);
        b.jump(header);
        b.block = exit;
      }
    }
  };
  statements(2);
  b.return();
  linkBlocks(kernel);
  promote(kernel, new Work());
  return kernel;
}

const launchOf = (grid: Dim3, block: Dim3): Launch => ({
  grid,
  block,
  dynamicSharedBytes: 0,
  arguments: [{ kind: "pointer", buffer: 0, offset: 0 }],
  buffers: [{ name: "p", bytes: 1 << 22, content: { kind: "zero" } }],
});

function everyBlock(kernel: Kernel, launch: Launch): Float64Array {
  const runner = new Runner(compile(kernel, launch, { allLanes: true }), new Work(1e8));
  const [columns, rows, layers] = launch.grid;
  for (let z = 0; z < layers; z++) for (let y = 0; y < rows; y++) for (let x = 0; x < columns; x++) runner.runBlock([x, y, z]);
  return new CountVector(runner).take();
}

function sampled(kernel: Kernel, launch: Launch, allLanes: boolean, steps = 2e6): Sample {
  const program = compile(kernel, launch, { allLanes });
  const work = new Work(1e8);
  const subject = new Subject(program, launchConstants(program.environment), work);
  markSkips(subject, work);
  const variations = [blockVariation(subject, "x", work), blockVariation(subject, "y", work), blockVariation(subject, "z", work)] as const;
  markComparisons(program, variations);
  const runner = new Runner(program, work);
  const observer = new Observer(runner, numberSites(program, new Set()), reference.values);
  return new Sampler(runner, { variations, steps, blockSteps: Number.POSITIVE_INFINITY, observer, uneven: false, watch: [0] }).sample();
}

const decisions = fc.array(fc.nat(10_000), { minLength: 10, maxLength: 120, size: "max" });
const grids = fc.constantFrom<Dim3>([37, 1, 1], [64, 3, 1], [8, 9, 1], [200, 1, 1], [5, 4, 6], [1, 1, 70], [3, 40, 2]);
const shapes = fc.constantFrom<Dim3>([32, 1, 1], [48, 1, 1], [16, 4, 1]);

test("what is said to be exact is what running every block gives", () => {
  let exact = 0;
  fc.assert(
    fc.property(decisions, grids, shapes, (choices, grid, block) => {
      const kernel = indexKernel(choices);
      const launch = launchOf(grid, block);
      let sample: Sample;
      try {
        sample = sampled(kernel, launch, false);
      } catch (error) {
        expect(error).toBeInstanceOf(WrapsAround);
        sample = sampled(kernel, launch, true);
      }
      const whole = everyBlock(kernel, launch);
      const blocks = grid[0] * grid[1] * grid[2];
      expect(sample.blocks.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(blocks);
      if (!sample.exact) return;
      exact++;
      // Outcomes of comparisons are counted on one side only.
      const runs = (totals: Float64Array, { length }: Float64Array): number[] => [
        ...totals.subarray(0, 5 * kernel.blocks.length),
        ...totals.subarray(totals.length - (length - 5 * kernel.blocks.length)),
      ];
      expect(runs(sample.totals, whole), printKernel(kernel)).toEqual([...whole]);
    }),
    { numRuns: 60, seed: 5 },
  );
  expect(exact).toBeGreaterThan(30);
});

test("of blocks too long to run many of, those that lie opposite each other are drawn: what grows along the grid is not misjudged", () => {
  const kernel = parseKernel(`kernel @triangle(%p: ptr f32) {
b0:
  %1: ptr = param 0
  %2: i32 = special ctaid.x
  %3: i32 = special ntid.x
  %4: i32 = special tid.x
  %5: i32 = mul %2, %3
  %6: i32 = add %5, %4
  %7: i32 = const 1
  %8: i32 = const 512
  %9: f32 = const 1
  %10: i1 = icmp.slt %6, %8
  branch %10, b1, b2
b1:
  %11: i32 = phi [%6, b0], [%13, b1]
  %12: ptr = gep %1, %11, scale 4, offset 0
  store.global %12, %9, align 4
  %13: i32 = add %11, %7
  %14: i1 = icmp.slt %13, %8
  branch %14, b1, b2
b2:
  return
}
`);
  const launch = launchOf([4, 1, 1], [128, 1, 1]);
  const [whole, few] = [everyBlock(kernel, launch), sampled(kernel, launch, true, 1000)];
  expect(few.exact).toBe(false);
  for (let k = 0; k < whole.length; k++) expect(few.totals[k]! / Math.max(1, whole[k]!), `count ${k}`).toBeCloseTo(whole[k] ? 1 : 0, 1);
});

test("the same of rows that grow anew in each part of the grid, where a few blocks could be run", () => {
  const kernel = parseKernel(`kernel @triangles(%p: ptr f32) {
b0:
  %1: ptr = param 0
  %2: i32 = special ctaid.x
  %3: i32 = special ntid.x
  %4: i32 = special tid.x
  %5: i32 = mul %2, %3
  %6: i32 = add %5, %4
  %7: i32 = const 1
  %8: i32 = const 512
  %9: f32 = const 1
  %15: i32 = const 12
  %16: i32 = udiv %6, %15
  %17: i32 = urem %16, %8
  %18: i32 = const 0
  jump b1
b1:
  %11: i32 = phi [%18, b0], [%13, b1]
  %12: ptr = gep %1, %11, scale 4, offset 0
  store.global %12, %9, align 4
  %13: i32 = add %11, %7
  %14: i1 = icmp.sle %13, %17
  branch %14, b1, b2
b2:
  return
}
`);
  const launch = launchOf([768, 1, 1], [64, 1, 1]);
  const whole = everyBlock(kernel, launch);
  const few = sampled(kernel, launch, true, 400);
  for (let k = 0; k < whole.length; k++)
    if (whole[k]) expect(Math.abs(few.totals[k]! / whole[k]! - 1), `count ${k}`).toBeLessThan(0.1);
    else expect(few.totals[k], `count ${k}`).toBe(0);
});

test("of a square below whose diagonal threads work, hidden in a linear index, a few hundred of its blocks tell", () => {
  const kernel = parseKernel(`kernel @below(%p: ptr f32) {
b0:
  %1: ptr = param 0
  %2: i32 = special ctaid.x
  %3: i32 = special ntid.x
  %4: i32 = special tid.x
  %5: i32 = mul %2, %3
  %6: i32 = add %5, %4
  %7: i32 = const 512
  %8: i32 = urem %6, %7
  %9: i32 = udiv %6, %7
  %10: i32 = urem %9, %7
  %11: f32 = const 1
  %12: i1 = icmp.sle %8, %10
  branch %12, b1, b2
b1:
  %13: ptr = gep %1, %6, scale 4, offset 0
  store.global %13, %11, align 4
  return
b2:
  return
}
`);
  const launch = launchOf([8 * 16 * 512, 1, 1], [32, 1, 1]);
  const few = sampled(kernel, launch, true, 4000);
  const stores = few.counts.access(few.totals, few.counts.counters[0]!);
  // Of 16 blocks of a row, on the average 8.5 have something to do.
  expect(few.exact).toBe(false);
  expect(stores.requests / (8 * 512 * 8.5)).toBeCloseTo(1, 1);
  expect(stores.lanes / ((8 * 512 * 513) / 2)).toBeCloseTo(1, 1);
});

/** Rows of a length that `length` gives, of each element of which data decides something. */
const rowsThatDataDecides = (length: string): Kernel =>
  parseKernel(`kernel @rows(%p: ptr f32) {
b0:
  %1: ptr = param 0
  %2: i32 = special ctaid.x
  %3: i32 = const 1
  %4: i32 = const 0
  %5: i32 = const 100
  %6: f32 = const 0
  %7: i32 = ${length}
  jump b1
b1:
  %8: i32 = phi [%4, b0], [%9, b3]
  %14: i32 = mul %2, %5
  %15: i32 = add %14, %8
  %10: ptr = gep %1, %15, scale 4, offset 0
  %11: f32 = load.global %10, align 4
  %12: i1 = fcmp.ogt %11, %6
  branch %12, b2, b3
b2:
  store.global %10, %6, align 4
  jump b3
b3:
  %9: i32 = add %8, %3
  %13: i1 = icmp.sle %9, %7
  branch %13, b1, b4
b4:
  return
}
`);

test("the one block that could be drawn tells what all do if others that were run do as much, and nothing if they do not", () => {
  const launch: Launch = {
    ...launchOf([300, 1, 1], [32, 1, 1]),
    buffers: [{ name: "p", bytes: 1 << 22, element: "f32", content: { kind: "uniform", lo: -1, hi: 1 } }],
  };
  const [alike, unlike] = ["add %5, %5", "add %2, %5"].map((length) => sampled(rowsThatDataDecides(length), launch, true, 100));
  expect([alike!.drawn, unlike!.drawn]).toEqual([1, 1]);
  expect(unlike!.error).toBeGreaterThan(0.2);
  expect(alike!.error).toBeLessThan(0.1);
});

test("few blocks that work among many that leave at once are found", () => {
  const kernel = parseKernel(`kernel @groups(%p: ptr f32) {
b0:
  %1: ptr = param 0
  %2: i32 = special ctaid.x
  %3: i32 = const 1
  %4: i32 = const 0
  %5: i32 = const 200
  %6: f32 = const 0.985
  %7: ptr = gep %1, %2, scale 4, offset 0
  %8: f32 = load.global %7, align 4
  %9: i1 = fcmp.ogt %8, %6
  branch %9, b1, b2
b1:
  %10: i32 = phi [%4, b0], [%11, b1]
  %12: i32 = add %2, %10
  %13: ptr = gep %1, %12, scale 4, offset 65536
  store.global %13, %6, align 4
  %11: i32 = add %10, %3
  %14: i1 = icmp.slt %11, %5
  branch %14, b1, b2
b2:
  return
}
`);
  const launch: Launch = {
    ...launchOf([8000, 1, 1], [32, 1, 1]),
    buffers: [{ name: "p", bytes: 1 << 22, element: "f32", content: { kind: "uniform", lo: 0, hi: 1 } }],
  };
  const few = sampled(kernel, launch, true, 20_000);
  const working = few.counts.access(few.totals, few.counts.counters[1]!).requests / 200;
  expect(working / 8000).toBeGreaterThan(0.005);
  expect(working / 8000).toBeLessThan(0.045);
  // One of them is watched, for its time.
  expect(few.watched.length).toBeGreaterThan(12);
});
