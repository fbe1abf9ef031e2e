import { expect, test } from "vitest";
import { parseKernel, printKernel } from "../../ir/text.ts";
import { Work } from "../../work.ts";
import { common, runPasses } from "../testing/run-passes.ts";
import { vectorizeAccesses } from "./vectorize.ts";

const row = (align: number): string => `${common}
  %10: ptr = shared.address 0
  %11: ptr = gep %10, %4, scale ${align}, offset 0
  %12: f32 = load.shared %11, align 4
  %13: ptr = gep %11, %5, scale 1, offset 4
  %14: f32 = load.shared %13, align 4
  %15: f32 = fadd %12, %14
  store.global %2, %15, align 4`;

test("neighbours are loaded together where their alignment is proven", () => {
  expect(runPasses(row(128), vectorizeAccesses)).toMatch(/f32x2 = load\.shared %11, align 8/);
  expect(runPasses(row(132), vectorizeAccesses)).not.toMatch(/f32x2/);
});

const quad = (align: number, ...offsets: number[]): string => `${common}
  %10: ptr = gep %1, %4, scale 16, offset 0
${offsets.map((offset, k) => `  %${20 + k}: ptr = gep %10, %5, scale 1, offset ${offset}`).join("\n")}
${offsets.map((offset, k) => `  %${30 + k}: f32 = load.global %${20 + k}, align ${Math.min(align, offset === 0 ? align : offset & -offset)}`).join("\n")}
${offsets.map((_, k) => `  store.global %2, %${30 + k}, align 4\n  barrier`).join("\n")}`;

test.each([
  ["all four members", [0, 4, 8, 12], ["f32x4"]],
  ["three of four, from the first on", [0, 4, 12], ["f32x4"]],
  ["three of four without the first", [4, 8, 12], ["f32", "f32x2"]],
  ["two that are neighbours", [8, 12], ["f32x2"]],
  ["two that are not", [0, 8], ["f32", "f32"]],
  ["two across the middle", [4, 8], ["f32", "f32"]],
])("of an aligned vector are loaded, as nvcc does: %s", (_, offsets, expected) => {
  const loads = (text: string): string[] => [...text.matchAll(/(f32\S*) = load/g)].map(([, type]) => type as string);
  expect(loads(runPasses(quad(16, ...offsets), vectorizeAccesses))).toEqual(expected);
  expect(loads(runPasses(quad(4, ...offsets), vectorizeAccesses))).toEqual(offsets.map(() => "f32"));
});

// As nvcc 13.0 reads `table[2 * tid]` and `table[2 * tid + 1]`, by what is declared before them.
test.each([
  [0, true],
  [64, true],
  [68, false],
  [undefined, true],
])("neighbours in the constant bank, of a table that begins at %s", (offset, isJoined) => {
  const place = offset === undefined ? "" : ` at ${offset}`;
  const kernel = parseKernel(`kernel @k(%out: ptr f32) {
constant @table 64 align 4${place} f32
b0:
  %1: ptr = param 0
  %2: i32 = special tid.x
  %3: ptr = global.address 0
  %4: ptr = gep %3, %2, scale 8
  %9: i32 = const 0
  %5: ptr = gep %4, %9, scale 1, offset 4
  %6: f32 = load.constant %4, align 4
  %7: f32 = load.constant %5, align 4
  %8: f32 = fadd %6, %7
  store.global %1, %8, align 4
  return
}
`);
  vectorizeAccesses(kernel, new Work());
  expect(printKernel(kernel).includes("f32x2 = load.constant")).toBe(isJoined);
});

/** Two or four neighbours at `align`-aligned rows of shared memory, each read as `type`. */
const neighbours = (type: string, bytes: number, count: number): string => `${common}
  %10: ptr = shared.address 0
  %11: ptr = gep %10, %4, scale ${bytes * count}, offset 0
${Array.from({ length: count }, (_, k) => `  %${20 + k}: ptr = gep %11, %5, scale 1, offset ${k * bytes}\n  %${30 + k}: ${type} = load.shared %${20 + k}, align ${bytes}`).join("\n")}`;

test("vectors that are neighbours become one access, of which each keeps its parts", () => {
  const parts = `${neighbours("f16x2", 4, 4)}
  %40: f16 = extract %31, 1
  %41: f16 = extract %33, 0
  %42: f16 = fadd %40, %41
  store.global %2, %42, align 2`;
  const text = runPasses(parts, vectorizeAccesses);
  expect(text).toMatch(/f16x8 = load\.shared \S+, align 16/);
  expect([...text.matchAll(/extract \S+, (\d)/g)].map(([, index]) => Number(index))).toEqual([3, 6]);
});

test("vectors that something reads as a whole stay apart", () => {
  const whole = `${neighbours("f32x2", 8, 2)}
  %40: f32 = extract %30, 0
  store.global %2, %40, align 4
  store.global %2, %31, align 8`;
  expect(runPasses(whole, vectorizeAccesses)).not.toMatch(/f32x4/);
});

test("neighbours of one size and different types are read as integers", () => {
  const mixed = `${common}
  %10: ptr = gep %1, %4, scale 8, offset 0
  %11: ptr = gep %10, %5, scale 1, offset 4
  %12: f32 = load.global %10, align 8
  %13: i32 = load.global %11, align 4
  %14: f32 = sitofp %13
  %15: f32 = fadd %12, %14
  store.global %2, %15, align 4`;
  const text = runPasses(mixed, vectorizeAccesses);
  expect(text).toMatch(/i32x2 = load\.global \S+, align 8/);
  expect(text).toMatch(/f32 = bitcast/);
});

test("stores stay on their side of a copy that may read what they wrote", () => {
  const copied = `${common}
  %10: ptr = shared.address 0
  %11: ptr = gep %1, %5, scale 1, offset 4
  %12: f32 = const 1
  store.global %1, %12, align 8
  copy.async %10, %1, 16
  store.global %11, %12, align 4`;
  expect(runPasses(copied, vectorizeAccesses)).not.toMatch(/%12, %12/);
});
