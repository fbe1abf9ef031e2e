/** The programs that measure a GPU, what was measured with them on an H200, and models made of it. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { figureDefinitions, findGpu, gpus } from "@warplens/sim-engine";
import { describe, expect, test } from "vitest";
import { readProjectFile } from "../lint/project-file.ts";
import { benchmarks, check, device } from "./benchmarks.ts";
import { baseFor, calibrated, type Device, projectText } from "./model.ts";
import { sourceOf } from "./programs.ts";
import { type Samples, samplesOf, summarise } from "./samples.ts";

const root = path.join(import.meta.dirname, "../../..");
const record = readFileSync(path.join(root, "sim-engine/validation/microbenchmarks/h200-calibrate.txt"), "utf8");
/** By program, as it printed them. */
const printed = new Map(
  record
    .split(/^# /m)
    .filter((part) => part !== "")
    .map((part) => {
      const [name = "", ...lines] = part.trim().split("\n");
      return [name, lines.map((line): [string, string] => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)])];
    }),
);
const measured: Samples = new Map(benchmarks.flatMap(({ name }) => [...samplesOf(printed.get(name) ?? [])]));
const h200: Device = { name: "NVIDIA H200", computeCapability: "9.0", figures: samplesOf(printed.get("device") ?? []) };

describe("the programs", () => {
  test("each that is there is listed, and each that is listed is there", () => {
    const listed = [device, ...benchmarks, check].map(({ name }) => `${name}.cu`);
    const there = readdirSync(path.join(import.meta.dirname, "programs")).filter((name) => name.endsWith(".cu"));
    expect(there.sort()).toEqual(listed.sort());
  });

  test.each([device, ...benchmarks])("$name measures the figures that it says", ({ name, figures }) => {
    const named = [...sourceOf(name).text.matchAll(/"(\w+)"/g)].flatMap(([, word]) => (word && word in figureDefinitions ? [word] : []));
    expect(new Set(named)).toEqual(new Set(figures));
  });

  test("no figure is measured by two", () => {
    const figures = benchmarks.flatMap((benchmark) => benchmark.figures);
    expect(new Set(figures).size).toBe(figures.length);
  });
});

describe("what they measured on an H200", () => {
  /** Figures whose model has another source than the program: by how much they differ. */
  const differing: Readonly<Record<string, readonly [least: number, most: number]>> = {
    // nvcc has dependent products of halves change the pipe each time; 5 cycles are those of one.
    fp16Latency: [1.5, 1.7],
  };

  test.each(benchmarks.flatMap(({ figures }) => figures))("%s is what the model has", (figure) => {
    const { value, error } = summarise(measured.get(figure)!);
    const has = findGpu("h200")!.values[figure] as number;
    const [least, most] = differing[figure] ?? [0.85, 1.15];
    expect(error).toBeLessThan(0.05);
    if (has === 0) expect(value).toBe(0);
    else {
      expect(value / has).toBeGreaterThan(least);
      expect(value / has).toBeLessThan(most);
    }
  });
});

describe("the model to extend", () => {
  const about = (name: string, computeCapability: string, smCount: number): Device => ({
    name,
    computeCapability,
    figures: new Map([["smCount", [smCount]]]),
  });
  test.each([
    ["the card's own", about("NVIDIA H200", "9.0", 132), "h200"],
    ["the card's own, by another name", about("Tesla V100-SXM2-16GB", "7.0", 80), "v100-sxm2"],
    ["that of its compute capability with as many SMs", about("NVIDIA L40", "8.9", 140), "l40s"],
    ["one of the same family", about("NVIDIA GB300", "10.3", 160), "b200"],
  ])("is %s", (_, given, id) => {
    expect(baseFor(given)?.id).toBe(id);
  });

  test("is none where nothing is known of its compute capability", () => {
    expect(baseFor(about("NVIDIA New", "99.0", 1))).toBeUndefined();
  });
});

describe("a calibrated model", () => {
  const calibration = calibrated(h200, findGpu("h200")!, measured);

  test("has the middle of each figure's samples, and what was not measured as the extended one has it", () => {
    expect(calibration.leftOut).toEqual([]);
    expect(calibration.gpu).toMatchObject({ id: "my-h200", own: { extends: "h200" } });
    expect(calibration.gpu.values.atomicInterval).toBe(1.448);
    expect(calibration.gpu.values.l1PassInterval).toBe(findGpu("h200")!.values.l1PassInterval);
    expect(calibration.figures.find(({ figure }) => figure === "dramReadBandwidth")).toMatchObject({ before: 4550 });
  });

  test("reads as a project's own, with errors and units beside its figures", () => {
    const text = projectText(h200, calibration, ["A remark."]);
    const { file, problems } = readProjectFile(text);
    expect(problems).toEqual([]);
    expect(file.gpu).toBe("my-h200");
    expect(file.gpus?.[0]?.values).toEqual(calibration.gpu.values);
    expect(text).toMatch(/"l2Bandwidth": \d+, \/\/ GB\/s, ± \d\.\d %; h200 has 9800\n/);
  });

  test("takes from the driver what describes a card that there is no model of", () => {
    const other: Device = {
      ...h200,
      name: "NVIDIA L40",
      computeCapability: "8.9",
      figures: new Map([
        ["smCount", [140]],
        ["l2Bytes", [100663296]],
        ["memoryClock", [9001]],
        ["memoryBus", [384]],
      ]),
    };
    const { gpu, figures } = calibrated(other, findGpu("l40s")!, new Map([["clock", [2490]]]));
    expect(gpu.values).toMatchObject({ smCount: 140, clock: 2490, dramBandwidth: 864, memoryRate: 2 });
    expect(figures.find(({ figure }) => figure === "smCount")?.error).toBeUndefined();
  });

  test("leaves out what is that of no GPU, and says so", () => {
    const { gpu, leftOut } = calibrated(
      h200,
      findGpu("h200")!,
      new Map([
        ["l2Latency", [281]],
        ["atomicInterval", [0.0001]],
      ]),
    );
    expect(gpu.values.l2Latency).toBe(281);
    expect(gpu.values.atomicInterval).toBe(findGpu("h200")!.values.atomicInterval);
    expect(leftOut).toEqual([expect.stringMatching(/^atomicInterval of 0.0001 cycles is that of no GPU/)]);
  });

  test("can be made of each model", () => {
    for (const base of gpus)
      expect(calibrated({ ...h200, computeCapability: base.computeCapability }, base, new Map()).gpu.own?.extends).toBe(base.id);
  });
});

test("a summary is the middle sample, and how far the farthest lies from it", () => {
  expect(summarise([10, 12, 9])).toEqual({ value: 10, error: 0.2 });
  expect(summarise([0, 0])).toEqual({ value: 0, error: 0 });
});
