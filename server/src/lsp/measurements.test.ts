/** Reports of measurements beside what is simulated: in lens, hover, panel, and for a report of an outlier. */
import { findGpu, type GpuModel } from "@warplens/sim-engine";
import { describe, expect, test } from "vitest";
import { TextDocument } from "vscode-languageserver-textdocument";
import { digestOf, type Figures, type MeasuredReport } from "../measured/report.ts";
import { hostile, isVisible, read } from "../testing/hostile.ts";
import { codeLenses } from "./code-lens.ts";
import { hover } from "./hover.ts";
import { Measurements } from "./measurements.ts";
import { outlier } from "./outlier.ts";
import { panelAnswer } from "./panel.ts";
import { readReports } from "./params.ts";
import type { KeptReport, PanelModel } from "./protocol.ts";
import { readSettings } from "./settings.ts";
import { reportOf, setUp } from "./testing.ts";
import type { View, ViewKernel } from "./view.ts";

const line = "  out[i] = in[i];";
const text = `__global__ void k(float *secret) {\n${line}\n}`;

function viewOf(gpu = "h200"): View {
  const document = TextDocument.create("file:///w/a%20b.cu", "cuda-cpp", 1, text);
  const kernel: ViewKernel = {
    name: "k",
    nameAt: { start: 16, end: 17 },
    at: { start: 0, end: 60 },
    parameters: [],
    sharedArrays: [],
    isBroken: false,
  };
  const counters = { instructions: 10, threadInstructions: 320, globalRequests: 1, globalSectors: 8, globalSectorsIdeal: 8 };
  const more = { sharedWavefronts: 0, sharedWavefrontsIdeal: 0, divergentBranches: 0, timeShare: 0.5, waits: { memory: 0.5 } };
  const report = reportOf(304_000, { kernel: "k", grid: [8, 1, 1], block: [32, 1, 1], lines: { "2": { ...counters, ...more } } as never });
  return {
    document,
    gpu: findGpu(gpu) as GpuModel,
    settings: readSettings({}).settings,
    kernels: [kernel],
    launches: [{ kernel, kernelName: "k", templateArguments: [], line: 1, isStale: false, report }],
    progress: "done",
    diagnostics: [],
  };
}

const kept = (id: string, loadedAt: number, figures: Figures, more: Partial<MeasuredReport> = {}): KeptReport => ({
  id,
  loadedAt,
  report: {
    name: `${id}.csv`,
    devices: [{ name: "NVIDIA H200", computeCapability: "9.0" }],
    launches: [
      {
        kernel: "k(float *)",
        grid: [8, 1, 1],
        block: [32, 1, 1],
        device: 0,
        figures,
        files: [{ name: "a b.cu", lines: [{ line: 7, digest: digestOf(line), figures: { samples: 30, globalSectors: 8 } }] }],
      },
    ],
    notes: [],
    ...more,
  },
});

function beside(view: View, reports: readonly KeptReport[], shown?: string): View {
  const measurements = new Measurements();
  measurements.keep(reports, shown);
  return measurements.beside(view);
}

const titleOf = (view: View): string => codeLenses(view)[0]?.command?.title ?? "";
const panelOf = (view: View): PanelModel =>
  panelAnswer(view, { textDocument: { uri: view.document.uri }, position: { line: 0, character: 0 } }) as PanelModel;
const hoverOf = (view: View, position: { line: number; character: number }): string => {
  const { contents } = hover(view, position) ?? { contents: "" };
  return typeof contents === "object" && "value" in contents ? contents.value : "";
};

describe("one report", () => {
  const view = beside(viewOf(), [kept("raw", 1, { time: 312_000, registers: 20 })]);

  test("the lens has the measured time beside the estimate", () => {
    expect(titleOf(view)).toMatch(/ · measured 312 µs · est\. 304 µs \(−3 %\)$/);
  });

  test("the kernel's hover, and what is copied, have a table", () => {
    expect(hoverOf(view, { line: 0, character: 16 })).toContain(
      "Measured (raw.csv)\n\n|  | measured | estimated | error |\n| --- | ---: | ---: | --- |\n| Time | 312 µs | 304 µs | ✓ −3 % |\n| Registers a thread | 20 | 16 | ▼ −20 % |",
    );
  });

  test("a line's hover has what was measured there, wherever it has moved", () => {
    expect(hoverOf(view, { line: 1, character: 0 })).toContain("\n\nMeasured: **100 %** of the samples; 8 sectors, est. 8.");
  });

  test("the panel has figures, lines and the report", () => {
    const { measured, source } = panelOf(view);
    expect(measured?.launch?.figures.map(({ name, measured: value }) => [name, value])).toEqual([
      ["time", 312_000],
      ["registers", 20],
    ]);
    expect(measured?.launch?.lines).toEqual({ lines: { 2: { samples: 30, globalSectors: 8, share: 1 } }, lost: 0 });
    expect(source.lines["2"]).toBe(line.trim());
    expect(measured?.reports).toEqual([
      { id: "raw", name: "raw.csv", loadedAt: 1, isShown: true, devices: ["NVIDIA H200"], launches: 1, ns: 312_000 },
    ]);
  });

  test("an outlier is told without names and source", () => {
    const told = outlier(view, view.launches[0]) ?? "";
    expect(told).toContain("| Time | 312 µs | 304 µs | −3 % |");
    const [, json = ""] = /```json\n([\s\S]*)\n```/.exec(told) ?? [];
    expect(JSON.parse(json)).toMatchObject({ gpu: "h200", grid: [8, 1, 1], figures: { time: { measured: 312_000, estimated: 304_000 } } });
    for (const own of ["secret", "out[", "float", "raw.csv", '"k"', "`k`"]) expect(told).not.toContain(own);
  });
});

test("without a report nothing is otherwise", () => {
  const view = viewOf();
  expect(beside(view, [])).toBe(view);
  expect(panelOf(view).measured).toBeUndefined();
  expect(outlier(view, view.launches[0])).toBeUndefined();
});

test("what was measured on another GPU is beside nothing, and it is said", () => {
  const view = beside(viewOf("a100"), [kept("raw", 1, { time: 312_000 })]);
  expect(titleOf(view)).not.toContain("measured");
  const { measured } = panelOf(view);
  expect(measured?.launch).toBeUndefined();
  expect(measured?.elsewhere).toEqual([{ gpu: "NVIDIA H200", model: "h200", launches: 1 }]);
});

describe("several reports", () => {
  const old = kept("old", 1, { time: 400_000 });
  const late = kept("late", 2, { time: 312_000 });
  const other = kept("other", 3, { time: 1 }, { launches: [] });
  test.each([
    ["the newest that has the launch", undefined, "312 µs"],
    ["the one that is picked", "old", "400 µs"],
    ["the picked one has it not", "other", "312 µs"],
    ["the picked one is gone", "gone", "312 µs"],
  ])("%s is shown", (_, shown, time) => {
    const view = beside(viewOf(), [old, other, late], shown);
    expect(titleOf(view)).toContain(`measured ${time}`);
    const { measured } = panelOf(view);
    expect(measured?.reports.map(({ id, ns }) => [id, ns])).toEqual([
      ["other", undefined],
      ["late", 312_000],
      ["old", 400_000],
    ]);
    expect(measured?.reports.filter(({ isShown }) => isShown)).toHaveLength(1);
  });
});

describe("report files", () => {
  const refusal = (more: object) => {
    const { workspace, configure } = setUp({}, more);
    configure({});
    return workspace.readReport({ texts: [], files: ["file:///w/a.ncu-rep"] });
  };
  test("no program is run that nobody allowed", async () => {
    const printReport = () => Promise.reject(new Error("run"));
    expect(await refusal({ printReport })).toEqual({
      problem:
        "a.ncu-rep is a report file. The setting warplens.ncu, in a trusted workspace, lets your own Nsight Compute print it; or do it yourself: ncu --import a.ncu-rep --csv --page raw > report.csv",
    });
  });
  test("where none can be run it is said how to do it elsewhere", async () => {
    expect(await refusal({})).toEqual({
      problem: "a.ncu-rep is a report file. Print it: ncu --import a.ncu-rep --csv --page raw > report.csv",
    });
  });
  test("what ncu prints is read", async () => {
    const asked: unknown[] = [];
    const printReport = (...words: readonly unknown[]) => {
      asked.push(words);
      return Promise.resolve({
        texts: [{ name: "a.ncu-rep", text: '"ID","Kernel Name","Grid Size","Block Size"\n"0","k(int)","1","1"\n' }],
      });
    };
    const { workspace, configure } = setUp({}, { printReport });
    configure({ ncu: "auto" });
    expect(await workspace.readReport({ texts: [], files: ["file:///w/a.ncu-rep"] })).toMatchObject({ report: { name: "a.ncu-rep" } });
    expect(asked).toEqual([["auto", "/w/a.ncu-rep"]]);
  });
});

describe("what the client kept is read again", () => {
  test("a sound list comes through JSON as it is", () => {
    const params = { reports: [kept("raw", 1, { time: 312_000 })], shown: "raw" };
    expect(readReports(JSON.parse(JSON.stringify(params)))).toEqual(params);
  });

  test.each<[string, unknown, unknown]>([
    ["nothing", null, undefined],
    ["no list", { reports: {} }, undefined],
    ["no report", { reports: [7, null, {}, { id: "a", loadedAt: 1, report: { name: 7 } }, { id: 1 }] }, { reports: [] }],
    [
      "unsound launches",
      {
        reports: [
          {
            id: "a",
            loadedAt: 1,
            report: {
              name: "r",
              devices: [{ name: 7 }],
              launches: [
                { kernel: 7, device: 0 },
                { kernel: "k", device: 3 },
                {
                  kernel: "k",
                  device: 0,
                  grid: [1, "x", 2],
                  figures: { time: "long", registers: 3, toString: 1, dramRead: Number.NaN, dramWritten: -1 },
                },
                { kernel: "k", device: 0, figures: { time: 0, sharedLoads: 0 } },
              ],
            },
          },
        ],
        shown: 7,
      },
      {
        reports: [
          {
            id: "a",
            loadedAt: 1,
            report: {
              name: "r",
              devices: [{}],
              launches: [
                { kernel: "k", device: 0, figures: { registers: 3 } },
                { kernel: "k", device: 0, figures: { sharedLoads: 0 } },
              ],
              notes: [],
            },
          },
        ],
      },
    ],
  ])("%s", (_, params, wanted) => expect(readReports(params)).toEqual(wanted));
});

/** A report that is called so, as its GPU and its other kernel are. */
function calledSo(name: string): View {
  const launches = [...kept("raw", 1, { time: 312_000 }).report.launches, { kernel: name, device: 0, figures: {} }];
  const devices = [{ computeCapability: "9.0" }, { name, computeCapability: "8.0" }];
  return beside(viewOf(), [{ id: name, loadedAt: 1, report: { name, launches, notes: [name], devices } }]);
}
const kindsOf = (view: View): string[] =>
  [...read(hoverOf(view, { line: 0, character: 16 })).kinds].filter((kind) => kind !== "escape").sort();

test.each(hostile.map((name) => [JSON.stringify(name.slice(0, 60)), name] as const))("names of a report are text: %s", (_, name) => {
  const view = calledSo(name);
  const { reports = [], unmatched = [], notes = [] } = panelOf(view).measured ?? {};
  const shown = [...reports.flatMap((report) => [report.name, ...report.devices]), ...unmatched.map(({ kernel }) => kernel), ...notes];
  expect(shown).toHaveLength(5);
  expect(shown.filter((each) => !isVisible(each))).toEqual([]);
  expect(kindsOf(view)).toEqual(kindsOf(calledSo("plain")));
});
