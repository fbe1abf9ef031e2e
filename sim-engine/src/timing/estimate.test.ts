import { describe, expect, test } from "vitest";
import { findGpu } from "../gpus/model.ts";
import { estimateTime } from "./estimate.ts";
import type { ExecutionSummary } from "./summary.ts";
import { copies, resident, TimedProgram } from "./testing/program.ts";

const h200 = findGpu("h200")!;
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

/** Every thread a word, of the host's memory. */
function overLink(operation: "load" | "store", sectors: number, partial: number): ExecutionSummary {
  const program = new TimedProgram();
  const accessesPerSector = sectors === 4 ? 0.5 : 1;
  const site = program.site({ space: "global", operation }, { dram: 1, accessesPerSector, host: { partial } });
  const word = program.memory(site, [program.chain("alu", 3)], 1, sectors);
  if (operation === "load") program.compute("alu", [word]);
  program.branch();
  const bytes = operation === "load" ? { hostReadBytes: 1, hostWriteBytes: 0 } : { hostReadBytes: 0, hostWriteBytes: 1 };
  const summary = program.launch(8192, 256);
  return { ...summary, traffic: { ...summary.traffic, ...bytes } };
}

describe("memory of the host (validation/microbenchmarks/h200-host.txt): 2,097,152 words, in microseconds", () => {
  test.each([
    ["read side by side, 51.1 GB/s", overLink("load", 4, 0), 164, 0.05],
    ["written side by side, 52.6 GB/s", overLink("store", 4, 0), 159, 0.07],
    ["read 128 bytes apart, 23.7 GB/s of sectors", overLink("load", 32, 0), 2832, 0.1],
    ["written 32 bytes apart", overLink("store", 32, 1), 4203, 0.05],
  ])("%s", (_, summary, measured, error) => {
    expect(Math.abs(us(summary) / measured - 1)).toBeLessThan(error);
    expect(estimateTime(summary, h200)!.boundBy).toBe("host-link");
  });
});

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

describe("a warp that does much more than all others", () => {
  const program = new TimedProgram();
  const site = program.site({ space: "global", operation: "load" }, { dram: 1 });
  program.branch([program.memory(site, [program.chain("alu", 1)], 1, 1)]);
  const [one, thousand] = [1, 1000].map((times) => program.launch(1, 32, { times }).blocks[0]!);
  const launch = (index: number): number =>
    us({
      ...program.launch(13_200, 32),
      blocks: [{ ...one!, weight: 13_200 }],
      longest: { ...thousand!, index, isCertain: false },
    });
  const alone = us(program.launch(1, 32, { times: 1000 }));

  test("makes the launch last as long as its own chain of loads, whatever part of it the SM is that was replayed", () => {
    expect(us(program.launch(13_200, 32))).toBeLessThan(alone / 20);
    expect(launch(0) / alone).toBeCloseTo(1, 1);
  });

  test("ends later where those before it have to make room first", () => expect(launch(13_199)).toBeGreaterThan(launch(0)));

  test("says all where each block has an SM for itself", () => {
    const uneven = { ...program.launch(16, 32), blocks: [{ ...thousand!, weight: 16 }] };
    const slower = { ...uneven, costs: { issued: Float64Array.of(9, ...new Array<number>(15).fill(1)), areDrawn: false } };
    const half = program.launch(1, 32, { times: 500 }).blocks[0]!;
    expect(us({ ...slower, longest: { ...half, index: 0, isCertain: true } })).toBeLessThan(0.6 * alone);
    expect(us({ ...slower, longest: { ...half, index: 0, isCertain: false } })).toBeGreaterThan(0.9 * alone);
  });
});

test("every GPU gives a time", () => {
  for (const id of ["k80", "gtx750ti", "p100", "v100", "t4", "a100", "rtx4090", "b200"]) {
    const gpu = findGpu(id)!;
    expect(estimateTime(empty.launch(100, 128), gpu)!.ns).toBeGreaterThan(0);
  }
});

test("more bytes, blocks or instructions never take less time", () => {
  const times = [8, 16, 32, 64].map((n) => us(copies(n, 0.92)));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  const grids = [1, 100, 1000, 10_000].map((n) => us(empty.launch(n, 128)));
  expect(grids).toEqual(grids.toSorted((a, b) => a - b));
});

test("a launch that does nothing takes no time that is known", () =>
  expect(estimateTime({ ...empty.launch(1, 32), code: [[]] }, h200)).toBeUndefined());

test("where tensor cores multiply SMs have another clock: 1,980 and 1,800 MHz (h200-tensor-clock.txt)", () => {
  const program = new TimedProgram();
  program.chain("fma", 20_000);
  program.branch();
  const summary = program.launch(132, 32);
  expect(us({ ...summary, tensorClocked: true }) / us(summary)).toBeCloseTo(1980 / 1800, 1);
});
