import { describe, expect, test } from "vitest";
import { findGpu } from "../gpus/model.ts";
import { Work } from "../work.ts";
import { replay } from "./replay.ts";
import type { ExecutionSummary } from "./summary.ts";
import { copies, TimedProgram } from "./testing/program.ts";

const h200 = findGpu("h200")!;

describe("the replay", () => {
  const cycles = (summary: ExecutionSummary): number => replay(summary, h200.values, new Work())!.cycles - h200.values.blockStartLatency;

  /** What going through the program once more takes, when its code is there. */
  const onceMore = (program: TimedProgram): number =>
    cycles(program.launch(1, 32, { times: 11 })) - cycles(program.launch(1, 32, { times: 10 }));

  test("a chain of dependent instructions takes its latencies", () => {
    const program = new TimedProgram();
    program.chain("fma", 100);
    expect(onceMore(program)).toBeCloseTo(4 * 99 + 1, -1);
  });

  test("code met for the first time is waited for: 0.23, 0.5 and 1.0 thousand cycles for 64, 256 and 1,024 instructions", () => {
    for (const [length, measured] of [
      [64, 227],
      [256, 487],
      [1024, 996],
    ] as const) {
      const program = new TimedProgram();
      for (let i = 0; i < length; i++) program.compute("fma", []);
      expect((cycles(program.launch(1, 32)) - length) / measured).toBeGreaterThan(0.85);
      expect((cycles(program.launch(1, 32)) - length) / measured).toBeLessThan(1.1);
    }
  });

  test("independent instructions of one warp take an issue slot each, of the narrow pipe two", () => {
    const fma = new TimedProgram();
    const alu = new TimedProgram();
    for (let i = 0; i < 100; i++) {
      fma.compute("fma", []);
      alu.compute("alu", []);
    }
    expect(onceMore(fma)).toBeCloseTo(100, -1);
    expect(onceMore(alu)).toBeCloseTo(200, -1);
  });

  test.each([
    [2, 100],
    [3, 150],
  ])("arithmetic on %i registers, a hundred times, takes %i cycles of a scheduler, with one warp or four", (operands, measured) => {
    const program = new TimedProgram();
    for (let i = 0; i < 100; i++)
      program.instructions.push({ pipe: "fma", latency: 4, uses: [], defs: [program.register()], kind: "compute", operands });
    expect(onceMore(program)).toBeCloseTo(measured, -1);
    const ofFour = (times: number): number => cycles(program.launch(1, 512, { times }));
    expect((ofFour(11) - ofFour(10)) / (4 * measured)).toBeCloseTo(1, 1);
  });

  test.each([
    ["three and one", [3, 1], 2.03],
    ["three of floats, three of integers", [3, 3], 3.01],
    ["two and one", [2, 1], 2.03],
  ])("%s, of two pipes, take as long as one of each pipe, or as their registers are read", (_, [floats, integers], measured) => {
    const program = new TimedProgram();
    const add = (pipe: "fma" | "alu", operands: number | undefined): unknown =>
      program.instructions.push({ pipe, latency: 4, uses: [], defs: [program.register()], kind: "compute", operands });
    for (let i = 0; i < 100; i++) {
      add("fma", floats);
      add("alu", integers);
    }
    expect(onceMore(program)).toBeCloseTo(100 * measured, -1);
  });

  test("a barrier waits for the last warp of the block", () => {
    const program = new TimedProgram();
    program.chain("alu", 50);
    program.barrier();
    program.compute("alu", []);
    const { barrierLatency, barrierPerWarp } = h200.values;
    expect(cycles(program.launch(1, 256))).toBeGreaterThan(50 * 4 + barrierLatency + 8 * barrierPerWarp);
  });

  test.each([
    [4, 16, 136],
    [8, 8, 136.3],
    [16, 4, 138.3],
    [8, 4, 68.2],
  ])(
    "warps of %i in each of %i blocks come to barriers one by one: a turn in %f cycles, within 15 %% (h200-barriers.txt)",
    (warps, blocks, measured) => {
      const program = new TimedProgram();
      const counted = program.compute("alu", []);
      program.barrier();
      program.branch([counted]);
      const turns = (times: number): number => cycles(program.launch(132 * blocks, warps * 32, { times }));
      expect((turns(40) - turns(20)) / 20 / measured).toBeGreaterThan(0.85);
      expect((turns(40) - turns(20)) / 20 / measured).toBeLessThan(1.15);
    },
  );

  test.each([
    [4, 4, 124],
    [4, 16, 411],
    [8, 4, 161.8],
    [8, 8, 288.7],
    [16, 4, 226.8],
  ])(
    "the first of %i warps goes to another scheduler in each of %i blocks: 64 products of it take %f cycles, within a third (h200-barriers.txt)",
    (warps, blocks, measured) => {
      const program = new TimedProgram();
      const sums = [0, 1, 2, 3].map(() => program.compute("fma", []));
      for (let k = 0; k < 60; k++) sums[k % 4] = program.compute("fma", [sums[k % 4]!]);
      const alone = program.instructions.splice(0);
      const counted = program.compute("alu", []);
      program.barrier();
      program.branch([counted]);
      const turns = (times: number): number => {
        const launch = program.launch(132 * blocks, warps * 32, { times });
        const [block] = launch.blocks;
        const [, ...others] = block!.warps;
        const first = {
          blocks: Uint32Array.from({ length: 2 * times }, (_, k) => (k + 1) % 2),
          accesses: new Uint16Array(),
          accessStart: new Uint32Array(2 * times + 1),
        };
        return cycles({ ...launch, code: [...launch.code, alone], blocks: [{ ...block!, warps: [first, ...others] }] });
      };
      expect((turns(24) - turns(12)) / 12 / measured).toBeGreaterThan(0.67);
      expect((turns(24) - turns(12)) / 12 / measured).toBeLessThan(1.33);
    },
  );

  test("what runs under a predicate waits for it longer than what selects by it (h200-predicates.txt: 15.6 cycles with it on the uniform datapath, and 8.4)", () => {
    const of = (isGuard: boolean): number => {
      const program = new TimedProgram();
      let value = program.compute("alu", []);
      for (let k = 0; k < 50; k++) {
        const predicate = program.compute("alu", [value]);
        value = program.register();
        const under = isGuard ? { uses: [predicate], guards: [predicate] } : { uses: [predicate] };
        program.instructions.push({ pipe: "alu", latency: 4, defs: [value], kind: "compute", ...under });
      }
      return (cycles(program.launch(1, 32, { times: 11 })) - cycles(program.launch(1, 32, { times: 10 }))) / 50;
    };
    expect(of(false)).toBeCloseTo(8.4, 0);
    expect(Math.abs(of(true) - 15.6)).toBeLessThan(2);
  });

  test("conflicts take a pass each", () => {
    const of = (ways: number): number => {
      const program = new TimedProgram();
      const site = program.site({ space: "shared", operation: "load" });
      for (let i = 0; i < 64; i++) program.memory(site, [], ways, 0);
      return cycles(program.launch(132 * 8, 256));
    };
    expect(of(8) / of(1)).toBeGreaterThan(7);
  });

  test("an iteration that stands for a thousand takes a thousand times as long", () => {
    const program = new TimedProgram();
    program.chain("fma", 100);
    const once = program.launch(1, 32);
    const [block] = once.blocks;
    const warp = { ...block!.warps[0]!, weights: Float32Array.of(1000) };
    const stretched = cycles({ ...once, blocks: [{ ...block!, warps: [warp] }] });
    expect(stretched / (1000 * 4 * 100)).toBeCloseTo(1, 1);
  });

  test("warps that come to a long loop one after the other go through it together", () => {
    const program = new TimedProgram();
    program.chain("fma", 200);
    const launch = program.launch(1, 1024);
    const [block] = launch.blocks;
    /** Warp `w` goes through the first half `before(w)` times, and then a thousand times through the second. */
    const comes = (before: (w: number) => number): number => {
      const warps = block!.warps.map((warp, w) => ({
        ...warp,
        blocks: Uint32Array.of(...new Array<number>(before(w)).fill(0), 1),
        weights: Float32Array.of(...new Array<number>(before(w)).fill(1), 1000),
        accessStart: new Uint32Array(before(w) + 2),
      }));
      const code = [program.instructions.slice(0, 100), program.instructions.slice(100)];
      return cycles({ ...launch, code, blocks: [{ ...block!, warps }] });
    };
    const issued = (1000 * 100 * block!.warps.length) / h200.values.schedulers;
    expect(comes(() => 1) / issued).toBeCloseTo(1, 1);
    expect(comes((w) => w + 1) / issued).toBeCloseTo(1, 1);
  });

  test("warps that wait within a long loop for what they asked for before it go through it together", () => {
    const program = new TimedProgram();
    const sum = program.memory(program.site({ space: "global", operation: "atomic" }, { l2: 1 }), [], 1, 1);
    const asks = program.instructions.length;
    program.chain("fma", 100, [sum]);
    const launch = program.launch(132, 1024);
    const [block] = launch.blocks;
    const code = [program.instructions.slice(0, asks), program.instructions.slice(asks)];
    const turns = 10_000;
    const warps = block!.warps.map((warp) => ({
      ...warp,
      blocks: Uint32Array.of(0, 1),
      weights: Float32Array.of(1, turns),
      accessStart: Uint32Array.of(0, 1, 1),
    }));
    // One word for all: the last has its answer when they all have been summed, one after the other.
    const sums = 132 * warps.length * 32;
    const totals = { ...launch.totals, hottestAtomics: sums };
    const issued = (turns * 100 * warps.length) / h200.values.schedulers;
    const found = cycles({ ...launch, code, totals, blocks: [{ ...block!, warps }] });
    expect(found / (issued + sums * h200.values.atomicInterval)).toBeGreaterThan(0.9);
    expect(found / (issued + sums * h200.values.atomicInterval)).toBeLessThan(1.05);
  });

  test("what the budget leaves is extrapolated", () => {
    const launch = copies(62, 0.92);
    const all = replay(launch, h200.values, new Work(), 1e9)!;
    const part = replay(launch, h200.values, new Work(), 2000)!;
    expect(all.share).toBe(1);
    expect(part.share).toBeLessThan(1);
    expect(Math.abs(part.cycles / all.cycles - 1)).toBeLessThan(0.1);
  });

  test("the last blocks end one by one: the longest keep an SM that has nothing else to do", () => {
    const program = new TimedProgram();
    const site = program.site({ space: "global", operation: "load" }, { l2: 1 });
    let last = program.memory(site, [], 1, 4);
    for (let k = 1; k < 16; k++) last = program.memory(site, [last], 1, 4);
    const short = program.launch(132 * 60, 256).blocks[0]!;
    const long = { ...program.launch(132 * 20, 256, { times: 10 }).blocks[0]!, index: 1 };
    const launch = { ...program.launch(132 * 60, 256), blocks: [short, long] };
    const all = replay(launch, h200.values, new Work(), 1e9)!;
    const part = replay(launch, h200.values, new Work(), 10_000)!;
    expect(part.share).toBeLessThan(0.6);
    expect(Math.abs(part.cycles / all.cycles - 1)).toBeLessThan(0.05);
    expect(Math.abs(part.residentWarps / all.residentWarps - 1)).toBeLessThan(0.05);
  });

  test("a budget that ends in the first part of a kernel does not let that part stand for all of it", () => {
    const program = new TimedProgram();
    for (let i = 0; i < 200; i++) program.compute("fma", []);
    for (let i = 0; i < 200; i++) program.compute("xu", []);
    const launch = program.launch(132, 2048);
    const all = replay(launch, h200.values, new Work(), 1e9)!;
    expect(replay(launch, h200.values, new Work(), 12_000)!.cycles / all.cycles).toBeCloseTo(1, 2);
  });

  test("nothing comes of nothing", () => {
    expect(replay({ ...new TimedProgram().launch(1, 32), blocks: [] }, h200.values, new Work())).toBeUndefined();
  });

  test.each([0, 20, 50])(
    "a second half that by chance asks more of what is busiest than the rest does not stand for it: blocks of 200 accesses beside those of %i",
    (accesses) => {
      const launchOf = (count: number): ExecutionSummary => {
        const program = new TimedProgram();
        const site = program.site({ space: "shared", operation: "load" });
        for (let i = 0; i < 200 - count; i++) program.compute("fma", []);
        for (let i = 0; i < count; i++) program.memory(site, [], 4, 0);
        return program.launch(132 * 400, 128);
      };
      const [many, few] = [launchOf(200), launchOf(accesses)];
      const other = few.blocks[0]!;
      const launch: ExecutionSummary = {
        ...many,
        code: [...many.code, ...few.code],
        blocks: [...many.blocks, { ...other, index: 1, warps: other.warps.map((warp) => ({ ...warp, blocks: Uint32Array.of(1) })) }],
      };
      const all = replay(launch, h200.values, new Work(), 1e9)!;
      for (const budget of [20_000, 40_000, 60_000])
        expect([budget, Math.abs(replay(launch, h200.values, new Work(), budget)!.cycles / all.cycles - 1) < 0.01]).toEqual([budget, true]);
    },
  );

  test.each([9, 5, 2])(
    "no scheduler issues more than it can, whatever the part that is replayed asks of others: %i short blocks for a long one",
    (share) => {
      const launchOf = (length: number, accesses: boolean): ExecutionSummary => {
        const program = new TimedProgram();
        const site = program.site({ space: "shared", operation: "load" });
        for (let i = 0; i < length; i++) {
          if (accesses && i % 4 === 0) program.memory(site, [], 1, 0);
          else program.compute(i % 3 === 0 ? "alu" : "fma", []);
        }
        return program.launch(132 * 200, 128);
      };
      const [long, short] = [launchOf(2500, true), launchOf(150, false)];
      const [one, other] = [long.blocks[0]!, short.blocks[0]!];
      const weight = (132 * 200) / (share + 1);
      const launch: ExecutionSummary = {
        ...long,
        code: [...long.code, ...short.code],
        blocks: [
          { ...one, weight },
          { ...other, weight: share * weight, index: 1, warps: other.warps.map((warp) => ({ ...warp, blocks: Uint32Array.of(1) })) },
        ],
      };
      const { cycles, busy } = replay(launch, h200.values, new Work())!;
      expect(busy.issue! / cycles).toBeLessThanOrEqual(1);
      expect(busy.issue! / cycles).toBeGreaterThan(0.97);
    },
  );
});
