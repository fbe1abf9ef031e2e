import { describe, expect, it } from "vitest";
import { findGpu } from "../gpus/model.ts";
import type { Launch } from "../ir/kernel.ts";
import { parseKernel } from "../ir/text.ts";
import { simulate } from "../simulate.ts";

/** Each thread adds to the word of its lane, by compare-and-swap; `shift` spreads threads over words of their own. */
const adds = (shift: number) => `kernel @adds(%a: ptr i32) {
b0:
  %0: ptr = param 0
  %1: i32 = special tid.x
  %2: i32 = special ctaid.x
  %3: i32 = special ntid.x
  %4: i32 = mul %2, %3
  %5: i32 = add %1, %4
  %6: i32 = const ${2 ** shift - 1}
  %7: i32 = and %5, %6
  %8: ptr = gep %0, %7, scale 4
  %9: i32 = load.global %8, align 4, volatile
  %10: i32 = const 1
  jump b1
b1:
  %11: i32 = phi [%9, b0], [%13, b1]
  %12: i32 = add %11, %10
  %13: i32 = atomic.global.device.cas %8, %12, %11
  %14: i1 = icmp.ne %13, %11
  branch %14, b1, b2
b2:
  return
}
`;

const launch = (blocks: number): Launch => ({
  grid: [blocks, 1, 1],
  block: [256, 1, 1],
  dynamicSharedBytes: 0,
  arguments: [{ kind: "pointer", buffer: 0, offset: 0 }],
  buffers: [{ name: "a", element: "i32", bytes: 4 << 20, content: { kind: "zero" } }],
});

const reportOf = (shift: number, blocks: number) => simulate(parseKernel(adds(shift)), launch(blocks), findGpu("h200")!);

describe("loops of compare-and-swap", () => {
  it("go round as often as others make them", () => {
    const alone = reportOf(16, 128);
    const crowded = reportOf(9, 128);
    expect(alone.assumptions.filter(({ what }) => what.includes("compare-and-swap"))).toEqual([]);
    expect(crowded.assumptions.filter(({ what }) => what.includes("compare-and-swap"))).toHaveLength(1);
    expect(crowded.instructions.warp).toBeGreaterThan(5 * alone.instructions.warp);
    // What is not in the loop is done once.
    expect(crowded.traffic.globalLoadRequests).toBe(alone.traffic.globalLoadRequests);
  });

  it("are not what stands around a first try", () => {
    const inLoop = parseKernel(`kernel @adds(%a: ptr i32, %b: ptr i32) {
b0:
  %0: ptr = param 0
  %1: ptr = param 1
  %2: i32 = special tid.x
  %3: i32 = const 0
  %4: i32 = const 1
  %5: i32 = const 8
  %6: ptr = gep %0, %2, scale 4
  %7: ptr = gep %1, %2, scale 4
  jump b1
b1:
  %8: i32 = phi [%3, b0], [%9, b4]
  store.global %7, %8, align 4
  %10: i32 = load.global %6, align 4, volatile
  %11: i32 = add %10, %4
  %12: i32 = atomic.global.device.cas %6, %11, %10
  %13: i1 = icmp.ne %12, %10
  branch %13, b2, b4
b2:
  %14: i32 = phi [%12, b1], [%16, b2]
  %15: i32 = add %14, %4
  %16: i32 = atomic.global.device.cas %6, %15, %14
  %17: i1 = icmp.ne %16, %14
  branch %17, b2, b4
b4:
  %9: i32 = add %8, %4
  %18: i1 = icmp.slt %9, %5
  branch %18, b1, b5
b5:
  return
}
`);
    const two: Launch = {
      ...launch(8),
      arguments: [0, 1].map((buffer) => ({ kind: "pointer", buffer, offset: 0 }) as const),
      buffers: [0, 1].map((k) => ({ name: `b${k}`, element: "i32", bytes: 4096, content: { kind: "zero" } }) as const),
    };
    expect(simulate(inLoop, two, findGpu("h200")!).traffic.globalStoreRequests).toBe(8 * 8 * 8);
  });

  it("take longer the more want a word, by more than each success takes", () => {
    const [few, many] = [12, 9].map((shift) => reportOf(shift, 128).time!.cycles);
    expect(many).toBeGreaterThan(2 * few!);
    // 128 blocks of 256 threads want 512 words: 64 successes of each, one after the other.
    expect(many).toBeGreaterThan(64 * findGpu("h200")!.values.atomicSwapTurn!);
  });
});
