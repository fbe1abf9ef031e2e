/** The chosen GPU where a user looks for it: in the status bar beside CUDA files, and in the language status. */
import { label, literal, prose } from "@warplens/server/foreign-text";
import type { StatusParams } from "@warplens/server/protocol";
import { shortGpuName } from "@warplens/server/units";
import { commands, Disposable, type Event, LanguageStatusSeverity, languages, MarkdownString, StatusBarAlignment, window } from "vscode";
import { type BaseLanguageClient, State } from "vscode-languageclient";
import { describeGpu } from "../gpu.ts";
import { documentSelector, languages as languageIds } from "../language-client.ts";

const origins: Record<StatusParams["chosenBy"], string> = {
  setting: "chosen in the settings",
  "compile_commands.json": "from -arch in compile_commands.json",
  "warplens.json": "chosen in warplens.json",
  default: "the default",
};
const stop = { command: "warplens.stopSimulation", title: "Stop" };
const selectGpu = { command: "warplens.selectGpu", title: "Select GPU" };

const simulatingText = ({ done, of }: NonNullable<StatusParams["progress"]>): string =>
  of === undefined ? "Simulating…" : `Simulating: ${done} of ${of} launches`;

export function showStatus(changed: Event<StatusParams>, client: BaseLanguageClient): Disposable {
  const item = languages.createLanguageStatusItem("warplens.status", documentSelector);
  item.name = "WarpLens";
  item.text = "WarpLens";
  item.busy = true;

  const bar = window.createStatusBarItem("warplens.gpu", StatusBarAlignment.Right, 90);
  bar.name = "WarpLens GPU";
  bar.command = selectGpu.command;

  const showOrHide = () => {
    const language = window.activeTextEditor?.document.languageId;
    if (languageIds.some((id) => id === language) && client.state === State.Running) bar.show();
    else bar.hide();
  };
  const update = ({ gpu, chosenBy, progress, problems }: StatusParams) => {
    const problem = problems[0] === undefined ? undefined : label(problems[0]);
    item.text = label(gpu.name);
    item.detail = progress ? simulatingText(progress) : (problem ?? `GPU to simulate, ${origins[chosenBy]}`);
    item.severity = problems.length > 0 ? LanguageStatusSeverity.Warning : LanguageStatusSeverity.Information;
    item.busy = progress !== undefined;
    void commands.executeCommand("setContext", "warplens.isSimulating", progress !== undefined);
    item.command = progress ? stop : selectGpu;
    bar.text = `$(${problems.length > 0 ? "warning" : progress ? "loading~spin" : "circuit-board"}) ${label(shortGpuName(gpu.name))}`;
    const about = [describeGpu(gpu), ...(progress ? [simulatingText(progress)] : []), ...problems].map(prose);
    bar.tooltip = new MarkdownString([`**${literal(gpu.name)}**, ${origins[chosenBy]}`, ...about].join("\n\n"));
    bar.accessibilityInformation = { label: `WarpLens simulates ${gpu.name}. Select another GPU.`, role: "button" };
    showOrHide();
  };
  const stopped = () => {
    item.text = "WarpLens is not running";
    item.severity = LanguageStatusSeverity.Error;
    item.detail = "The language server stopped";
    item.busy = false;
    item.command = { command: "warplens.restart", title: "Restart" };
    bar.hide();
  };
  return Disposable.from(
    item,
    bar,
    changed(update),
    window.onDidChangeActiveTextEditor(showOrHide),
    client.onDidChangeState(({ newState }) => newState === State.Stopped && stopped()),
  );
}
