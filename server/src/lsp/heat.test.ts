/** Where the time goes, as the gutter and the hover tell it. */
import { findGpu, type GpuModel, type LineCounters, type WaitKind } from "@warplens/sim-engine";
import { describe, expect, test } from "vitest";
import { TextDocument } from "vscode-languageserver-textdocument";
import { heatOf } from "./heat.ts";
import { hover } from "./hover.ts";
import { readSettings } from "./settings.ts";
import { reportOf } from "./testing.ts";
import type { View, ViewKernel, ViewLaunch } from "./view.ts";

const text = "__global__ void k(float *a) {\n  a[0] = 1;\n  use(a);\n}\n";

type Waits = Readonly<Partial<Record<WaitKind, number>>>;

const line = (waits: Waits): LineCounters => ({
  instructions: 1,
  threadInstructions: 32,
  globalRequests: 0,
  globalSectors: 0,
  globalSectorsIdeal: 0,
  sharedWavefronts: 0,
  sharedWavefrontsIdeal: 0,
  divergentBranches: 0,
  waits,
  timeShare: Object.values(waits).reduce((sum, share) => sum + share, 0),
});

/** By 1-based line. */
const launch = (kernel: ViewKernel, ns: number, lines: Record<number, Waits>, more: Partial<ViewLaunch> = {}): ViewLaunch => ({
  kernel,
  kernelName: kernel.name,
  templateArguments: [],
  line: 9,
  isStale: false,
  report: reportOf(ns, { lines: Object.fromEntries(Object.entries(lines).map(([at, waits]) => [at, line(waits)])) }),
  ...more,
});

const kernelOf = (name: string): ViewKernel => ({
  name,
  nameAt: { start: 16, end: 17 },
  at: { start: 0, end: text.length },
  parameters: [],
  sharedArrays: [],
  isBroken: false,
});
const [k, other] = [kernelOf("k"), kernelOf("other")];

const viewOf = (launches: readonly ViewLaunch[], settings: object = {}): View => ({
  document: TextDocument.create("file:///w/a.cu", "cuda-cpp", 7, text),
  gpu: findGpu("h200") as GpuModel,
  settings: readSettings(settings).settings,
  kernels: [k, other],
  launches,
  progress: "done",
  diagnostics: [],
});

const hot = { 2: { memory: 0.5, issue: 0.1 }, 3: { barrier: 0.3 }, 1: { code: 0.004 } };

describe("where the time goes", () => {
  test("lines that take some of it, by what they wait for most", () => {
    expect(heatOf(viewOf([launch(k, 1000, hot)]))).toEqual({
      version: 7,
      isStale: false,
      lines: [
        { line: 1, kernel: "k", timeShare: 0.6, most: "memory" },
        { line: 2, kernel: "k", timeShare: 0.3, most: "barrier" },
      ],
    });
  });

  test.each<readonly [string, readonly ViewLaunch[], number]>([
    ["the slowest of its launches", [launch(k, 1000, { 2: { memory: 0.2 } }), launch(k, 2000, { 2: { memory: 0.7 } })], 0.7],
    ["whichever comes first", [launch(k, 2000, { 2: { memory: 0.7 } }), launch(k, 1000, { 2: { memory: 0.9 } })], 0.7],
    ["the kernel that it takes most of", [launch(k, 1000, { 2: { memory: 0.2 } }), launch(other, 10, { 2: { pipe: 0.4 } })], 0.4],
  ])("of a line, of %s", (_, launches, share) => {
    expect(heatOf(viewOf(launches)).lines.map(({ timeShare }) => timeShare)).toEqual([share]);
  });

  test("nothing where it is switched off, nothing where no time is known", () => {
    expect(heatOf(viewOf([launch(k, 1000, hot)], { heat: { enabled: false } })).lines).toEqual([]);
    expect(heatOf({ ...viewOf([launch(k, 1000, hot)]), progress: "off" }).lines).toEqual([]);
    expect(heatOf(viewOf([{ kernel: k, kernelName: "k", templateArguments: [], line: 9, isStale: false }]))).toMatchObject({
      lines: [],
      isStale: true,
    });
  });
});

describe("in front of a line", () => {
  const said = (launches: readonly ViewLaunch[], character: number, at = 1): string | undefined => {
    const found = hover(viewOf(launches), { line: at, character })?.contents;
    return found && typeof found === "object" && "value" in found ? found.value : undefined;
  };

  test.each([0, 2])("at column %i: its share, and what it waits for", (character) => {
    expect(said([launch(k, 1000, hot)], character)).toContain("**60 %** of the time of `k`: waits for memory 50 %, issues 10 %.");
  });

  test("which launch, where there are several", () => {
    expect(said([launch(k, 1000, hot), launch(k, 10, hot, { line: 5 })], 1)).toContain("of `k`, launched in line 9: waits");
  });

  test("nothing behind its first letter, and of lines that take none", () => {
    expect(said([launch(k, 1000, hot)], 3)).toBeUndefined();
    expect(said([launch(k, 1000, hot)], 0, 3)).toBeUndefined();
  });
});
