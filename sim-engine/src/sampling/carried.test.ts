import { describe, expect, it } from "vitest";
import { findGpu } from "../gpus/model.ts";
import { parseKernel } from "../ir/text.ts";
import { simulate } from "../simulate.ts";

/**
 * A loop that stores where `place` says; `next` is what it carries besides its counter. How many turns it has only the launch knows: it is
 * unrolled alike for all.
 */
const kernelText = (next: string) =>
  `kernel @turns(%out: ptr i32, %turns: i32) {
entry:
  %out: ptr = param 0
  %zero: i32 = const 0
  %one: i32 = const 1
  %three: i32 = const 3
  %turns: i32 = param 1
  %tx: i32 = special tid.x
  jump loop
loop:
  %i: i32 = phi [%zero, entry], [%up, loop]
  %turn: i32 = phi [%zero, entry], [%next, loop]
  %places: i32 = shl %turn, %three
  %place: i32 = add %places, %tx
  %to: ptr = gep %out, %place, scale 4
  store.global %to, %tx, align 4 !3
  barrier
  %more: i32 = add %turn, %one
  %next: i32 = ${next}
  %up: i32 = add %i, %one
  %goes: i1 = icmp.slt %up, %turns
  branch %goes, loop, done
done:
  return
}`;
const kernel = (next: string) => parseKernel(kernelText(next));

const launch = (turns: number) =>
  ({
    grid: [1, 1, 1],
    block: [32, 1, 1],
    dynamicSharedBytes: 0,
    arguments: [
      { kind: "pointer", buffer: 0, offset: 0 },
      { kind: "scalar", value: turns },
    ],
    buffers: [{ name: "out", residence: "device", content: { kind: "zero" }, element: "i32" }],
  }) as const;

const counts = (turns: number, next: string) => {
  const { instructions, traffic, simulated } = simulate(kernel(next), launch(turns), findGpu("h200")!);
  return {
    instructions: instructions.warp,
    sectors: traffic.globalStoreSectors,
    steps: simulated.warpInstructions,
    exact: simulated.exact,
  };
};

describe("turns of a loop that takes its buffers in turn", () => {
  it.each([
    ["xor %turn, %one", "two"],
    ["urem %more, %three", "three"],
    ["add %i, %one", "a place that follows the counter"],
  ])("%s (%s) are skipped, and counted as if they had been run", (next) => {
    const [few, twice, many] = [counts(240, next), counts(480, next), counts(12_000, next)];
    expect(many.exact).toBe(true);
    expect(many.instructions).toBe(few.instructions + 49 * (twice.instructions - few.instructions));
    expect(many.sectors).toBe(few.sectors + 49 * (twice.sectors - few.sectors));
    expect(many.steps).toBeLessThan(8000);
  });

  it("are skipped where whether a bound is reached comes from the turn before, as far as it stays so", () => {
    // A loop that is tested behind its turn leaves that to a guard in the next one, `i < turns && i < most`.
    const guarded = (turns: number, most: number) => {
      const code = kernelText("add %i, %one")
        .replace("%turn: i32 = phi", "%below: i1 = phi [%begins, entry], [%goes, loop]\n  %turn: i32 = phi")
        .replace("jump loop", "%begins: i1 = icmp.slt %zero, %turns\n  jump loop")
        .replace(
          "%places: i32",
          `%most: i32 = const ${most}\n  %few: i1 = icmp.slt %i, %most\n  %stores: i1 = and %below, %few\n  branch %stores, then, next\nthen:\n  %places: i32`,
        )
        .replace("  barrier\n", "  jump next\nnext:\n")
        .replace("[%up, loop]", "[%up, next]")
        .replaceAll("[%next, loop]", "[%next, next]")
        .replace("[%goes, loop]", "[%goes, next]");
      return simulate(parseKernel(code), launch(turns), findGpu("h200")!);
    };
    const report = guarded(12_000, 9_000);
    expect(report.simulated.exact).toBe(true);
    expect(report.simulated.warpInstructions).toBeLessThan(8000);
    const run = [3_000, 6_000].map((most) => guarded(12_000, most).traffic.globalStoreSectors!);
    expect(report.traffic.globalStoreSectors! - run[1]!).toBe(run[1]! - run[0]!);
  });

  it("are skipped where a turn is taken on one of the ways through the loop", () => {
    // `if (i < most) turn ^= 1`, as a loop does that loads ahead of what it computes.
    const counted = (turns: number) => {
      const code = kernelText("phi [%turn, loop], [%other, then]")
        .replace("  barrier\n", "")
        .replace(
          "  %more: i32 = add %turn, %one\n",
          "  %most: i32 = sub %turns, %one\n  %ahead: i1 = icmp.slt %i, %most\n  branch %ahead, then, next\nthen:\n  store.global %to, %tx, align 4 !4\n  %other: i32 = xor %turn, %one\n  jump next\nnext:\n",
        )
        .replace("[%up, loop]", "[%up, next]")
        .replace("[%next, loop]", "[%next, next]");
      return simulate(parseKernel(code), launch(turns), findGpu("h200")!);
    };
    const { simulated, traffic } = counted(12_000);
    expect(simulated.exact).toBe(true);
    expect(simulated.warpInstructions).toBeLessThan(8000);
    expect(traffic.globalStoreSectors! - counted(6_000).traffic.globalStoreSectors!).toBe(
      2 * (counted(6_000).traffic.globalStoreSectors! - counted(3_000).traffic.globalStoreSectors!),
    );
  });

  it("are run where what comes next follows no rule that is known", () => {
    expect(counts(2400, "mul %more, %three").steps).toBeGreaterThan(2400);
  });
});
