import { expect, test } from "vitest";
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
