/** What stands over kernels while texts and GPUs change: always about the text and the GPU that it says. */
import * as assert from "node:assert/strict";
import type { WarpLensApi } from "@warplens/client";
import { type CodeLens, ConfigurationTarget, commands, type TextDocument, window, workspace } from "vscode";
import { activated, eventually, placeOf, show } from "./support.ts";

const kernels = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"];

async function titles(document: TextDocument): Promise<string[]> {
  const lenses = await commands.executeCommand<CodeLens[]>("vscode.executeCodeLensProvider", document.uri, 100);
  return lenses.map(({ command }) => command?.title ?? "").filter((title) => !title.startsWith("assumed"));
}

const hasFigures = (title: string) => title.includes("occupancy");
const isStale = (title: string) => title.includes("↻");

describe("figures of a file that takes its time", () => {
  let warplens: WarpLensApi;
  let document: TextDocument;
  const settings = () => workspace.getConfiguration("warplens");
  const chooseGpu = (gpu: string | undefined) => settings().update("gpu", gpu, ConfigurationTarget.Workspace);
  const all = (wanted: (title: string) => boolean) =>
    eventually(warplens.onDidSimulate, async () => {
      const shown = await titles(document);
      return shown.length === kernels.length && shown.every(wanted) ? shown : undefined;
    });
  const edit = async (text: string, by: string) => {
    const editor = await window.showTextDocument(document);
    await editor.edit((change) => change.replace(placeOf(document, text), by));
  };

  /** What stood over the kernels each time that figures came, from before the file was open. */
  const seenOpening: string[][] = [];

  before(async () => {
    warplens = await activated();
    const watching = warplens.onDidSimulate(async () => {
      const opened = workspace.textDocuments.find(({ fileName }) => fileName.endsWith("eight.cu"));
      if (opened) seenOpening.push(await titles(opened));
    });
    document = await show("eight.cu");
    await all((title) => hasFigures(title) && !isStale(title));
    watching.dispose();
  });
  after(() => chooseGpu(undefined));
  afterEach(async () => {
    await window.showTextDocument(document);
    await commands.executeCommand("workbench.action.files.revert");
  });

  it("the first kernel's lens is there before the last launch is done", () => {
    assert.ok(
      seenOpening.some(
        (shown) => shown.length === kernels.length && shown.some(hasFigures) && shown.some((title) => title === "H200 · simulating…"),
      ),
      `all came at once: ${seenOpening.map((shown) => shown.join(" | ")).join("\n")}`,
    );
  });

  it("after a switch of the GPU no figure of the old one stands under the new one's name", async () => {
    const old = new Set((await all((title) => hasFigures(title) && !isStale(title))).map((title) => title.replace("H200", "")));
    const seen: string[] = [];
    const watching = [warplens.onDidSimulate, warplens.onDidChangeStatus].map((event) =>
      event(async () => void seen.push(...(await titles(document)))),
    );
    await chooseGpu("t4");
    const now = await all((title) => title.startsWith("T4 ") && hasFigures(title));
    for (const each of watching) each.dispose();
    assert.ok(seen.includes("T4 · simulating…"), `${seen.slice(0, 20).join(" | ")}`);
    for (const title of [...seen, ...now].filter((each) => each.startsWith("T4")))
      assert.ok(!old.has(title.replace("T4", "")), `the H200's figures under the T4's name: ${title}`);
    await chooseGpu(undefined);
    await all((title) => title.startsWith("H200 ") && hasFigures(title));
  });

  it("while the code does not parse the last good figures stay, marked", async () => {
    const good = await all((title) => hasFigures(title) && !isStale(title));
    await edit("out[blockIdx.y * width + x] = steps(3.0f", "out[blockIdx.y * = { steps(3.0f");
    const broken = await eventually(warplens.onDidSimulate, async () => {
      const shown = await titles(document);
      return shown.length === good.length && shown.every(hasFigures) && shown.some(isStale) ? shown : undefined;
    });
    const [first = "", before = ""] = [broken[0], good[0]];
    assert.ok(first.startsWith(before) && isStale(first), `${first} does not keep ${before}`);
    await window.showTextDocument(document);
    await commands.executeCommand("undo");
    assert.deepEqual(await all((title) => hasFigures(title) && !isStale(title)), good);
  });

  it("what is pinned is compared with what an edit makes of it", async () => {
    await all((title) => hasFigures(title) && !isStale(title));
    await commands.executeCommand("warplens.togglePins");
    await all((title) => title.endsWith("as pinned"));
    await edit("b * b < 4.0f", "b * b < 1.0f");
    const compared = await all((title) => hasFigures(title) && !isStale(title) && title.includes("pinned"));
    assert.ok(
      compared.some((title) => /[\u2212+]\d+ % from [\d.]+ [µm]s pinned/.test(title)),
      compared.join(" | "),
    );
    await window.showTextDocument(document);
    await commands.executeCommand("undo");
    await commands.executeCommand("warplens.togglePins");
    await all((title) => hasFigures(title) && !isStale(title) && !title.includes("pinned"));
  });

  it("a long simulation says how far it is, and can be stopped", async () => {
    await all((title) => hasFigures(title) && !isStale(title));
    // Another limit in the function that all of them call: every launch is another one.
    await edit("b * b < 4.0f", "b * b < 5.0f");
    await eventually(warplens.onDidChangeStatus, () => (warplens.status()?.progress?.of === kernels.length ? true : undefined));
    await commands.executeCommand("warplens.stopSimulation");
    await eventually(warplens.onDidChangeStatus, () => (warplens.status()?.progress ? undefined : true));
    const stopped = await titles(document);
    assert.ok(stopped.every(hasFigures) && stopped.some(isStale), stopped.join(" | "));
    await window.showTextDocument(document);
    await commands.executeCommand("undo");
    await all((title) => hasFigures(title) && !isStale(title));
  });
});
