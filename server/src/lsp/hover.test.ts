/** What stands behind a loop's first line. The other hovers are tested with what they show. */
import { findGpu, type GpuModel } from "@warplens/sim-engine";
import { expect, test } from "vitest";
import { TextDocument } from "vscode-languageserver-textdocument";
import { hover } from "./hover.ts";
import { readSettings } from "./settings.ts";
import { reportOf } from "./testing.ts";
import type { View } from "./view.ts";

const text = "void k() {\n  for (int i = 0; i < n; i++)\n    a[i] = 0;\n}\n";
const start = text.indexOf("for");
const loop = { file: 0, line: 2, start, end: text.indexOf(";\n") + 1 };

/** One launch a line, each with the turns of the loop. */
const viewOf = (turns: readonly number[], file = 0): View => ({
  document: TextDocument.create("file:///w/a.cu", "cuda-cpp", 1, text),
  gpu: findGpu("h200") as GpuModel,
  settings: readSettings({}).settings,
  kernels: [],
  launches: turns.map((trips, index) => ({
    kernelName: "k",
    templateArguments: [],
    line: index + 9,
    isStale: false,
    report: reportOf(1000, { loops: [{ ...loop, file, trips }] }),
  })),
  progress: "done",
  diagnostics: [],
});

const said = (view: View, line: number, character: number): string | undefined => {
  const found = hover(view, { line, character })?.contents;
  return found && typeof found === "object" && "value" in found ? found.value : undefined;
};

test("how often a loop turns", () => {
  expect(said(viewOf([128]), 1, 3)).toContain("| turns of a warp each time it enters | **128** |");
  expect(said(viewOf([12.5]), 1, 20)).toContain("**12.5** in the mean");
});
test("in each launch, where there are several", () => {
  const words = said(viewOf([128, 4]), 1, 3);
  expect(words).toContain("enters · launch in line 9 | **128** |");
  expect(words).toContain("enters · launch in line 10 | **4** |");
});
test("not behind its first line, nor of another file's", () => {
  expect(said(viewOf([128]), 2, 6)).toBeUndefined();
  expect(said(viewOf([128], 1), 1, 3)).toBeUndefined();
  expect(said(viewOf([]), 1, 3)).toBeUndefined();
});
