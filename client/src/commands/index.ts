/** The commands of the palette, one function each. */
import { stopSimulationNotification } from "@warplens/server/protocol";
import { commands, type Disposable, env, type LogOutputChannel, window } from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";
import { toggleHeat } from "../heat.ts";
import type { PanelView } from "../panel/view.ts";
import { assume } from "./assume.ts";
import { bugReport } from "./bug-report.ts";
import { pickLaunch } from "./pick-launch.ts";
import { togglePins } from "./pin.ts";
import { selectGpu } from "./select-gpu.ts";
import { showRule } from "./show-rule.ts";

export interface CommandContext {
  readonly client: BaseLanguageClient;
  readonly log: LogOutputChannel;
  readonly panel: PanelView;
  readonly version: string;
}

export function registerCommands({ client, log, panel, version }: CommandContext): Disposable[] {
  return [
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
