/** What Nsight Compute printed of a program, loaded beside what is simulated of its source. */
import * as assert from "node:assert/strict";
import type { WarpLensApi } from "@warplens/client";
import { type CodeLens, ConfigurationTarget, commands, env, type Hover, Position, type TextDocument, workspace } from "vscode";
import { activated, eventually, fileUri, show } from "./support.ts";

describe("a report of Nsight Compute", () => {
  let warplens: WarpLensApi;
  let document: TextDocument;
  const titles = async (): Promise<string[]> => {
    const lenses = await commands.executeCommand<CodeLens[]>("vscode.executeCodeLensProvider", document.uri, 100);
    return lenses.map(({ command }) => command?.title ?? "").filter((title) => / · (?:occupancy|simulating)/.test(title));
  };
  const all = (wanted: (title: string) => boolean) =>
    eventually(warplens.onDidSimulate, async () => {
      const shown = await titles();
      return shown.length === 2 && shown.every(wanted) ? shown : undefined;
    });
  const chooseGpu = (gpu: string | undefined) => workspace.getConfiguration("warplens").update("gpu", gpu, ConfigurationTarget.Workspace);

  before(async () => {
    warplens = await activated();
    document = await show("measured/launches.cu");
    await all((title) => /± \d+ %$/.test(title));
  });
  after(() => chooseGpu(undefined));

  it("is loaded by the command, and stands in the lens beside the estimate", async () => {
    await commands.executeCommand("warplens.loadReport", fileUri("measured/raw.csv"), fileUri("measured/source.csv"));
    // Of each kernel the launch that takes longest, once all are simulated.
    await all((title) => /measured (?:41\.6|31\.2) µs · est\. [\d.]+ µs \([\u2212+]?\d+ %\)$/.test(title));
  });

  it("stands in the hovers of kernel and line", async () => {
    const hoverAt = async (line: number, character: number): Promise<string> => {
      const hovers = await commands.executeCommand<Hover[]>("vscode.executeHoverProvider", document.uri, new Position(line, character));
      return hovers.flatMap(({ contents }) => contents.map((each) => (typeof each === "string" ? each : each.value))).join("\n");
    };
    assert.match(await hoverAt(2, 17), /\| Global load sectors \| 1\.05M \| 1\.05M \| ✓ 0 % \|/);
    assert.match(await hoverAt(4, 0), /Measured: \*\*85 %\*\* of the samples; 1\.57M sectors, est\. 1\.57M/);
  });

  it("an outlier is copied without names and source", async () => {
    await commands.executeCommand("warplens.copyOutlier");
    const text = await env.clipboard.readText();
    assert.match(text, /\| Time \| [\d.]+ µs \| [\d.]+ µs \|/);
    assert.doesNotMatch(text, /axpy|transpose|launches\.cu|raw\.csv|threadIdx/);
  });

  it("is beside nothing on another GPU, and comes back on its own", async () => {
    await chooseGpu("a100");
    await all((title) => title.startsWith("A100") && title.includes("occupancy") && !title.includes("measured"));
    await chooseGpu(undefined);
    await all((title) => title.startsWith("H200") && title.includes("measured"));
  });

  it("is there again when the server has been restarted", async () => {
    await commands.executeCommand("warplens.restart");
    await all((title) => title.includes("measured"));
  });
});
