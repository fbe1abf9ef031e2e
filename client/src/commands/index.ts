/** The commands of the palette, one function each. */
import { stopSimulationNotification } from "@warplens/server/protocol";
import { commands, type Disposable, env, type LogOutputChannel, Uri, window } from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";
import { toggleHeat } from "../heat.ts";
import type { Measured } from "../measured.ts";
import type { PanelView } from "../panel/view.ts";
import { assume } from "./assume.ts";
import { bugReport } from "./bug-report.ts";
import { loadReport } from "./load-report.ts";
import { openSample } from "./open-sample.ts";
import { pickLaunch } from "./pick-launch.ts";
import { togglePins } from "./pin.ts";
import { selectGpu } from "./select-gpu.ts";
import { showRule } from "./show-rule.ts";

export interface CommandContext {
  readonly client: BaseLanguageClient;
  readonly log: LogOutputChannel;
  readonly panel: PanelView;
  readonly measured: Measured;
  readonly version: string;
  /** Where the extension is. */
  readonly extension: Uri;
}

export function registerCommands({ client, log, panel, measured, version, extension }: CommandContext): Disposable[] {
  return [
    commands.registerCommand("warplens.openSample", () => openSample(extension)),
    commands.registerCommand("warplens.selectGpu", () => selectGpu(client)),
    commands.registerCommand("warplens.restart", () => restart(client)),
    commands.registerCommand("warplens.stopSimulation", () => client.sendNotification(stopSimulationNotification)),
    commands.registerCommand("warplens.showOutput", () => log.show()),
    commands.registerCommand("warplens.copyBugReport", async () => {
      await env.clipboard.writeText(await bugReport(client, version));
      window.setStatusBarMessage("WarpLens: diagnostics for a bug report are in the clipboard", 4000);
    }),
    commands.registerCommand("warplens.assume", assume),
    commands.registerCommand("warplens.copyMarkdown", async () => {
      const markdown = await panel.markdown();
      if (markdown !== undefined) await env.clipboard.writeText(`${markdown}\n`);
      window.setStatusBarMessage(
        `WarpLens: ${markdown === undefined ? "nothing is known of a launch here" : "the launch is in the clipboard, as Markdown"}`,
        4000,
      );
    }),
    commands.registerCommand("warplens.loadReport", async (...given: readonly unknown[]) => {
      const uris = given.flat().filter((each): each is Uri => each instanceof Uri);
      if (await loadReport(measured, uris.length > 0 ? uris : undefined)) await panel.show();
    }),
    commands.registerCommand("warplens.copyOutlier", async () => {
      const text = await panel.outlier();
      if (text !== undefined) await env.clipboard.writeText(text);
      window.setStatusBarMessage(
        `WarpLens: ${text === undefined ? "nothing was measured of a launch here" : "the figures are in the clipboard, without names or source"}`,
        4000,
      );
    }),
    commands.registerCommand("warplens.showRule", (id?: unknown) => showRule(client, typeof id === "string" ? id : undefined)),
    commands.registerCommand("warplens.toggleHeat", toggleHeat),
    commands.registerCommand("warplens.togglePins", () => togglePins(client, panel)),
    commands.registerCommand("warplens.pickLaunch", (uri?: unknown, position?: unknown) => pickLaunch(client, panel, uri, position)),
    commands.registerCommand("warplens.showPanel", (uri?: unknown, line?: unknown) => panel.show(uri, line)),
  ];
}

async function restart(client: BaseLanguageClient): Promise<void> {
  await client.stop();
  await client.start();
}
