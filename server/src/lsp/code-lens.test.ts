/** What stands over a kernel. */
import { findGpu, type GpuModel, type LaunchReport } from "@warplens/sim-engine";
import { expect, test } from "vitest";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { Diagnostic } from "../lint.ts";
import { codeLenses } from "./code-lens.ts";
import { panelAnswer } from "./panel.ts";
import { readSettings } from "./settings.ts";
import { reportOf } from "./testing.ts";
import type { View, ViewKernel } from "./view.ts";

const by = { block: [0, 0, 0], thread: [0, 0, 0] } as const;
const found = (more: Partial<Diagnostic> = {}): Diagnostic => ({
  path: "/w/a.cu",
  ruleId: "out-of-bounds-access",
  severity: "error",
  message: "Out of bounds.",
  range: { start: { line: 4, character: 0 }, end: { line: 4, character: 4 } },
  kernel: "k",
  fixes: [],
  related: [],
  tags: [],
  witness: by,
  simulated: true,
  url: "",
  ...more,
});

function viewOf(diagnostics: readonly Diagnostic[], more: Partial<LaunchReport> = {}): View {
  const document = TextDocument.create("file:///w/a.cu", "cuda-cpp", 1, "__global__ void k();");
  const at = { start: 16, end: 17 };
  const kernel: ViewKernel = { name: "k", nameAt: at, at, parameters: [], sharedArrays: [], isBroken: false };
  const launch = { kernel, kernelName: "k", templateArguments: [], line: 1, isStale: false, report: { ...reportOf(1000), ...more } };
  const gpu = findGpu("h200") as GpuModel;
  return { document, gpu, settings: readSettings({}).settings, kernels: [kernel], launches: [launch], progress: "done", diagnostics };
}

const { witness: _, ...unseen } = found();

test.each<readonly [name: string, diagnostics: readonly Diagnostic[], isMarked: boolean]>([
  ["an error that a thread shows", [found()], true],
  ["nothing", [], false],
  ["of another kernel", [found({ kernel: "other" })], false],
  ["information", [found({ severity: "information" })], false],
  ["of performance", [unseen], false],
])("%s: the figures say so", (_name, diagnostics, isMarked) => {
  const view = viewOf(diagnostics);
  const [lens] = codeLenses(view);
  expect(lens?.command?.title.startsWith("⚠ out of bounds access, line 5 · ")).toBe(isMarked);
  const answer = panelAnswer(view, { textDocument: { uri: view.document.uri }, position: { line: 0, character: 0 } });
  expect(answer && "fault" in answer).toBe(isMarked);
});

test("the lens says in words what bounds the time", () => {
  const time = reportOf(1000).time as NonNullable<LaunchReport["time"]>;
  const [lens] = codeLenses(viewOf([], { time: { ...time, boundBy: "xu" } }));
  expect(lens?.command?.title).toContain("bound by XU");
  expect(lens?.command?.tooltip).toMatch(/^XU: special functions and conversions\./);
});

test("what is assumed of numbers is told before calls that are taken to succeed", () => {
  const success = { what: "`cublasCreate`", value: "success", why: "" };
  const number = (what: string) => ({ what, value: 1024, why: "" });
  const assumptions = [success, number("n"), number("m"), number("k")];
  expect(codeLenses(viewOf([], { assumptions })).at(-1)?.command?.title).toBe("assumed n = 1024, m = 1024, k = 1024, 1 more");
});
