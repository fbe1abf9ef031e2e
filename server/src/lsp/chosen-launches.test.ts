import { findGpu, type GpuModel } from "@warplens/sim-engine";
import { expect, test } from "vitest";
import { TextDocument } from "vscode-languageserver-textdocument";
import { ChosenLaunches, launchChoices } from "./chosen-launches.ts";
import { codeLenses } from "./code-lens.ts";
import { panelAnswer } from "./panel.ts";
import { readSettings } from "./settings.ts";
import { reportOf } from "./testing.ts";
import type { View, ViewKernel } from "./view.ts";

const at = { start: 16, end: 17 };
const kernel: ViewKernel = { name: "k", nameAt: at, at, parameters: [], sharedArrays: [], isBroken: false };
const position = { line: 0, character: 16 };

/** A kernel's launches, with their times in ns, on lines from 3 on. */
const viewOf = (times: readonly (number | undefined)[]): View => ({
  document: TextDocument.create("file:///w/a.cu", "cuda-cpp", 1, "__global__ void k();"),
  gpu: findGpu("h200") as GpuModel,
  settings: readSettings({}).settings,
  kernels: [kernel],
  launches: times.map((ns, index) => ({
    kernel,
    kernelName: "k",
    templateArguments: [],
    line: index + 3,
    isStale: false,
    ...(ns === undefined ? { reason: "it is too large" } : { report: reportOf(ns) }),
  })),
  progress: "done",
  diagnostics: [],
});

const titles = (view: View) => codeLenses(view).map(({ command }) => command?.title ?? "");
const times = (view: View) => [titles(view)[0]?.match(/[\d.]+ µs/)?.[0], titles(view)[1]];
const inPanel = (view: View) => {
  const answer = panelAnswer(view, { textDocument: { uri: "" }, position });
  return answer && "selected" in answer ? answer.selected : undefined;
};

test("the slowest until one is chosen, in lens and panel; the slowest again when that is wished", () => {
  const chosen = new ChosenLaunches();
  const view = viewOf([1000, 3000, 2000]);
  const now = () => chosen.beside(view);
  expect([times(now()), inPanel(now())]).toEqual([["3 µs", "slowest of 3 launches"], 1]);
  chosen.choose(now(), position, now().launches[2]);
  expect([times(now()), inPanel(now())]).toEqual([["2 µs", "line 5, one of 3 launches"], 2]);
  expect(launchChoices(now(), position).map(({ isShown }) => isShown)).toEqual([false, false, true]);
  // It is the third one however long it takes, and wherever it stands.
  expect(times(chosen.beside(viewOf([1000, 3000, 1500])))).toEqual(["1.5 µs", "line 5, one of 3 launches"]);
  chosen.choose(now(), position, undefined);
  expect(times(now())).toEqual(["3 µs", "slowest of 3 launches"]);
});

test("each with its line, configuration and time, or why there is none", () =>
  expect(launchChoices(viewOf([1000, undefined]), position)).toEqual([
    { index: 0, line: 3, configuration: "(1) × (32)", figures: "1 µs ± 25 %, bound by issue", isShown: true },
    { index: 1, line: 4, configuration: "", figures: "not simulated: it is too large", isShown: false },
  ]));

test("of one launch there is nothing to choose", () => expect(titles(viewOf([1000]))).toHaveLength(1));

test("no kernel, no choice; a closed document has none", () => {
  const chosen = new ChosenLaunches();
  const view = viewOf([1000, 3000]);
  expect(launchChoices(view, { line: 0, character: 3 })).toEqual([]);
  chosen.choose(view, position, view.launches[0]);
  chosen.drop("file:///w/a.cu");
  expect(inPanel(chosen.beside(view))).toBe(1);
});
