import { expect, test } from "vitest";
import type { AccessListener } from "../execute/accesses.ts";
import { compile } from "../execute/compile.ts";
import { Runner } from "../execute/run.ts";
import type { Dim3, Launch } from "../ir/kernel.ts";
import { parseKernel } from "../ir/text.ts";
import { Work } from "../work.ts";
import { Arrivals } from "./arrivals.ts";

/** Thread 0 of each block counts itself; the last one to come stores to `out`. */
const kernel = (atomic: string, index = "%zero") =>
  parseKernel(`kernel @last(%count: ptr i32, %out: ptr i32) {
file "last.cu"
b0:
  %count: ptr = param 0
  %out: ptr = param 1
  %zero: i32 = const 0
  %one: i32 = const 1
  %two: i32 = const 2
  %most: i32 = const 9
  %tid: i32 = special tid.x
  %first: i1 = icmp.eq %tid, %zero
  branch %first, counts, done
counts:
  %old: i32 = ${atomic} !3
  %last: i1 = icmp.eq %old, %most
  branch %last, stores, done
stores:
  %at: ptr = gep %out, ${index}, scale 4
  store.global %at, %one, align 4 !4
  jump done
done:
  return
}`);

const launch: Launch = {
  grid: [10, 1, 1],
  block: [32, 1, 1],
  dynamicSharedBytes: 0,
  arguments: [0, 1].map((buffer) => ({ kind: "pointer", buffer, offset: 0 }) as const),
  buffers: ["count", "out"].map((name) => ({ name, residence: "device", content: { kind: "zero" }, element: "i32", bytes: 64 }) as const),
};

/** Whether the last of the first block and the last stores, the others having been counted between. */
function comesLast(atomic: string, index?: string): boolean {
  const program = compile(kernel(atomic, index), launch);
  const runner = new Runner(program, new Work());
  const arrivals = new Arrivals(program);
  let stored = false;
  const listener: AccessListener = {
    request: (counter, addresses, from, mask) => {
      arrivals.count(counter, addresses, from, mask);
      if (counter.operation === "store") stored = true;
    },
    patterned: (counter, _, first, pattern, mask) =>
      listener.request(
        counter,
        pattern.map((each) => first + each),
        0,
        mask,
        0,
      ),
    bulk: () => undefined,
    meets: () => undefined,
  };
  for (const counter of [...program.counters.values()].flat()) counter.listener = listener;
  const blocks: Dim3[] = [
    [0, 0, 0],
    [9, 0, 0],
  ];
  for (const at of blocks) {
    if (at[0] > 0) arrivals.countOthers();
    runner.runBlock(at);
    arrivals.end();
  }
  return stored;
}

test.each([
  ["add of one", "atomic.global.device.add %count, %one", undefined, true],
  ["inc", "atomic.global.device.inc %count, %most", undefined, true],
  ["add of two", "atomic.global.device.add %count, %two", undefined, false],
  ["a number that is an index, too", "atomic.global.device.add %count, %one", "%old", false],
])("the last block comes last: %s", (_, atomic, index, expected) => expect(comesLast(atomic, index)).toBe(expected));
