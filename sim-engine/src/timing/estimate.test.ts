import { describe, expect, test } from "vitest";
import { findGpu } from "../gpus/model.ts";
import { Work } from "../work.ts";
import { estimateTime } from "./estimate.ts";
import { loaded } from "./rates.ts";
import { replay } from "./replay.ts";
import type { ExecutionSummary } from "./summary.ts";
import { TimedProgram } from "./testing/program.ts";
import { TraceRecorder } from "./trace.ts";

const h200 = findGpu("h200")!;
const resident = 1056;
const us = (summary: ExecutionSummary): number => estimateTime(summary, h200)!.ns / 1000;

const empty = new TimedProgram();
empty.compute("alu", []);

function reads(times: number, l2: number): ExecutionSummary {
  const program = new TimedProgram();
  const site = program.site({ space: "global", operation: "load" }, { l2, dram: 1 - l2 });
  const address = program.chain("alu", 3);
  const loads = [0, 1, 2, 3].map(() => program.memory(site, [address], 4, 16));
  for (const load of loads) program.compute("fma", [load]);
  program.branch([address]);
  return program.launch(resident, 256, { times });
}

/** `written`: the share of what is written that does not stay in the L2. */
function copies(times: number, written: number): ExecutionSummary {
  const program = new TimedProgram();
  const from = program.site({ space: "global", operation: "load" }, { dram: 1 });
  const to = program.site({ space: "global", operation: "store" }, { l2: 1 - written, dram: written, accessesPerSector: 0.55 });
  const address = program.chain("alu", 3);
  program.memory(to, [program.memory(from, [address], 4, 16)], 4, 16);
  program.branch([address]);
  return program.launch(resident, 256, { times, readShare: 1 / (1 + written) });
}

function writes(times: number, dram: number): ExecutionSummary {
  const program = new TimedProgram();
  const site = program.site({ space: "global", operation: "store" }, { l2: 1 - dram, dram, accessesPerSector: 0.55 });
  program.memory(site, [program.chain("alu", 3)], 4, 16);
  program.branch();
  return program.launch(resident, 256, { times, readShare: 0 });
}

function scattered(operation: "load" | "store", dram: number): ExecutionSummary {
  const program = new TimedProgram();
  const bytesPerDramSector = operation === "load" ? 64 : 128;
  const site = program.site(
    { space: "global", operation },
    { l2: 1 - dram, dram, accessesPerSector: 1, linesPerSector: 1, bytesPerDramSector, scattered: true },
  );
  const thread = program.chain("alu", 2);
  const loads = [0, 1, 2, 3].map(() => program.memory(site, [program.chain("alu", 9, [thread])], 8, 32));
  if (operation === "load") for (const load of loads) program.compute("alu", [load]);
  program.branch();
  return program.launch(resident, 256, { times: 16 });
}

describe("launches measured on an H200 (validation/microbenchmarks/h200-profile.tsv), in microseconds", () => {
  test.each([
    ["1 empty block", empty.launch(1, 32), 1.57, 0.05],
    ["132 empty blocks", empty.launch(132, 256), 1.82, 0.15],
    ["1,056 empty blocks", empty.launch(1056, 256), 2.21, 0.1],
    ["13,200 empty blocks of 32", empty.launch(13_200, 32), 9.54, 0.05],
    ["13,200 empty blocks of 1,024", empty.launch(13_200, 1024), 10.6, 0.12],
    ["17 MB read six times, once from memory", reads(6, 5 / 6), 15.8, 0.15],
    ["35 MB read six times, once from memory", reads(12, 5 / 6), 29, 0.18],
    ["86 MB read six times from memory", reads(30, 0), 116, 0.05],
    ["64 MB copied", copies(15, 0.65), 31.3, 0.1],
    ["256 MB copied", copies(62, 0.92), 132, 0.14],
    ["24 MB written into the L2", writes(6, 0), 7.23, 0.15],
    ["256 MB written", writes(62, 0.9), 62.6, 0.15],
    ["random reads of 4 MB", scattered("load", 0), 111, 0.1],
    ["random reads of 256 MB", scattered("load", 0.89), 392, 0.1],
    ["random writes of 4 MB", scattered("store", 0), 228, 0.1],
    ["random writes of 256 MB", scattered("store", 1), 1012, 0.2],
  ])("%s", (_, summary, measured, tolerance) => {
    expect(us(summary) / measured).toBeGreaterThan(1 - tolerance);
    expect(us(summary) / measured).toBeLessThan(1 + tolerance);
  });
});

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

  test("a barrier waits for the last warp of the block", () => {
    const program = new TimedProgram();
    program.chain("alu", 50);
    program.barrier();
    program.compute("alu", []);
    const { barrierLatency, barrierPerWarp } = h200.values;
    expect(cycles(program.launch(1, 256))).toBeGreaterThan(50 * 4 + barrierLatency + 8 * barrierPerWarp);
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

  test("what the budget leaves is extrapolated", () => {
    const launch = copies(62, 0.92);
    const all = replay(launch, h200.values, new Work(), 1e9)!;
    const part = replay(launch, h200.values, new Work(), 5000)!;
    expect(all.share).toBe(1);
    expect(part.share).toBeLessThan(1);
    expect(Math.abs(part.cycles / all.cycles - 1)).toBeLessThan(0.1);
  });

  test("nothing comes of nothing", () => {
    expect(replay({ ...empty.launch(1, 32), blocks: [] }, h200.values, new Work())).toBeUndefined();
    expect(estimateTime({ ...empty.launch(1, 32), code: [[]] }, h200)).toBeUndefined();
  });

  test("more bytes, blocks or instructions never take less time", () => {
    const times = [8, 16, 32, 64].map((n) => us(copies(n, 0.92)));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const grids = [1, 100, 1000, 10_000].map((n) => us(empty.launch(n, 128)));
    expect(grids).toEqual(grids.toSorted((a, b) => a - b));
  });
});

test("latency under load follows T^p = latency^p + bandwidth^p", () => {
  // With as many bytes in flight as saturate the memory, each bound alone would take 1: together 2^(1/p).
  const p = 1.8;
  const together = 2 ** (1 / p);
  expect(loaded(1, 1 / together, p)).toBeCloseTo(together, 6);
});

test("every GPU gives a time", () => {
  for (const id of ["k80", "gtx750ti", "p100", "v100", "t4", "a100", "rtx4090", "b200"]) {
    const gpu = findGpu(id)!;
    expect(estimateTime(empty.launch(100, 128), gpu)!.ns).toBeGreaterThan(0);
  }
});

describe("a trace", () => {
  test("keeps what the warp ran and accessed, entry by entry", () => {
    const recorder = new TraceRecorder([3, 0, 5]);
    recorder.enter(0);
    recorder.access(7, 2, 8);
    recorder.access(9, 1, 4);
    recorder.enter(1);
    recorder.enter(2, 10);
    recorder.access(7, 1, 4);
    const trace = recorder.finish();
    expect([...trace.blocks]).toEqual([0, 2]);
    expect([...trace.weights!]).toEqual([1, 10]);
    expect([...trace.accesses]).toEqual([7, 2, 8, 9, 1, 4, 7, 1, 4]);
    expect([...trace.accessStart]).toEqual([0, 2, 3]);
  });

  test("that is cut short lets its second half stand for the rest", () => {
    const recorder = new TraceRecorder([10], 100);
    for (let i = 0; i < 1000; i++) {
      recorder.enter(0);
      recorder.access(0, 1, 4);
    }
    const { blocks, weights } = recorder.finish();
    expect(blocks.length).toBe(10);
    expect(weights!.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1000, 3);
    expect(weights![0]).toBe(1);
  });

  test("grows", () => {
    const recorder = new TraceRecorder([1], 1e6);
    for (let i = 0; i < 5000; i++) {
      recorder.enter(0);
      recorder.access(i % 100, 3, i % 33);
    }
    const { blocks, accesses, accessStart } = recorder.finish();
    expect([blocks.length, accesses.length, accessStart.at(-1)]).toEqual([5000, 15_000, 5000]);
    expect([accesses[3 * 4999], accesses[3 * 4999 + 2]]).toEqual([4999 % 100, 4999 % 33]);
  });
});
