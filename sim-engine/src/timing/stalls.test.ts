import { describe, expect, test } from "vitest";
import { findGpu } from "../gpus/model.ts";
import { Work } from "../work.ts";
import { replay } from "./replay.ts";
import type { StallShares } from "./stalls.ts";
import { TimedProgram } from "./testing/program.ts";

const h200 = findGpu("h200")!;

describe("where warps spend their time", () => {
  const stalls = (program: TimedProgram, grid = 1, block = 32, times = 1): StallShares =>
    replay(program.launch(grid, block, { times }), h200.values, new Work())!.stalls;
  const whole = (shares: StallShares, instruction: number): number =>
    Object.values(shares.at(instruction)).reduce((sum, share) => sum + share, 0);

  const mostly = (shares: StallShares, instruction: number): string | undefined =>
    Object.entries(shares.at(instruction)).sort((a, b) => b[1] - a[1])[0]?.[0];

  test("is all of it", () => {
    const program = new TimedProgram();
    const site = program.site({ space: "global", operation: "load" }, { dram: 1 });
    program.chain("fma", 20, [program.memory(site, [], 1, 4)]);
    program.barrier();
    const shares = stalls(program, 1000, 256);
    expect(program.instructions.reduce((sum, _, index) => sum + whole(shares, index), 0)).toBeCloseTo(1, 9);
  });

  test("is where a value is read, and because of what loads it", () => {
    const program = new TimedProgram();
    const site = program.site({ space: "global", operation: "load" }, { dram: 1 });
    const loaded = program.memory(site, [], 1, 4);
    program.compute("fma", []);
    program.compute("fma", [loaded]);
    const shares = stalls(program);
    expect(shares.at(2).memory).toBeGreaterThan(0.5);
    expect(shares.causedBy(0)).toBeGreaterThan(0.5);
    expect(shares.causedBy(2)).toBeLessThan(0.1);
    expect(whole(shares, 1)).toBeLessThan(0.1);
  });

  test.each([
    ["shared", { space: "shared", operation: "load" }, 32],
    ["atomics", { space: "global", operation: "reduction" }, 32],
  ] as const)("in the queue of %s, where many wait for their turn", (kind, site, cycles) => {
    const program = new TimedProgram();
    const at = program.site(site, { l2: 1 });
    for (let i = 0; i < 16; i++) program.memory(at, [], cycles, 32);
    const shares = stalls(program, 132 * 8, 1024);
    expect(program.instructions.reduce((sum, _, index) => sum + (shares.at(index)[kind] ?? 0), 0)).toBeGreaterThan(0.8);
  });

  test("of a value that is made before a loop, once however long the loop", () => {
    const program = new TimedProgram();
    const site = program.site({ space: "global", operation: "load" }, { dram: 1 });
    const loaded = program.memory(site, [], 1, 4);
    program.compute("fma", [loaded]);
    const once = program.launch(1, 32);
    const [block] = once.blocks;
    const [warp] = block!.warps;
    const turns = (times: number): number => {
      const { stalls, cycles } = replay(
        {
          ...once,
          code: [[program.instructions[0]!], [program.instructions[1]!]],
          blocks: [
            {
              ...block!,
              warps: [{ ...warp!, blocks: Uint32Array.of(0, 1), weights: Float32Array.of(1, times), accessStart: Uint32Array.of(0, 1, 1) }],
            },
          ],
        },
        h200.values,
        new Work(),
      )!;
      return (stalls.at(1).memory ?? 0) * cycles;
    };
    expect(turns(1)).toBeGreaterThan(100);
    expect(turns(1000) / turns(1)).toBeLessThan(3);
  });

  test("at the barrier, until the last has come", () => {
    const program = new TimedProgram();
    program.barrier();
    for (let i = 0; i < 8; i++) program.compute("fma", []);
    expect(mostly(stalls(program, 132, 1024), 0)).toBe("barrier");
  });

  test("at a pipe that is busy, and in turns where it is not", () => {
    const busy = new TimedProgram();
    const turns = new TimedProgram();
    for (let i = 0; i < 64; i++) {
      busy.compute("xu", []);
      turns.compute("fma", []);
    }
    expect(mostly(stalls(busy, 132, 1024, 20), 40)).toBe("pipe");
    expect(mostly(stalls(turns, 132, 1024, 20), 40)).toBe("issue");
  });
});
