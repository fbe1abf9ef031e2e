import { describe, expect, test } from "vitest";
import { noSpan } from "../ir/builder.ts";
import type { Action, Op } from "../ir/kernel.ts";
import { Retries, retriedAmong } from "./retries.ts";

/** A kernel of these blocks, each thread of which adds so often to the word of its own among so many: as in microbenchmarks/cas-loops.cu. */
function tries(blocks: number, threads: number, words: number, times: number): number {
  const retries = new Retries();
  const observed = [...new Set([0, 1, 2, Math.floor(blocks / 2), blocks - 1])].filter((block) => block < blocks);
  for (const block of observed)
    for (let warp = 0; warp < threads / 32; warp++)
      for (let turn = 0; turn < times; turn++) {
        const addresses = Float64Array.from({ length: 32 }, (_, lane) => 4 * ((block * threads + warp * 32 + lane) % words));
        retries.add(block, addresses, 0, -1);
      }
  return retries.factor({ blocks, atOnce: blocks, threads });
}

describe("tries of a success, as measured (microbenchmarks/h200-cas-loops.txt)", () => {
  test.each([
    [1, 32, 1, 16, 16.5],
    [1, 32, 32, 16, 1],
    [2, 32, 1, 8, 32.84],
    [16, 32, 1, 8, 249.47],
    [132, 32, 1, 8, 1244.46],
    [2112, 32, 1, 8, 9615.07],
    [4, 32, 32, 8, 3.75],
    [66, 32, 32, 8, 36.21],
    [528, 32, 32, 8, 199.44],
    [2112, 32, 32, 8, 642.74],
    [132, 1024, 1024, 4, 49.17],
    [264, 1024, 1024, 4, 82.34],
  ])("%d blocks of %d on %d words, %d times each: %d", (blocks, threads, words, times, measured) => {
    const ratio = tries(blocks, threads, words, times) / measured;
    expect(ratio).toBeGreaterThan(0.5);
    expect(ratio).toBeLessThan(2);
  });
});

test("threads that were seen to try again are not counted twice", () => {
  const once = new Retries();
  const seen = new Retries();
  const addresses = new Float64Array(32);
  for (const block of [0, 1]) {
    once.add(block, addresses, 0, -1);
    // One after the other succeeds.
    for (let done = 0; done < 32; done++) seen.add(block, addresses, 0, -1 << done);
  }
  const launch = { blocks: 100, atOnce: 100, threads: 32 };
  expect(seen.factor(launch) * 16.5).toBeCloseTo(once.factor(launch));
});

describe("what is tried again", () => {
  let id = 0;
  const op = (action: Action, ...args: Op[]): Op => ({ id: id++, action, type: "i32", args, span: noSpan });
  const address = op({ kind: "special", register: "tid.x" });
  const swap = (value: Op, compare: Op): Op =>
    op({ kind: "atomic", op: "cas", space: "global", scope: "device" } as Action, address, value, compare);
  /** do { old = swap(address, of(old), old) } while (...), behind a first try or a load. */
  function loop(of: (old: Op) => Op, first: Op): { readonly again: Op; readonly ops: Op[] } {
    const old = { ...op({ kind: "phi" }), args: [] as Op[] };
    const value = of(old);
    const again = swap(value, old);
    old.args.push(first, again);
    return { again, ops: [first, old, value, again] };
  }
  const loaded = op({ kind: "load", space: "global" } as Action, address);
  const add = (old: Op): Op => op({ kind: "int", op: "add" } as Action, old, address);

  test("a sum", () => {
    const { again, ops } = loop(add, loaded);
    expect([...retriedAmong(ops)]).toEqual([again]);
  });

  test("its first try before the loop, too", () => {
    const first = swap(add(loaded), loaded);
    const { again, ops } = loop(add, first);
    expect(retriedAmong(ops)).toEqual(new Set([first, again]));
  });

  test("a sum where there is something to add", () => {
    const { again, ops } = loop((old) => op({ kind: "select" }, address, add(old), old), loaded);
    expect([...retriedAmong(ops)]).toEqual([again]);
  });

  test("no maximum, no lock, no lone try", () => {
    const most = loop((old) => op({ kind: "int", op: "smax" } as Action, old, address), loaded);
    const chosen = loop(
      (old) => op({ kind: "select" }, op({ kind: "fcmp", predicate: "olt" } as Action, old, address), address, old),
      loaded,
    );
    const lock = swap(op({ kind: "const", value: 1 }), op({ kind: "const", value: 0 }));
    expect([...retriedAmong([...most.ops, ...chosen.ops, lock, swap(add(loaded), loaded)])]).toEqual([]);
  });
});
