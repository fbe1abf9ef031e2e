/** Names and source made to become something else where the editor shows them. */
import { findGpu, type GpuModel } from "@warplens/sim-engine";
import { describe, expect, test } from "vitest";
import { TextDocument } from "vscode-languageserver-textdocument";
import { code, literal } from "../foreign-text.ts";
import { hostile, isVisible, read } from "../testing/hostile.ts";
import { bugReport } from "./bug-report.ts";
import { codeLenses } from "./code-lens.ts";
import { hover } from "./hover.ts";
import { inlayHints } from "./inlay-hints.ts";
import { panelAnswer } from "./panel.ts";
import { readSettings } from "./settings.ts";
import { reportOf } from "./testing.ts";
import type { View, ViewKernel, ViewLaunch } from "./view.ts";

const h200 = findGpu("h200") as GpuModel;
const named = hostile.map((text) => [JSON.stringify(text.slice(0, 60)), text] as const);

/** A kernel of that name, in a source that says it, launched twice: once simulated, once refused for that reason. */
function viewOf(name: string): View {
  const document = TextDocument.create("file:///w/a.cu", "cuda-cpp", 1, `kernel launch again refused\n${name}\n`);
  const at = (word: string) => ({ start: document.getText().indexOf(word), end: document.getText().indexOf(word) + word.length });
  const kernel: ViewKernel = {
    name,
    nameAt: at("kernel"),
    at: { start: 0, end: document.getText().length },
    parameters: [],
    sharedArrays: [{ name, bytes: 4096, start: at("refused").end + 1, end: at("refused").end + 1 }],
    isBroken: false,
  };
  const report = reportOf(1000, {
    kernel: name,
    templateArguments: [name],
    assumptions: [{ what: name, value: name, why: `as \`${name}\` says: ${name}` }],
    accesses: [
      {
        ...at("launch"),
        file: 0,
        line: 1,
        column: 1,
        space: "global",
        operation: "load",
        bytesPerLane: 4,
        requests: 1,
        lanes: 32,
        transactions: 32,
        ideal: 4,
      },
    ] as unknown as ReturnType<typeof reportOf>["accesses"],
    lines: { "2": {} } as unknown as ReturnType<typeof reportOf>["lines"],
  });
  const launch = { kernel, kernelName: name, templateArguments: [name], line: 2, isStale: false };
  const launches: ViewLaunch[] = [
    { ...launch, at: at("again"), report },
    { ...launch, at: at("again"), report: reportOf(10, { templateArguments: [name] }) },
    { ...launch, at: at("refused"), reason: `${name} of \`${name}\`` },
  ];
  const gpu = { ...h200, name };
  return { document, gpu, settings: readSettings({}).settings, kernels: [kernel], launches, progress: "done", diagnostics: [] };
}

/** What a hover may be made of: what a workspace says adds nothing to it. */
const ours = new Set(["paragraph", "text", "strong", "em", "table", "list", "list_item", "codespan", "escape", "space"]);

describe.each(named)("a kernel, a GPU and source called %s", (_, name) => {
  const view = viewOf(name);

  test.each(["kernel", "launch", "again", "refused"])("hover over %s", (word) => {
    const found = hover(view, view.document.positionAt(view.document.getText().indexOf(word)));
    const { contents } = found ?? {};
    if (!contents || typeof contents !== "object" || !("value" in contents)) throw new Error("no hover");
    const { value } = contents;
    expect([...read(value).kinds].filter((kind) => !ours.has(kind))).toEqual([]);
    expect(value.split("\n").every(isVisible)).toBe(true);
    expect(value.length).toBeLessThan(20_000);
    expect(value).toContain(literal(name));
    if (word === "kernel" || word === "again") expect(value).toContain(code(`${name}<${name}>`));
  });

  test("hover over a shared array", () => {
    const found = hover(view, { line: 1, character: 0 });
    expect(JSON.stringify(found?.contents)).toContain(JSON.stringify(code(name)).slice(1, -1));
  });

  test("lenses and hints are labels of one line without icons and links", () => {
    for (const { command } of codeLenses(view)) {
      expect(isVisible(`${command?.title}${command?.tooltip ?? ""}`)).toBe(true);
      expect(command?.title).not.toMatch(/\$\(|\]\(/);
      expect(command?.title.length).toBeLessThanOrEqual(300);
    }
    const range = { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } };
    const hints = inlayHints(view, range);
    expect(hints.length).toBeGreaterThan(0);
    for (const { label, tooltip } of hints) expect(isVisible(`${label}${tooltip}`)).toBe(true);
  });

  test("the panel's model shows what it holds, and is small", () => {
    const model = panelAnswer(view, { textDocument: { uri: view.document.uri }, position: { line: 0, character: 0 } });
    if (!model || "nothing" in model) throw new Error("no model");
    const shown = [...model.launches.flatMap((launch) => Object.values(launch)), ...Object.values(model.source.lines)].map(String);
    expect(shown.filter((text) => !isVisible(text))).toEqual([]);
    expect(shown.join("").length).toBeLessThan(20_000);
  });

  test("the bug report", () => {
    const { document, gpu } = view;
    const report = bugReport({ gpu, documents: [{ lines: document.lineCount, launches: 1, notSimulated: [`${name} of \`${name}\``] }] });
    expect([...read(report).kinds].filter((kind) => !ours.has(kind))).toEqual([]);
  });
});
