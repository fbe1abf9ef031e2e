/** Lets the user choose which launch of a kernel lens and panel show. */
import { visible } from "@warplens/server/foreign-text";
import { type ChooseLaunchParams, chooseLaunchRequest, type LaunchChoice, launchesRequest } from "@warplens/server/protocol";
import { type QuickPickItem, window } from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";
import type { PanelView } from "../panel/view.ts";

interface LaunchItem extends QuickPickItem {
  /** Absent: the slowest. */
  readonly index?: number;
}

/** Arguments of the lens's command: the document, and the kernel's name in it. */
export async function pickLaunch(client: BaseLanguageClient, panel: PanelView, uri: unknown, position: unknown): Promise<void> {
  if (typeof uri !== "string" || !client.isRunning()) return;
  const at = { textDocument: { uri }, position: position as ChooseLaunchParams["position"] };
  const items = client.sendRequest<LaunchChoice[]>(launchesRequest, at).then(itemsOf);
  const picked = await window.showQuickPick<LaunchItem>(items, {
    title: "Launch to show",
    placeHolder: "Line, configuration or time",
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (!picked) return;
  const { index } = picked;
  await client.sendRequest(chooseLaunchRequest, { ...at, ...(index === undefined ? {} : { launch: index }) } satisfies ChooseLaunchParams);
  panel.pick(uri, index);
}

const itemsOf = (choices: readonly LaunchChoice[]): LaunchItem[] => [
  { label: "$(blank) The slowest", description: "whichever that is after an edit" },
  ...choices.map(({ index, line, configuration, figures, isShown }) => ({
    label: `${isShown ? "$(check)" : "$(blank)"} Line ${line}`,
    description: configuration,
    detail: `$(blank) ${visible(figures)}`,
    index,
  })),
];
