import { expect, test } from "vitest";
import { findGpu } from "../gpus/model.ts";
import { parseKernel, printKernel } from "../ir/text.ts";
import { simulate } from "../simulate.ts";
import { Work } from "../work.ts";

const waiting = (look: string) =>
  parseKernel(`kernel @wait(%flag: ptr i32) {
entry:
  %flag: ptr = param 0
  %zero: i32 = const 0
  %one: i32 = const 1
  %tx: i32 = special tid.x
  jump loop
loop:
  %seen: i32 = ${look} !3
  %waits: i1 = icmp.eq %seen, %zero
  branch %waits, loop, done
done:
  store.global %flag, %tx, align 4 !4
  return
}`);

const launch = {
  grid: [1, 1, 1],
  block: [32, 1, 1],
  dynamicSharedBytes: 0,
  arguments: [{ kind: "pointer", buffer: 0, offset: 0 }],
  buffers: [{ name: "flag", residence: "device", content: { kind: "zero" }, element: "i32" }],
} as const;

test("a loop that waits for what never happens is given up, not counted without end", () => {
  const kernel = waiting("atomic.global.device.and %flag, %one");
  expect(() => simulate(kernel, launch, findGpu("h200")!, { work: new Work(100_000) })).toThrow(/may never end/);
});

test("a lock that is never given back ends the run soon, with that reason", () => {
  const look = "atomic.global.device.cas %flag, %zero, %one";
  const kernel = parseKernel(printKernel(waiting(look)).replace("icmp.eq %seen, %zero", "icmp.ne %seen, %zero"));
  const work = new Work();
  expect(() => simulate(kernel, { ...launch, grid: [1024, 1, 1] }, findGpu("h200")!, { work })).toThrow(/a lock that is never given back/);
  expect(work.spent).toBeLessThan(100_000);
});

test.each([
  ["load", "load.global %flag, align 4, volatile"],
  ["atomic", "atomic.global.device.add %flag, %zero"],
  ["atomic", "atomic.global.device.cas %flag, %one, %one"],
])("a loop that only looks is left: what it waits for is others' to write (%s: %s)", (kind, look) => {
  const { accesses, assumptions } = simulate(waiting(look), launch, findGpu("h200")!);
  expect(accesses.map(({ operation, requests }) => [operation, requests])).toEqual([
    [kind, 1],
    ["store", 1],
  ]);
  expect(assumptions.map(({ what }) => what)).toContain("loops that wait for memory");
});
