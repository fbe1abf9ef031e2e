/** Pins the figures of the document in view, so that lenses and the panel tell what edits change; or unpins them. */
import { pinRequest } from "@warplens/server/protocol";
import { languages, window } from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";
import { documentSelector } from "../language-client.ts";

/** Milliseconds that the status bar says what became of it. */
const said = 4000;

export async function togglePins(client: BaseLanguageClient): Promise<void> {
  const document = window.visibleTextEditors
    .map((editor) => editor.document)
    .filter((each) => languages.match(documentSelector, each) > 0)
    .toSorted((a, b) => Number(b === window.activeTextEditor?.document) - Number(a === window.activeTextEditor?.document))[0];
  if (!document) {
    window.setStatusBarMessage("WarpLens: open a CUDA file to pin its figures", said);
    return;
  }
  const pinned = await client.sendRequest<number>(pinRequest, {
    textDocument: { uri: client.code2ProtocolConverter.asUri(document.uri) },
  });
  const launches = `${pinned} launch${pinned === 1 ? "" : "es"}`;
  window.setStatusBarMessage(`WarpLens: ${pinned > 0 ? `the figures of ${launches} are pinned` : "no figures are pinned"}`, said);
}
