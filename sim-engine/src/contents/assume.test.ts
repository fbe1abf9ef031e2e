import { expect, test } from "vitest";
import type { Launch } from "../ir/kernel.ts";
import { parseKernel } from "../ir/text.ts";
import { Work } from "../work.ts";
import { assumeUnknowns } from "./assume.ts";

/** `out[b][t] = in[b][t]`, of tables of pointers that nobody knows. */
const kernel = parseKernel(`kernel @copy(%out: ptr ptr, %in: ptr ptr) {
b0:
  %1: ptr = param 0
  %2: ptr = param 1
  %3: i32 = special ctaid.x
  %4: i32 = special tid.x
  %5: ptr = gep %2, %3, scale 8
  %6: ptr = load.global %5, align 8
  %7: ptr = gep %6, %4, scale 4
  %8: f32 = load.global %7, align 4
  %9: ptr = gep %1, %3, scale 8
  %10: ptr = load.global %9, align 8
  %11: ptr = gep %10, %4, scale 4
  store.global %11, %8, align 4
  return
}
`);

/** Addresses that the tables hold, each of so many pointers, or of nobody knows how many. */
function pointers(count: number | undefined): number[][] {
  const launch: Launch = {
    grid: [64, 1, 1],
    block: [256, 1, 1],
    dynamicSharedBytes: 0,
    arguments: [0, 1].map((buffer) => ({ kind: "pointer", buffer, offset: 0 })),
    buffers: ["out", "in"].map((name) => ({ name, ...(count === undefined ? {} : { bytes: 8 * count }), content: { kind: "unknown" } })),
  };
  const assumed = assumeUnknowns(kernel, launch, { resolve: (content) => ({ content, origins: [] }) }, new Work());
  expect(assumed.assumptions.map(({ what, value }) => `${what}: ${value}`)).toEqual([
    "contents of in: memory of its own for each pointer",
    "contents of out: memory of its own for each pointer",
  ]);
  return assumed.launch.buffers.map(({ content }) => {
    if (content.kind !== "linear") throw new Error(content.kind);
    return [0, 1, (count ?? 1000) - 1].map((index) => content.start + content.stride * index);
  });
}

test.each([64, 1536, 1_000_000, undefined])(
  "pointers of unknown tables of %s point apart, and those of one table apart from another's",
  (count) => {
    const [out, from] = pointers(count) as [number[], number[]];
    expect(out[1]! - out[0]!).toBeGreaterThanOrEqual(count === 1_000_000 ? 2048 : 2 ** 20);
    expect(out[2]! + out[1]! - out[0]!).toBeLessThanOrEqual(from[0]!);
    expect(out.every((address) => address % 512 === 0)).toBe(true);
  },
);

/** `if (keys[i] != keys[i + 1]) heads[i] = 1`, or whatever else is compared. */
const heads = (compared: string) =>
  parseKernel(`kernel @heads(%keys: ptr i32, %heads: ptr i32) {
b0:
  %1: ptr = param 0
  %2: ptr = param 1
  %3: i32 = special ctaid.x
  %4: i32 = special ntid.x
  %5: i32 = special tid.x
  %6: i32 = mul %3, %4
  %7: i32 = add %6, %5
  %8: ptr = gep %1, %7, scale 4
  %9: i32 = load.global %8, align 4
  %10: i32 = const 1
  %11: i32 = add %7, %10
  %12: ptr = gep %1, %11, scale 4
  %13: i32 = load.global %12, align 4
  %14: i1 = icmp.${compared}
  branch %14, b1, b2
b1:
  %15: ptr = gep %2, %7, scale 4
  store.global %15, %10, align 4
  jump b2
b2:
  return
}
`);

test.each([
  ["each with the next: sorted keys", "ne %9, %13", "0 to 256, ascending"],
  ["each with a number", "eq %9, %10", "uniform(0, 256)"],
  ["for which of two is less, as a sort does", "slt %9, %13", "uniform(0, 256)"],
])("keys that a kernel compares %s", (_, compared, value) => {
  const launch: Launch = {
    grid: [64, 1, 1],
    block: [256, 1, 1],
    dynamicSharedBytes: 0,
    arguments: [0, 1].map((buffer) => ({ kind: "pointer", buffer, offset: 0 })),
    buffers: ["keys", "heads"].map((name) => ({ name, bytes: 65_540, content: { kind: "unknown" } })),
  };
  const assumed = assumeUnknowns(heads(compared), launch, { resolve: (content) => ({ content, origins: [] }) }, new Work());
  expect(assumed.assumptions.map((each) => each.value)).toEqual([value]);
  expect([...assumed.madeUp]).toEqual([0]);
});
