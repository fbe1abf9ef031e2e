import * as assert from "node:assert/strict";
import type { WarpLensApi } from "@warplens/client";
import {
  type CodeAction,
  type CodeLens,
  type CompletionList,
  ConfigurationTarget,
  commands,
  DiagnosticSeverity,
  env,
  type Hover,
  type InlayHint,
  languages,
  type MarkdownString,
  type Range,
  Selection,
  type TextDocument,
  WorkspaceEdit,
  window,
  workspace,
} from "vscode";
import { activated, eventually, fileUri, findings, noFindings, placeOf, show, wholeOf } from "./support.ts";

const lenses = (document: TextDocument) => commands.executeCommand<CodeLens[]>("vscode.executeCodeLensProvider", document.uri, 100);
const hints = (document: TextDocument) =>
  commands.executeCommand<InlayHint[]>("vscode.executeInlayHintProvider", document.uri, wholeOf(document));
const actions = (document: TextDocument, range: Range, kind?: string) =>
  commands.executeCommand<CodeAction[]>("vscode.executeCodeActionProvider", document.uri, range, kind);
const labelOf = ({ label }: InlayHint) => (typeof label === "string" ? label : label.map((part) => part.value).join(""));

async function hoverAt(document: TextDocument, place: Range): Promise<string> {
  const hovers = await commands.executeCommand<Hover[]>("vscode.executeHoverProvider", document.uri, place.start);
  return hovers
    .flatMap((hover) => hover.contents.map((content) => (typeof content === "string" ? content : (content as MarkdownString).value)))
    .join("\n");
}

describe("in the editor", () => {
  let warplens: WarpLensApi;
  let document: TextDocument;

  before(async () => {
    warplens = await activated();
    document = await show("five-rules.cu");
  });

  /** A test that fails half-way leaves the next one the file as it was. */
  afterEach(async () => {
    await window.showTextDocument(document);
    await commands.executeCommand("workbench.action.files.revert");
  });

  describe("findings", () => {
    const expected = [
      ["legacy-warp-intrinsic", "__shfl_down"],
      ["unsigned-loop-counter", "unsigned int k"],
      ["double-constant-in-float", "0.1"],
      ["strided-global-access", "out[x * n + y]"],
      ["uncoalesced-global-access", "values[index[i]]"],
    ] as const;
    for (const [rule, text] of expected)
      it(`${rule} stands on ${text}`, async () => {
        const line = placeOf(document, text).start.line;
        const found = await findings(document, rule);
        assert.ok(
          found.some(({ range }) => range.start.line === line),
          `found on lines ${found.map(({ range }) => range.start.line)}, not ${line}`,
        );
        for (const diagnostic of found) {
          assert.equal(diagnostic.source, "warplens");
          assert.ok(typeof diagnostic.code === "object", "the code opens the rule's page");
          assert.equal(diagnostic.code.target.scheme, "warplens-rule");
        }
      });

    it("a simulated finding says the figure and the ideal", async () => {
      const [found] = await findings(document, "strided-global-access");
      assert.match(found?.message ?? "", /32 sectors.*ideal 4/s);
    });

    it("the code of a finding opens the rule's page", async () => {
      const [found] = await findings(document, "legacy-warp-intrinsic");
      assert.ok(typeof found?.code === "object");
      const page = await workspace.openTextDocument(found.code.target);
      assert.match(page.getText(), /legacy-warp-intrinsic/);
      assert.match(page.getText(), /_sync/);
    });
  });

  it("a lens above each kernel says GPU, occupancy and time", async () => {
    await findings(document, "strided-global-access");
    const titles = (await lenses(document)).map((lens) => lens.command?.title ?? "");
    for (const kernel of ["strided", "gather", "average", "reduce"]) {
      const line = placeOf(document, `void ${kernel}`).start.line;
      const above = (await lenses(document)).filter(({ range }) => range.start.line === line).map((lens) => lens.command?.title ?? "");
      assert.ok(
        above.some((title) => /occupancy.*%/.test(title)),
        `no occupancy above ${kernel}: ${titles.join(" | ")}`,
      );
    }
  });

  it("a hover on an access tells its sectors", async () => {
    await findings(document, "strided-global-access");
    assert.match(await hoverAt(document, placeOf(document, "out[x * n + y]")), /sectors/);
  });

  it("a hover on a kernel tells its occupancy", async () => {
    await findings(document, "strided-global-access");
    assert.match(await hoverAt(document, placeOf(document, "strided")), /[Oo]ccupancy/);
  });

  it("hints stand at accesses that are not ideal, and go when switched off", async () => {
    await findings(document, "strided-global-access");
    const line = placeOf(document, "out[x * n + y]").start.line;
    const atAccess = async () => (await hints(document)).filter(({ position }) => position.line === line).map(labelOf);
    assert.match((await atAccess()).join(), /32 sectors/);
    const settings = workspace.getConfiguration("warplens");
    await settings.update("inlayHints.globalAccesses", false, ConfigurationTarget.Workspace);
    try {
      await eventually(warplens.onDidSimulate, async () => (/sectors/.test((await atAccess()).join()) ? undefined : true));
    } finally {
      await settings.update("inlayHints.globalAccesses", undefined, ConfigurationTarget.Workspace);
    }
  });

  it("a bank conflict has a hint", async () => {
    const tile = await show("tile.cu");
    const conflict = await eventually(warplens.onDidSimulate, async () =>
      (await hints(tile)).map(labelOf).find((label) => /32-way/.test(label)),
    );
    assert.match(conflict, /conflict/);
    await show("five-rules.cu");
  });

  it("the fix that was tried says what it gains and is preferred; Disable comes last and asks for its reason", async () => {
    const tile = await show("tile.cu");
    const [found] = await findings(tile, "shared-bank-conflict");
    assert.ok(found);
    const fixes = await eventually(languages.onDidChangeDiagnostics, async () => {
      const all = await actions(tile, found.range, "quickfix");
      return all.some(({ isPreferred }) => isPreferred) ? all : undefined;
    });
    const own = fixes.filter(({ title }) => /square|shared-bank-conflict/.test(title));
    assert.match(own.find(({ isPreferred }) => isPreferred)?.title ?? "", /^Pad `square` to \[32\]\[33\]: [\d.]+ to [\d.]+ µs/);
    const disable = own.at(-1);
    assert.match(disable?.title ?? "", /^Disable /);
    assert.ok(disable?.edit);
    await workspace.applyEdit(disable.edit);
    assert.match(tile.getText(), /warplens-disable-next-line shared-bank-conflict -- reason/);
    assert.equal(window.activeTextEditor && tile.getText(window.activeTextEditor.selection), "reason");
    await commands.executeCommand("workbench.action.files.revert");
    await show("five-rules.cu");
  });

  it("a refactoring is offered at the cursor by its kind, with what it comes to, and its edit keeps the kernel right", async () => {
    const tile = await show("tile.cu");
    const kind = "refactor.rewrite.swizzle-shared-tile";
    const at = placeOf(tile, "square[threadIdx.x]");
    const offered = await eventually(warplens.onDidSimulate, async () => (await actions(tile, at, kind))[0]);
    assert.match(offered.title, /^Swizzle the columns of `square` by the row: [\d.]+ to [\d.]+ µs$/);
    assert.equal(offered.kind?.value, kind);
    // Without the words for the preview, which waits for the user.
    const edit = new WorkspaceEdit();
    for (const [uri, edits] of offered.edit?.entries() ?? []) edit.set(uri, edits);
    await workspace.applyEdit(edit);
    assert.match(tile.getText(), /square\[threadIdx\.x\]\[\(threadIdx\.y \+ row\) \^ threadIdx\.x % 32\]/);
    await commands.executeCommand("workbench.action.files.revert");
    await show("five-rules.cu");
  });

  it("a quick fix applies, and undo takes it back", async () => {
    const [found] = await findings(document, "legacy-warp-intrinsic");
    assert.ok(found);
    const before = document.getText();
    // It is tried before it can be chosen.
    const fix = await eventually(languages.onDidChangeDiagnostics, async () => {
      const fixes = await actions(document, found.range, "quickfix");
      return fixes.find(({ title, edit }) => edit && /_sync/.test(title));
    });
    assert.ok(fix.edit);
    await workspace.applyEdit(fix.edit);
    assert.match(document.getText(), /__shfl_down_sync\(0xffffffff, value, offset\)/i);
    await noFindings(document, "legacy-warp-intrinsic");
    await window.showTextDocument(document);
    await commands.executeCommand("undo");
    assert.equal(document.getText(), before);
    await findings(document, "legacy-warp-intrinsic");
  });

  it("fix all applies the safe fixes only", async () => {
    const before = document.getText();
    await findings(document, "legacy-warp-intrinsic");
    const fixAll = await eventually(languages.onDidChangeDiagnostics, async () => {
      const fixes = await actions(document, wholeOf(document), "source.fixAll.warplens");
      return fixes.find(({ kind }) => kind?.value === "source.fixAll.warplens");
    });
    assert.ok(fixAll.edit);
    await workspace.applyEdit(fixAll.edit);
    assert.match(document.getText(), /__shfl_down_sync\(0xffffffff, value, offset\)/);
    assert.match(document.getText(), /sum \* 0\.1;/, "an unsafe fix was applied");
    await window.showTextDocument(document);
    await commands.executeCommand("undo");
    assert.equal(document.getText(), before);
  });

  describe("settings change live", () => {
    const settings = () => workspace.getConfiguration("warplens");
    const set = (name: string, value: unknown) => settings().update(name, value, ConfigurationTarget.Workspace);

    it("another GPU gives other figures", async () => {
      await findings(document, "strided-global-access");
      const changed = eventually(warplens.onDidChangeStatus, () => (warplens.status()?.gpu.id === "t4" ? true : undefined));
      await set("gpu", "t4");
      await changed;
      const lens = await eventually(warplens.onDidSimulate, async () =>
        (await lenses(document))
          .map(({ command }) => command?.title ?? "")
          .find((title) => title.includes("T4") && /occupancy/.test(title)),
      );
      assert.match(lens, /T4/);
      const back = eventually(warplens.onDidChangeStatus, () => (warplens.status()?.gpu.id === "h200" ? true : undefined));
      await set("gpu", undefined);
      await back;
    });

    it("an unknown GPU is said, and the server goes on", async () => {
      const told = eventually(warplens.onDidChangeStatus, () =>
        warplens.status()?.problems.find((problem) => problem.includes("gtx-9000")),
      );
      await set("gpu", "gtx-9000");
      assert.ok(await told);
      await set("gpu", undefined);
      await eventually(warplens.onDidChangeStatus, () => (warplens.status()?.problems.length === 0 ? true : undefined));
    });

    it("a rule can be another level, or off", async () => {
      await set("rules", { "unsigned-loop-counter": "error" });
      await eventually(languages.onDidChangeDiagnostics, async () => {
        const found = await findings(document, "unsigned-loop-counter");
        return found.every(({ severity }) => severity === DiagnosticSeverity.Error) ? true : undefined;
      });
      await set("rules", { "unsigned-loop-counter": "off" });
      await noFindings(document, "unsigned-loop-counter");
      await set("rules", undefined);
      await findings(document, "unsigned-loop-counter");
    });
  });

  describe("warplens.json", () => {
    const project = fileUri("warplens.json");
    const write = (text: string) => workspace.fs.writeFile(project, new TextEncoder().encode(text));
    const lensText = async () => (await lenses(document)).map(({ command }) => command?.title ?? "").join("\n");
    afterEach(async () => {
      await window.showTextDocument(document);
      await workspace.fs.delete(project).then(undefined, () => undefined);
      await eventually(warplens.onDidChangeStatus, () => (warplens.status()?.gpu.id === "h200" ? true : undefined));
    });

    it("gives the project a GPU of its own, and holds as it is saved", async () => {
      await write('{ "gpu": "tiny", "gpus": [{ "id": "tiny", "name": "Tiny", "extends": "t4", "figures": { "smCount": 2 } }] }');
      await eventually(warplens.onDidSimulate, async () => ((await lensText()).includes("Tiny · occupancy") ? true : undefined));
      assert.equal(warplens.status()?.gpu.multiprocessors, 2);
      assert.equal(warplens.status()?.chosenBy, "warplens.json");
      await write('{ "gpu": "tiny", "gpus": [{ "id": "tiny", "name": "Tinier", "extends": "t4", "figures": { "smCount": 1 } }] }');
      await eventually(warplens.onDidSimulate, async () => ((await lensText()).includes("Tinier · occupancy") ? true : undefined));
    });

    it("is marked where it is wrong, and completed", async () => {
      await write('{ "gpus": [{ "id": "tiny", "extends": "t4", "figures": { "smcount": 2,  } }] }');
      const file = await show("warplens.json");
      const marked = await eventually(languages.onDidChangeDiagnostics, () =>
        languages.getDiagnostics(file.uri).find(({ source }) => source === "warplens"),
      );
      assert.match(marked.message, /did you mean smCount/);
      assert.equal(file.getText(marked.range), '"smcount"');
      assert.equal(file.languageId, "jsonc");
      const { items } = await commands.executeCommand<CompletionList>(
        "vscode.executeCompletionItemProvider",
        file.uri,
        placeOf(file, "2, ").end,
        '"',
      );
      const labels = items.map(({ label }) => (typeof label === "string" ? label : label.label));
      assert.ok(labels.includes("dramBandwidth"), `the schema completes ${labels.join(", ")}`);
    });
  });

  it("findings follow an edit", async () => {
    const before = document.getText();
    const literal = placeOf(document, "0.1;");
    const editor = await window.showTextDocument(document);
    await editor.edit((edit) => edit.replace(literal, "0.1f;"));
    await noFindings(document, "double-constant-in-float");
    await commands.executeCommand("undo");
    assert.equal(document.getText(), before);
  });

  it("a launch is copied as Markdown", async () => {
    const editor = await window.showTextDocument(document);
    editor.selection = new Selection(3, 0, 3, 0);
    await eventually(warplens.onDidSimulate, async () => {
      await commands.executeCommand("warplens.copyMarkdown");
      return /^\*\*`strided`\*\* · NVIDIA H200[\s\S]*\| Time \| \*\*[\d.]+ [µm]s/.test(await env.clipboard.readText()) || undefined;
    });
  });

  it("the bug report names the version and holds no source", async () => {
    await commands.executeCommand("warplens.copyBugReport");
    const report = await env.clipboard.readText();
    assert.match(report, /WarpLens \d+\.\d+/);
    assert.doesNotMatch(report, /__global__|five-rules/);
  });

  it("a sample is there to be tried, without a file or a folder", async () => {
    await commands.executeCommand("warplens.openSample");
    const sample = window.activeTextEditor?.document;
    assert.equal(sample?.uri.scheme, "untitled");
    await findings(sample, "shared-bank-conflict");
    const titles = await eventually(warplens.onDidSimulate, async () => {
      const all = (await lenses(sample)).map(({ command }) => command?.title ?? "");
      return all.filter((title) => title.includes("occupancy")).length === 5 ? all : undefined;
    });
    assert.ok(
      titles.every((title) => !title.startsWith("assumed")),
      titles.join(" | "),
    );
    await commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
  });

  it("the server restarts and finds again", async () => {
    await commands.executeCommand("warplens.restart");
    await findings(document, "legacy-warp-intrinsic");
  });
});
