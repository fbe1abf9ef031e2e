import { describe, expect, test } from "vitest";
import { findGpu } from "../gpus/model.ts";
import { Work } from "../work.ts";
import { Phases } from "./phases.ts";
import { replay } from "./replay.ts";
import { TimedProgram } from "./testing/program.ts";

const h200 = findGpu("h200")!;

test("a phase is known once all is on its way, and over when the last of it arrives", () => {
  const phases = new Phases(Uint32Array.of(0, 2, 1));
  phases.wait(1, 7);
  expect(phases.arrive(1, 500, 4)).toEqual([]);
  expect([phases.isKnown(1), phases.isKnown(2)]).toEqual([false, false]);
  expect(phases.arrive(1, 200, 9)).toEqual([7]);
  expect([phases.isKnown(1), phases.over(1), phases.reason(1)]).toEqual([true, 500, 4]);
  // What was not recorded is not waited for, and once more is as good as once.
  expect([phases.isKnown(3), phases.over(3), phases.arrive(1, 900, 1), phases.over(1)]).toEqual([true, 0, [], 500]);
});

describe("a bulk copy that is waited for takes what was measured (validation/microbenchmarks/h200-hopper.txt)", () => {
  /** Cycles of a copy and the wait for it, one after another. */
  function copies(bytes: number, times: number): number {
    const program = new TimedProgram();
    for (let phase = 1; phase <= times; phase++) {
      program.bulk(program.site({ space: "global", operation: "bulk load" }, { l2: 1 }), phase, bytes / 32);
      program.branch([program.await(program.site({ space: "shared", operation: "wait" }), phase)]);
    }
    return replay(program.launch(1, 32), h200.values, new Work())!.cycles;
  }

  test.each([
    [512, 323],
    [2048, 328],
    [8192, 396],
    [32768, 642],
    [65536, 985],
  ])("%i bytes: %i cycles", (bytes, measured) => {
    const each = (copies(bytes, 30) - copies(bytes, 10)) / 20;
    expect(Math.abs(each / measured - 1)).toBeLessThan(0.1);
  });
});

test("memory that is busy delays what comes of it, a busy L2 no more than what comes of the L2", () => {
  /** Cycles of so many copies, each waited for four later, of which every tenth comes of memory. */
  const cycles = (dram: number): number => {
    const program = new TimedProgram();
    for (let phase = 1; phase <= 60; phase++) {
      program.bulk(program.site({ space: "global", operation: "bulk load" }, { l2: 1 - dram, dram }), phase, 512);
      if (phase > 4) program.branch([program.await(program.site({ space: "shared", operation: "wait" }), phase - 4)]);
    }
    return replay(program.launch(132, 32), h200.values, new Work())!.cycles;
  };
  // At the L2's rate whether or not some of it is read from memory, which has time for it.
  const atRate = (60 * 512 * 32 * 132) / (h200.values.l2Bandwidth / (h200.values.clock / 1000));
  expect(cycles(0) / atRate).toBeLessThan(1.15);
  expect(cycles(0.1) / cycles(0)).toBeLessThan(1.1);
});

test("lanes that copy each for itself follow each other, as was measured (h200-bulk-lanes.txt)", () => {
  /** Cycles of a round of so many copies, which are waited for together. */
  const round = (lanes: number): number => {
    const cycles = (rounds: number): number => {
      const program = new TimedProgram();
      for (let phase = 1; phase <= rounds; phase++) {
        program.bulk(program.site({ space: "global", operation: "bulk load" }, { l2: 1 }), phase, 1, lanes);
        program.branch([program.await(program.site({ space: "shared", operation: "wait" }), phase)]);
      }
      return replay(program.launch(1, 32), h200.values, new Work())!.cycles;
    };
    return (cycles(12) - cycles(4)) / 8;
  };
  expect((round(32) - round(1)) / ((7102.9 - 648.9) / 4)).toBeCloseTo(1, 1);
});
