import { findGpu, type GpuModel } from "@warplens/sim-engine";
import { describe, expect, test } from "vitest";
import { isOn, modelOf } from "./device.ts";

const gpu = (id: string) => findGpu(id) as GpuModel;

test.each([
  ["NVIDIA H200", "h200"],
  ["NVIDIA H100 80GB HBM3", "h100-sxm"],
  ["NVIDIA H100 PCIe", "h100-pcie"],
  ["NVIDIA A100-SXM4-80GB", "a100-80gb-sxm"],
  ["NVIDIA A100-SXM4-40GB", "a100-40gb-sxm"],
  ["NVIDIA A100 80GB PCIe", "a100-80gb-pcie"],
  ["Tesla V100-SXM2-16GB", "v100-sxm2"],
  ["Tesla T4", "t4"],
  ["NVIDIA GeForce RTX 4090", "rtx4090"],
  ["NVIDIA RTX A4000", undefined],
])("%s is %s", (name, id) => {
  expect(modelOf({ name })?.id).toBe(id);
});

describe("what was measured may be held against a model", () => {
  const own = (figures: Partial<GpuModel>): GpuModel => ({ ...gpu("h200"), id: "ours", own: { extends: "h200", figures: [] }, ...figures });
  test.each([
    ["the same product", { name: "NVIDIA H200", computeCapability: "9.0", multiprocessors: 132 }, gpu("h200"), true],
    ["another product of the same capability", { name: "NVIDIA H200", computeCapability: "9.0" }, gpu("h100-sxm"), false],
    ["a product without a model", { name: "NVIDIA RTX A4000", computeCapability: "8.6" }, gpu("rtx3090"), false],
    ["the same capability, no name", { computeCapability: "9.0" }, gpu("h200"), true],
    ["another capability, no name", { computeCapability: "8.0" }, gpu("h200"), false],
    ["another number of SMs, no name", { computeCapability: "9.0", multiprocessors: 114 }, gpu("h200"), false],
    ["nothing is told", {}, gpu("h200"), true],
    ["a GPU of the project's own", { name: "NVIDIA RTX A4000", computeCapability: "9.0", multiprocessors: 132 }, own({}), true],
    ["another than the project's own", { name: "NVIDIA RTX A4000", computeCapability: "8.6", multiprocessors: 48 }, own({}), false],
  ])("%s", (_, device, model, fits) => {
    expect(isOn(device, model)).toBe(fits);
  });
});
