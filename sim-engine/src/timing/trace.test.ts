import { describe, expect, test } from "vitest";
import { TraceRecorder } from "./trace.ts";

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
