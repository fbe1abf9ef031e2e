import type { GpuSummary } from "@warplens/server/protocol";
import { expect, test } from "vitest";
import { blockPoints, gpuPoints, sizePoints } from "./sweep-points.ts";

test("blocks of one row grow along x, and the launch's own is as it is", () => {
  const points = blockPoints({ block: [250, 1, 1], grid: [7, 1, 1] });
  expect(points.map(({ x }) => x)).toEqual([32, 64, 96, 128, 192, 250, 256, 384, 512, 640, 768, 896, 1024]);
  expect(points[5]?.overrides).toEqual({ block: [250, 1, 1], grid: [7, 1, 1] });
  expect(points[0]?.overrides).toEqual({ block: [32, 1, 1] });
});

test("where a grid is tried, each block has one that covers as much", () => {
  const points = blockPoints({ block: [256, 1, 1], grid: [100, 2, 1] }, { grid: [100, 2, 1] });
  expect(points.find(({ x }) => x === 96)?.overrides).toEqual({ block: [96, 1, 1], grid: [267, 2, 1] });
  expect(points.find(({ x }) => x === 256)?.overrides).toEqual({ block: [256, 1, 1], grid: [100, 2, 1] });
});

test("blocks of several rows grow by rows", () => {
  const points = blockPoints({ block: [48, 4, 1], grid: [7, 7, 1] });
  expect(points.map(({ x, overrides: { block } }) => [x, block])).toEqual([
    [96, [48, 2, 1]],
    [192, [48, 4, 1]],
    [384, [48, 8, 1]],
    [768, [48, 16, 1]],
  ]);
});

test.each([
  [4096, [256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536]],
  [1000, [64, 128, 256, 512, 1000, 1024, 2048, 4096, 8192, 16384]],
  [1, [1, 2, 4, 8, 16]],
  [0, [1, 2, 4, 8, 16]],
])("sizes around %d", (value, sizes) => {
  const points = sizePoints({ name: "n", value });
  expect(points.map(({ x }) => x)).toEqual(sizes);
  expect(points.filter(({ overrides }) => overrides.parameters === undefined).map(({ x }) => x)).toEqual(value > 0 ? [value] : []);
});

test("the chosen GPU is first, and is itself", () => {
  const gpus = ["a", "b", "c"].map((id): GpuSummary => ({ id, name: id, computeCapability: "9.0" }));
  expect(gpuPoints(gpus, "b").map(({ overrides }) => overrides)).toEqual([{}, { gpu: "a" }, { gpu: "c" }]);
});
