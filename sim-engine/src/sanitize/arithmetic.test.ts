import { expect, test } from "vitest";
import { plainContents } from "../execute/sources.ts";
import { linkBlocks } from "../ir/builder.ts";
import type { Launch } from "../ir/kernel.ts";
import { parseKernel } from "../ir/text.ts";
import { Work } from "../work.ts";
import { probe } from "./arithmetic.ts";

/** `if (i < n) x[i * m] = 0`, with i over all threads. */
const text = `kernel @k(%x: ptr i8, %n: i32, %m: i32) {
file "/k.cu"
b0:
  %0: ptr = param 0 !0/1:0-1
  %1: i32 = param 1 !0/1:0-1
  %2: i32 = param 2 !0/1:0-1
  %3: i32 = special ctaid.x !0/1:0-1
  %4: i32 = special ntid.x !0/1:0-1
  %5: i32 = special tid.x !0/1:0-1
  %6: i8 = const 0 !0/1:0-1
  %7: i32 = mul %3, %4 !0/1:0-1
  %8: i32 = add %7, %5 !0/1:0-1
  %9: i1 = icmp.slt %8, %1 !0/2:10-15
  branch %9, b1, b2 !0/2:10-15
b1:
  %10: i32 = mul %8, %2 !0/3:20-25
  %11: ptr = gep %0, %10, scale 1 !0/3:18-26
  store.global %11, %6, align 1 !0/3:18-26
  jump b2
b2:
  return
}
`;

function run(
  grid: number,
  n: number,
  m: number,
  bytes: number,
  invented: readonly number[] = [],
  steps = 100_000,
): ReturnType<typeof probe> {
  const kernel = parseKernel(text);
  linkBlocks(kernel);
  const launch: Launch = {
    grid: [grid, 1, 1],
    block: [32, 1, 1],
    dynamicSharedBytes: 0,
    arguments: [
      { kind: "pointer", buffer: 0, offset: 0 },
      { kind: "scalar", value: n },
      { kind: "scalar", value: m },
    ],
    buffers: [{ name: "x", bytes, content: { kind: "zero" }, residence: "device" }],
  };
  return probe({ kernel, launch, contents: plainContents, invented: new Set(invented) }, new Work(steps));
}

test.each([
  { grid: 4, n: 128, covers: true, most: 127 },
  { grid: 4, n: 100, covers: true, most: 127 },
  { grid: 4, n: 129, covers: false, most: 127 },
  { grid: 4, n: 1000, covers: false, most: 127 },
])("$grid blocks of 32 threads for $n elements", ({ grid, n, covers, most }) => {
  expect(run(grid, n, 1, 1000).reach?.guards).toMatchObject([{ most, limit: n, covers, stored: ["x"] }]);
});

test("how far the stores come is told by buffer", () => {
  expect(run(4, 100, 1, 1000).reach?.stored).toEqual([{ name: "x", bytes: 1000, end: 100 }]);
});

test("a product beyond 32 bits is told where it is worked out, with what it should be", () => {
  const { violations } = run(4, 128, 20_000_000, 2 ** 32);
  expect(violations).toMatchObject([{ kind: "overflow", by: { block: [3, 0, 0], at: { line: 3, start: 20, end: 25 } }, signed: true }]);
  const [first] = violations;
  expect(first?.kind === "overflow" && first.exact - first.value).toBe(2 ** 32);
});

test("within 32 bits nothing is told", () => expect(run(4, 128, 16_000_000, 2 ** 32).violations).toEqual([]));

test("what rests on a value that was made up is no witness", () => {
  const { violations, reach } = run(4, 128, 20_000_000, 2 ** 32, [1, 2]);
  expect(violations).toEqual([]);
  expect(reach?.guards ?? []).toEqual([]);
});

test("where the steps do not suffice for all corners, nothing is said of how far they come", () => {
  expect(run(4, 1000, 1, 1000, [], 3).reach).toBeUndefined();
});
