import { label } from "@warplens/server/foreign-text";
import { type GpuSummary, gpusRequest } from "@warplens/server/protocol";
import { ConfigurationTarget, type QuickPickItem, QuickPickItemKind, window, workspace } from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";
import { describeGpu } from "../gpu.ts";

interface GpuItem extends QuickPickItem {
  readonly value?: string;
}

/** Lets the user pick the GPU to simulate. */
export async function selectGpu(client: BaseLanguageClient): Promise<void> {
  const current = workspace.getConfiguration("warplens").get("gpu", "auto");
  const items = client.sendRequest<GpuSummary[]>(gpusRequest).then((gpus) => itemsOf(gpus, current));
  const picked = await window.showQuickPick<GpuItem>(items, {
    title: "GPU to simulate",
    placeHolder: "Name or compute capability",
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (picked?.value !== undefined) await chooseGpu(picked.value);
}

/** Keeps the choice in the workspace's settings, or the user's where there is none. */
export async function chooseGpu(id: string): Promise<void> {
  const target = workspace.workspaceFolders ? ConfigurationTarget.Workspace : ConfigurationTarget.Global;
  await workspace.getConfiguration("warplens").update("gpu", id, target);
}

function itemsOf(gpus: readonly GpuSummary[], current: string): GpuItem[] {
  const mark = (value: string) => (value === current ? "$(check) " : "$(blank) ");
  const group = (title: string, members: readonly GpuSummary[]): GpuItem[] =>
    members.length === 0
      ? []
      : [
          { label: title, kind: QuickPickItemKind.Separator },
          ...members.map((gpu) => ({
            label: `${mark(gpu.id)}${label(gpu.name)}`,
            description: gpu.id,
            detail: `$(blank) ${describeGpu(gpu)}`,
            value: gpu.id,
          })),
        ];
  return [
    { label: `${mark("auto")}Automatic`, detail: "$(blank) From -arch in compile_commands.json, else the H200", value: "auto" },
    ...group(
      "warplens.json",
      gpus.filter(({ own }) => own),
    ),
    ...group(
      "models",
      gpus.filter(({ own }) => !own),
    ),
  ];
}
