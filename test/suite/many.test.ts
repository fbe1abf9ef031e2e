/** More than one screen holds: files that are open, and launches of one file. */
import * as assert from "node:assert/strict";
import type { WarpLensApi } from "@warplens/client";
import { type CodeLens, commands, type TextDocument, window, workspace } from "vscode";
import { activated, eventually, fileUri, show } from "./support.ts";

const files = 25;
const launches = 30;

const lensTitles = async (document: TextDocument): Promise<string[]> => {
  const lenses = await commands.executeCommand<CodeLens[]>("vscode.executeCodeLensProvider", document.uri, 100);
  return lenses.map(({ command }) => command?.title ?? "");
};
const write = (name: string, text: string) => workspace.fs.writeFile(fileUri(name), new TextEncoder().encode(text));

describe("many", () => {
  let warplens: WarpLensApi;
  before(async () => {
    warplens = await activated();
  });
  after(async () => {
    await commands.executeCommand("workbench.action.closeAllEditors");
    await workspace.fs.delete(fileUri("many"), { recursive: true });
  });

  it(`${files} files open: each has its own figures, and an edit of the first is seen`, async () => {
    /** Each has another stride, so that nobody's figures are another's. */
    const textOf = (file: number) =>
      `__global__ void k${file}(float *out, const float *in) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n` +
      `  out[i] = ${file + 1}.0f * in[i];\n}\nvoid run(float *out, const float *in) { k${file}<<<${64 * (file + 1)}, 256>>>(out, in); }\n`;
    const documents: TextDocument[] = [];
    for (let file = 0; file < files; file++) {
      await write(`many/file-${file}.cu`, textOf(file));
      documents.push(await workspace.openTextDocument(fileUri(`many/file-${file}.cu`)));
      await window.showTextDocument(documents.at(-1) as TextDocument, { preview: false });
    }
    assert.equal(window.tabGroups.all.flatMap(({ tabs }) => tabs).filter(({ label }) => label.startsWith("file-")).length, files);
    for (const document of documents)
      await eventually(warplens.onDidSimulate, async () => {
        const titles = await lensTitles(document);
        return titles.some((title) => /occupancy \d+ %.*µs/.test(title)) ? titles : undefined;
      });
    const first = documents[0] as TextDocument;
    const [before] = await lensTitles(first);
    const editor = await window.showTextDocument(first);
    await editor.edit((change) => change.replace(first.lineAt(4).range, first.lineAt(4).text.replace("64, 256", "65536, 256")));
    const now = await eventually(warplens.onDidSimulate, async () => {
      const [title] = await lensTitles(first);
      return title?.includes("occupancy") && !title.includes("↻") && title !== before ? title : undefined;
    });
    assert.match(now, / \d\d(?:\.\d)? µs ± \d+ %$/, "65,536 blocks take tens of microseconds");
  }).timeout(120_000);

  it(`${launches} launches of a file: all are simulated, and the slowest stands above the kernel`, async () => {
    const calls = Array.from({ length: launches }, (_, launch) => `  scale<<<${32 * (launch + 1)}, 256>>>(out, in);`);
    const text = [
      "__global__ void scale(float *out, const float *in) {",
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;",
      "  out[i] = 2 * in[i];",
      "}",
      "void run(float *out, const float *in) {",
      ...calls,
      "}",
    ];
    await write("many/launches.cu", text.join("\n"));
    const document = await show("many/launches.cu");
    await eventually(warplens.onDidSimulate, async () =>
      (await lensTitles(document)).includes(`slowest of ${launches} launches`) ? true : undefined,
    );
  });
});
