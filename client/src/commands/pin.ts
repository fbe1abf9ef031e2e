/** Pins the figures of the document that the panel shows, so that lenses and the panel tell what edits change; or unpins them. */
import { pinRequest } from "@warplens/server/protocol";
import { window } from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";
import type { PanelView } from "../panel/view.ts";

/** Milliseconds that the status bar says what became of it. */
const said = 4000;

export async function togglePins(client: BaseLanguageClient, panel: PanelView): Promise<void> {
  const { uri } = panel;
  if (uri === undefined || !client.isRunning()) {
    window.setStatusBarMessage("WarpLens: open a CUDA file to pin its figures", said);
    return;
  }
  const pinned = await client.sendRequest<number>(pinRequest, { textDocument: { uri } });
  const launches = `${pinned} launch${pinned === 1 ? "" : "es"}`;
  window.setStatusBarMessage(`WarpLens: ${pinned > 0 ? `the figures of ${launches} are pinned` : "no figures are pinned"}`, said);
}
