/** Figures that were pinned, beside those that are. */
import { findGpu, type GpuModel } from "@warplens/sim-engine";
import { expect, test } from "vitest";
import { TextDocument } from "vscode-languageserver-textdocument";
import { codeLenses } from "./code-lens.ts";
import { panelAnswer } from "./panel.ts";
import { Pins } from "./pins.ts";
import { readSettings } from "./settings.ts";
import { reportOf } from "./testing.ts";
import type { View, ViewKernel, ViewLaunch } from "./view.ts";

const at = { start: 16, end: 17 };
const kernel: ViewKernel = { name: "k", nameAt: at, at, parameters: [], sharedArrays: [], isBroken: false };

const viewOf = (times: readonly (number | undefined)[], gpu = "h200", more: Partial<ViewLaunch> = {}): View => ({
  document: TextDocument.create("file:///w/a.cu", "cuda-cpp", 1, "__global__ void k();"),
  gpu: findGpu(gpu) as GpuModel,
  settings: readSettings({}).settings,
  kernels: [kernel],
  launches: times.map((ns, index) => ({
    kernel,
    kernelName: "k",
    templateArguments: [],
    line: index + 1,
    isStale: false,
    ...(ns === undefined ? {} : { report: reportOf(ns) }),
    ...more,
  })),
  progress: "done",
  diagnostics: [],
});

const titleOf = (view: View): string => codeLenses(view)[0]?.command?.title ?? "";

test.each([
  [304_000, 144_000, "h200", "\u221253 % from 304 µs pinned"],
  [144_000, 304_000, "h200", "+111 % from 144 µs pinned"],
  [304_000, 304_100, "h200", "as pinned"],
  [304_000, 608_000, "t4", "+100 % from 304 µs pinned on H200"],
])("%i ns and then %i on %s: %s", (before, now, gpu, words) => {
  const pins = new Pins();
  expect(pins.toggle(viewOf([before]))).toBe(1);
  const view = pins.beside(viewOf([now], gpu));
  expect(titleOf(view).endsWith(` · ${words}`)).toBe(true);
  const panel = panelAnswer(view, { textDocument: { uri: view.document.uri }, position: { line: 0, character: 0 } });
  expect(panel).toMatchObject({ hasPins: true, pinned: { ns: before, gpu: "NVIDIA H200" } });
});

test("each launch is compared with itself, the nth of its kernel", () => {
  const pins = new Pins();
  expect(pins.toggle(viewOf([100, 200, undefined]))).toBe(2);
  expect(pins.beside(viewOf([300, 400, 500])).launches.map(({ pinned }) => pinned?.ns)).toEqual([100, 200, undefined]);
});

test("pinned twice is not pinned, nor is what is of a text before, or what was closed", () => {
  const pins = new Pins();
  const view = viewOf([100]);
  pins.toggle(view);
  expect(pins.toggle(view)).toBe(0);
  expect(pins.beside(view)).toBe(view);
  expect(pins.toggle(viewOf([100], "h200", { isStale: true }))).toBe(0);
  expect(pins.toggle(view)).toBe(1);
  pins.drop(view.document.uri);
  expect(pins.beside(view)).toBe(view);
});
