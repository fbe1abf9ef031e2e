/** Writes what was tried in the panel: into the source, as the server says where, and the GPU into the settings. */
import { type ApplyAnswer, applyRequest, type WhatIfParams } from "@warplens/server/protocol";
import { Uri, WorkspaceEdit, window, workspace } from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";
import { chooseGpu } from "./select-gpu.ts";

/** Milliseconds that the status bar says what was written. */
const said = 6000;

/** @returns why nothing was written, where nothing was */
export async function applyWhatIf(client: BaseLanguageClient, params: WhatIfParams): Promise<string | undefined> {
  const { gpu, ...values } = params.overrides;
  if (!client.isRunning()) return "the language server is not running";
  const words: string[] = [];
  if (Object.keys(values).length > 0) {
    const answer = await client.sendRequest<ApplyAnswer | null>(applyRequest, params).then(undefined, () => null);
    if (answer === null) return "the text has changed meanwhile";
    if ("why" in answer) return answer.why;
    const uri = Uri.parse(params.textDocument.uri);
    const document = workspace.textDocuments.find((each) => client.code2ProtocolConverter.asUri(each.uri) === params.textDocument.uri);
    if (document?.version !== params.version) return "the text has changed meanwhile";
    const edit = new WorkspaceEdit();
    for (const { range, newText } of answer.edits) edit.replace(uri, client.protocol2CodeConverter.asRange(range), newText);
    if (!(await workspace.applyEdit(edit))) return `${uri.path} cannot be written to`;
    words.push(answer.words);
  }
  if (gpu !== undefined) {
    await chooseGpu(gpu);
    words.push(`warplens.gpu is ${gpu}`);
  }
  window.setStatusBarMessage(`WarpLens wrote: ${words.join("; ")}`, said);
  return undefined;
}
