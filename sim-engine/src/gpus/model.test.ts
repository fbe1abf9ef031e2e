import { describe, expect, test } from "vitest";
import { loadCitations } from "./cited.ts";
import { customGpu } from "./custom.ts";
import { data } from "./data.ts";
import type { GpuData } from "./files.ts";
import { lintGpuData } from "./lint.ts";
import { findGpu, gpus } from "./model.ts";

const { figuresOf: citedFigures } = await loadCitations();

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

  const rows = data.instructions;
  test.each([
    ["a row without a source", rows.map((row) => ({ ...row, source: row.prefix === "LDS" ? "" : row.source })), /LDS: source/],
    [
      "a row behind one that takes its place",
      [{ ...rows[0]!, prefix: "H" }, ...rows.filter(({ prefix }) => !/^H./.test(prefix) || prefix === "HMMA")],
      /the row H comes before/,
    ],
    ["no time", rows.map((row) => ({ ...row, latency: row.prefix === "LDS" ? 0 : row.latency })), /LDS: latency/],
    ["no row for the rest", rows.slice(0, -1), /not for all others/],
  ])("the lint finds instructions with %s", (_, instructions, message) =>
    expect(lintGpuData({ ...data, instructions })).toEqual([expect.stringMatching(message)]),
  );

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

  test.each(["", "h201", "GeForce", "---", "h!!200", "h\xff200", "h200nvidia"])("there is no %j", (name) =>
    expect(findGpu(name)).toBeUndefined(),
  );

  test("what a card does not state is the reference's, and assumed", () => {
    const figure = citedFigures(findGpu("t4")!).barrierLatency!;
    expect(figure.basis).toBe("assumed");
    expect(figure.at).toContain("H200");
    expect(citedFigures(findGpu("h200")!).barrierLatency!.basis).not.toBe("assumed");
  });

  test("every value has its source", () => {
    for (const gpu of gpus) {
      const cited = Object.entries(citedFigures(gpu)).map(([name, { value }]) => [name, value]);
      expect(Object.fromEntries(cited), gpu.id).toEqual(gpu.values);
    }
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
    const figures = "gpu" in made ? citedFigures(made.gpu) : {};
    expect(figures.smCount).toEqual({ value: 66, unit: "SMs", source: "user", basis: "specified", at: "gpus" });
    expect(figures.clock).toMatchObject({ source: "h200-measured" });
  });

  test("may be of another compute capability", () =>
    expect(customGpu({ id: "x", extends: "a100", computeCapability: "8.6" })).toMatchObject({
      gpu: { computeCapability: "8.6", values: { maxThreadsPerSm: 1536, smCount: 108 } },
    }));

  test("is found before the models, by its id or name", () => {
    const made = customGpu({ id: "my-h200", name: "Our H200", extends: "h200" });
    const own = "gpu" in made ? [made.gpu] : [];
    expect(["my-h200", "our h200", "h200"].map((name) => findGpu(name, own)?.id)).toEqual(["my-h200", "my-h200", "h200"]);
  });

  test("may have every figure of every model", () => {
    for (const { values } of gpus) {
      const made = customGpu({ id: "x", extends: "h200", figures: values });
      expect("problems" in made ? made.problems.filter(({ path }) => path.length > 1) : []).toEqual([]);
    }
  });

  test.each([
    [null, "", /must be an object/],
    [{ extends: "h200" }, "", /id must be/],
    [{ id: "My GPU", extends: "h200" }, "id", /id must be/],
    [{ id: "h200", extends: "a100" }, "id", /id h200 is the NVIDIA H200's already/],
    [{ id: "x", extends: "h201" }, "extends", /h201 is none/],
    [{ id: "x" }, "", /extends must name/],
    [{ id: "x", extends: "h200", figures: { sms: 3 } }, "figures.sms", /no figure is called sms/],
    [{ id: "x", extends: "h200", figures: { smcount: 3 } }, "figures.smcount", /did you mean smCount/],
    [{ id: "x", extends: "h200", figures: { smCount: "many" } }, "figures.smCount", /smCount must be a whole number of SMs, more than 0/],
    [{ id: "x", extends: "h200", figures: { smCount: 0 } }, "figures.smCount", /more than 0/],
    [{ id: "x", extends: "h200", figures: { smCount: 1.5 } }, "figures.smCount", /whole number/],
    [
      { id: "x", extends: "h200", figures: { smCount: 99999 } },
      "figures.smCount",
      /^smCount of 99,999 SMs is that of no GPU: from 1 to 2,720 are taken$/,
    ],
    [{ id: "x", extends: "h200", figures: { sharedUnit: 1 } }, "figures.sharedUnit", /sharedUnit of 1 bytes is that of no GPU/],
    [{ id: "x", extends: "h200", figures: { maxThreadsPerBlock: 2 ** 40 } }, "figures.maxThreadsPerBlock", /that of no GPU/],
    [{ id: "x", extends: "h200", figures: { clock: 0.0005 } }, "figures.clock", /clock of 0.0005 MHz/],
    [{ id: "x", extends: "h200", figures: { sharedConfigurations: Array(65).fill(1024) } }, "figures.sharedConfigurations", /more than 64/],
    [{ id: "x", extends: "h200", figures: { sharedReservedPerBlock: -1 } }, "figures.sharedReservedPerBlock", /0 or more/],
    [{ id: "x", extends: "h200", figures: { sharedConfigurations: 3 } }, "figures.sharedConfigurations", /must be a list/],
    [{ id: "x", extends: "h200", figures: { sharedPerSm: 65536 } }, "figures", /a block has more shared memory than an SM/],
    [{ id: "x", extends: "h200", figures: [] }, "figures", /figures must be an object/],
    [{ id: "x", extends: "h200", computeCapability: "1.0" }, "computeCapability", /computeCapability must be/],
    [{ id: "x", extends: "h200", speed: 3 }, "speed", /speed is not understood/],
  ])("%j is refused with its place and a reason", (json, path, message) => {
    const made = customGpu(json);
    expect("problems" in made && made.problems).toContainEqual({
      path: path === "" ? [] : path.split("."),
      message: expect.stringMatching(message),
    });
  });
});
