import { describe, expect, test } from "vitest";
import { customGpu } from "./custom.ts";
import { data } from "./data.ts";
import { lintGpuData } from "./lint.ts";
import { findCapability, findGpu, type GpuData, gpus } from "./model.ts";

describe("GPU data", () => {
  test("is sound", () => expect(lintGpuData(data)).toEqual([]));

  const changed = (figure: object): GpuData => {
    const [first, ...rest] = data.products;
    return {
      ...data,
      products: [{ ...first!, figures: { ...first!.figures, smCount: { ...first!.figures.smCount!, ...figure } } }, ...rest],
    };
  };
  test.each([
    ["an uncited figure", { source: undefined }, /source missing is not among the sources/],
    ["an unknown source", { source: "hearsay" }, /source hearsay is not among/],
    ["a figure that says no place", { at: "" }, /does not say where/],
    ["another unit", { unit: "cores" }, /unit is cores/],
    ["a basis that is none", { basis: "guessed" }, /basis is guessed/],
    ["a text for a number", { value: "13" }, /is not a number/],
  ])("the lint finds %s", (_, figure, message) => {
    const found = lintGpuData(changed(figure));
    expect(found).toEqual([expect.stringMatching(message)]);
  });

  test("the lint finds bandwidth that is not clock x width x rate / 8", () => {
    const [first, ...rest] = data.products;
    const wrong = { ...first!.figures, dramBandwidth: { ...first!.figures.dramBandwidth!, value: 260 } };
    expect(lintGpuData({ ...data, products: [{ ...first!, figures: wrong }, ...rest] })).toEqual([
      expect.stringMatching(/clock x width x rate/),
    ]);
  });

  test("the lint finds a figure copied from the capability", () => {
    const [first, ...rest] = data.products;
    const copied = { ...first!.figures, maxThreadsPerSm: data.capabilities[0]!.figures.maxThreadsPerSm! };
    expect(lintGpuData({ ...data, products: [{ ...first!, figures: copied }, ...rest] })).toEqual([
      expect.stringMatching(/repeats a figure/),
    ]);
  });
});

describe("GPU models", () => {
  test.each(
    "k80 gtx750ti gtx980 m60 p100 p4 p40 gtx1080ti v100-pcie v100-sxm2 t4 rtx2080ti a100 a100-40gb-sxm a100-80gb-pcie a10 rtx3090 l4 l40s rtx4090 h100-pcie h100-sxm gh200 h200 b200 rtx5090".split(
      " ",
    ),
  )("%s can be chosen", (id) => expect(findGpu(id)).toBeDefined());

  test.each([
    ["NVIDIA H200", "h200"],
    ["GeForce RTX 4090", "rtx4090"],
    ["Tesla V100-SXM2", "v100-sxm2"],
    ["A100-SXM4-80GB", "a100-80gb-sxm"],
    ["GM107", "gtx750ti"],
    ["GM204", "gtx980"],
  ])("%s is %s", (name, id) => expect(findGpu(name)?.id).toBe(id));

  test.each(["", "h201", "GeForce", "---"])("there is no %j", (name) => expect(findGpu(name)).toBeUndefined());

  // Best Practices Guide 8.2.1: (0.877 x 10^9 x (4096 / 8) x 2) / 10^9 = 898 GB/s.
  test("a V100 moves 898 GB/s by clock, width and rate", () => {
    const v = findGpu("v100-pcie")!.values;
    expect(Math.round((v.memoryClock * v.memoryBus * v.memoryRate) / 8000)).toBe(898);
  });

  // Jia et al., table 3.1.
  test.each([
    ["v100-pcie", 80, 1380, 6144, 28, 193],
    ["p100", 56, 1328, 4096, 82, 234],
    ["p4", 20, 1531, 2048, 82, 216],
    ["m60", 16, 1177, 2048, 82, 207],
    ["k80", 13, 875, 1536, 35, 200],
  ])("%s is as measured by Jia et al.", (id, sms, clock, l2, l1Latency, l2Latency) => {
    const v = findGpu(id)!.values;
    expect([v.smCount, v.clock, v.l2Bytes / 1024, v.l1Latency, v.l2Latency]).toEqual([sms, clock, l2, l1Latency, l2Latency]);
  });

  // Jia et al., tables 3.1 (shared latency), 3.2 (L1), 3.4 (L2) and 4.2 (atomics of 1 and 32 lanes on one address).
  test.each([
    ["v100-pcie", 19, 108.3, 2155, [6, 66], [36, 76]],
    ["p100", 24, 31.3, 1624, [15, 78], [26, 50]],
    ["p4", 23, 15.7, 979, [16, 78], [30, 51]],
    ["m60", 23, 15.7, 446, [17, 79], [24, 46]],
    ["k80", 26, 68.6, 339, [93, 4257], [29, 488]],
  ])("%s moves and counts as Jia et al. measured", (id, sharedLatency, l1, l2, shared, global) => {
    const v = findGpu(id)!.values;
    expect([v.sharedLatency, v.l1MeasuredPerSm, v.l2Bandwidth]).toEqual([sharedLatency, l1, l2]);
    expect([v.sharedAtomicContended!.at(0), v.sharedAtomicContended!.at(-1)]).toEqual(shared);
    expect([v.globalAtomicContended!.at(0), v.globalAtomicContended!.at(-1)]).toEqual(global);
  });

  // The tuning guides: Maxwell 1.4.1.1 and 1.4.3.1, Volta 1.4.1.3, Turing 1.4.1.3.
  test.each([
    ["5.0", 64, 32, 64],
    ["5.2", 64, 32, 96],
    ["7.0", 64, 32, 96],
    ["7.5", 32, 16, 64],
  ])("compute capability %s has the guide's limits", (capability, warps, blocks, sharedKb) => {
    const v = findCapability(capability)!.values;
    expect([v.maxThreadsPerSm / 32, v.maxBlocksPerSm, v.sharedPerSm / 1024, v.registersPerSm, v.maxRegistersPerThread]).toEqual([
      warps,
      blocks,
      sharedKb,
      65536,
      255,
    ]);
  });

  test("what a card does not state is the reference's, and assumed", () => {
    const figure = findGpu("t4")!.figures.barrierLatency!;
    expect(figure.basis).toBe("assumed");
    expect(figure.at).toContain("H200");
    expect(findGpu("h200")!.figures.barrierLatency!.basis).not.toBe("assumed");
  });

  test("every model has what computing needs", () => {
    for (const gpu of gpus) for (const [name, value] of Object.entries(gpu.values)) expect(value, `${gpu.id}.${name}`).not.toBeUndefined();
  });
});

describe("a user's own GPU", () => {
  test("is the model it extends but for its own figures", () => {
    const made = customGpu({ id: "half-h200", extends: "h200", figures: { smCount: 66, dramBandwidth: 2400 } });
    expect(made).toMatchObject({
      gpu: { id: "half-h200", computeCapability: "9.0", values: { smCount: 66, dramBandwidth: 2400, maxThreadsPerSm: 2048 } },
    });
    expect("gpu" in made && made.gpu.figures.smCount).toMatchObject({ source: "user", basis: "specified" });
  });

  test("may be of another compute capability", () =>
    expect(customGpu({ id: "x", extends: "a100", computeCapability: "8.6" })).toMatchObject({
      gpu: { computeCapability: "8.6", values: { maxThreadsPerSm: 1536, smCount: 108 } },
    }));

  test.each([
    [null, /must be an object/],
    [{ extends: "h200" }, /id must be/],
    [{ id: "x", extends: "h201" }, /h201 is none/],
    [{ id: "x" }, /extends must name/],
    [{ id: "x", extends: "h200", figures: { sms: 3 } }, /no figure is called sms/],
    [{ id: "x", extends: "h200", figures: { smcount: 3 } }, /did you mean smCount/],
    [{ id: "x", extends: "h200", figures: { smCount: "many" } }, /smCount must be a number of SMs/],
    [{ id: "x", extends: "h200", figures: { sharedConfigurations: 3 } }, /must be a list/],
    [{ id: "x", extends: "h200", computeCapability: "1.0" }, /computeCapability must be/],
    [{ id: "x", extends: "h200", speed: 3 }, /speed is not understood/],
  ])("%j is refused with a reason", (json, message) => {
    const made = customGpu(json);
    expect("problems" in made && made.problems.join("\n")).toMatch(message);
  });
});
