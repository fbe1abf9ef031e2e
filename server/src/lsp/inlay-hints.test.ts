/** What is assumed of a kernel's parameters, where they are declared. */
import { type AccessReport, type Assumption, findGpu, type GpuModel } from "@warplens/sim-engine";
import { expect, test } from "vitest";
import { TextDocument } from "vscode-languageserver-textdocument";
import { inlayHints } from "./inlay-hints.ts";
import { readSettings } from "./settings.ts";
import { reportOf } from "./testing.ts";
import type { View, ViewKernel } from "./view.ts";

const text = "\n__global__ void k(float *a, int n) {}\n";
const placeOf = (word: string, from = 0) => ({ start: text.indexOf(word, from), end: text.indexOf(word, from) + word.length });
const kernel: ViewKernel = {
  name: "k",
  nameAt: placeOf("k("),
  at: { start: 1, end: text.length - 1 },
  parameters: [
    { name: "a", at: placeOf("a,") },
    { name: "n", at: placeOf("n)") },
  ],
  sharedArrays: [],
  isBroken: false,
};

const viewOf = (launches: readonly (readonly Assumption[])[], settings: object = {}): View => ({
  document: TextDocument.create("file:///w/a.cu", "cuda-cpp", 1, text),
  gpu: findGpu("h200") as GpuModel,
  settings: readSettings(settings).settings,
  kernels: [kernel],
  launches: launches.map((assumptions, index) => ({
    kernel,
    kernelName: "k",
    templateArguments: [],
    line: 1,
    isStale: false,
    report: reportOf(1000 * (index + 1), { assumptions: [...assumptions] }),
  })),
  progress: "done",
  diagnostics: [],
});

const n = (value: number): Assumption => ({ what: "n", value, why: "nothing here launches the kernel" });
const a: Assumption = { what: "a", value: "a buffer of its own", why: "nothing here launches the kernel" };
const everywhere = { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } };

test.each<readonly [string, View, readonly string[]]>([
  ["a number", viewOf([[n(2_097_152)]]), ["≈ 2.1M, assumed"]],
  ["all launches'", viewOf([[n(1)], [n(4)]]), ["≈ 1 to 4, assumed"]],
  ["no buffer", viewOf([[a]]), []],
  ["nothing that is known", viewOf([[]]), []],
  ["switched off", viewOf([[n(4)]], { inlayHints: { assumptions: false } }), []],
])("%s", (_, view, labels) => {
  const hints = inlayHints(view, everywhere);
  expect(hints.map(({ label }) => (typeof label === "string" ? label : label[0]?.value))).toEqual(labels);
});

test("stands behind the parameter, and its command knows what it is about", () => {
  const [hint] = inlayHints(viewOf([[n(4)]]), everywhere);
  expect(hint?.position).toEqual({ line: 1, character: placeOf("n)").end - 1 });
  expect(hint?.label).toMatchObject([{ command: { command: "warplens.assume", arguments: ["file:///w/a.cu", 1, 1, "n", 4] } }]);
  expect(inlayHints(viewOf([[n(4)]]), { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } })).toEqual([]);
});

test("of launches that differ a click says what the slowest has, and its hover which that is", () => {
  const [hint] = inlayHints(viewOf([[n(1)], [n(4)]]), everywhere);
  expect(hint?.label).toMatchObject([
    {
      tooltip: "nothing here launches the kernel. The slowest launch has 4. With Ctrl or Cmd a click says what it is.",
      command: { arguments: ["file:///w/a.cu", 1, 1, "n", 4] },
    },
  ]);
});

test.each<readonly [string, View]>([
  ["another launch's own", viewOf([[], [n(4)]])],
  ["no line of its own", { ...viewOf([[n(4)]]), kernels: [{ ...kernel, at: { start: 5, end: text.length - 1 } }] }],
])("no click where it would change %s", (_, view) => {
  const changed = { ...view, launches: view.launches.map((launch) => ({ ...launch, kernel: view.kernels[0] as ViewKernel })) };
  const [hint] = inlayHints(changed, everywhere);
  expect(hint?.label).toMatchObject([{ value: "≈ 4, assumed" }]);
  expect(hint?.label).not.toMatchObject([{ command: {} }]);
});

test("a parameter that is called as a part of the configuration has none", () => {
  const named = { ...kernel, parameters: [{ name: "block", at: placeOf("n)") }] };
  const view = viewOf([[{ what: "block", value: 64, why: "common" }]]);
  const launches = view.launches.map((launch) => ({ ...launch, kernel: named }));
  expect(inlayHints({ ...view, kernels: [named], launches }, everywhere)).toEqual([]);
});

const access = (start: number, transactions: number, ideal: number): AccessReport => ({
  file: 0,
  line: 2,
  start,
  end: start + 1,
  space: "global",
  operation: "load",
  bytesPerLane: 4,
  requests: 100,
  lanes: 3200,
  transactions,
  ideal,
});

test("what does a launch no harm takes no room", () => {
  const view = viewOf([[]]);
  const [launch] = view.launches;
  if (!launch?.report) throw new Error("no report");
  const accesses = [access(3, 100_000, 12_500), access(5, 1000, 400), access(7, 12_900, 12_500)];
  const labels = inlayHints({ ...view, launches: [{ ...launch, report: { ...launch.report, accesses } }] }, everywhere).map(
    ({ label }) => label,
  );
  expect(labels).toEqual(["1000 sectors/req, ideal 125"]);
});
