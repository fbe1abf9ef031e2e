/** Bars in the gutter: how much of its kernel's time a line takes, in the colour of what it waits for most. */
import { type DidSimulateParams, type HeatAnswer, heatRequest, type WaitKind } from "@warplens/server/protocol";
import {
  ConfigurationTarget,
  Disposable,
  type Event,
  languages,
  OverviewRulerLane,
  Range,
  type TextEditor,
  type TextEditorDecorationType,
  ThemeColor,
  Uri,
  window,
  workspace,
} from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";
import { documentSelector } from "./language-client.ts";
import { type WaitColour, waitColours } from "./wait-colours.ts";

/** The editor's chart colours, in its light and dark themes, for icons cannot be told the theme's. */
const colours: Readonly<Record<WaitColour, { readonly light: string; readonly dark: string; readonly theme: string }>> = {
  blue: { light: "#1a85ff", dark: "#3794ff", theme: "charts.blue" },
  purple: { light: "#652d90", dark: "#b180d7", theme: "charts.purple" },
  red: { light: "#e51400", dark: "#f14c4c", theme: "charts.red" },
  orange: { light: "#d18616", dark: "#d18616", theme: "charts.orange" },
  green: { light: "#388a34", dark: "#89d185", theme: "charts.green" },
};

/** Shares of the time from which a bar is longer, and the lengths of 16 that bars have. */
const steps = [0.04, 0.1, 0.18, 0.3, 0.5] as const;
const lengths = [2, 4, 7, 10, 13, 16] as const;
/** From here on the overview ruler shows a line, too. */
const hot = 0.1;

/** A bar of one colour and length, pale where it is of a text before; on the overview ruler as well where it is long. */
function decorationOf(colour: WaitColour, length: number, isHot: boolean, isStale: boolean): TextEditorDecorationType {
  const { light, dark, theme } = colours[colour];
  const icon = (fill: string): Uri =>
    Uri.parse(
      `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16"><rect x="0" y="3" width="${length}" height="10" rx="1.5" fill="${fill}" opacity="${isStale ? 0.45 : 1}"/></svg>`)}`,
    );
  return window.createTextEditorDecorationType({
    gutterIconSize: "contain",
    light: { gutterIconPath: icon(light) },
    dark: { gutterIconPath: icon(dark) },
    ...(isHot ? { overviewRulerColor: new ThemeColor(theme), overviewRulerLane: OverviewRulerLane.Left } : {}),
  });
}

/** Shows it in every editor of a document, until disposed of. @param simulated tells when more is known */
export function showHeat(client: BaseLanguageClient, simulated: Event<DidSimulateParams>): Disposable {
  const types = new Map<string, TextEditorDecorationType>();
  const typeOf = (most: WaitKind, share: number, isStale: boolean): string => {
    const colour = waitColours[most];
    const length = lengths[steps.filter((step) => share >= step).length] ?? lengths[0];
    const name = `${colour} ${length} ${isStale}`;
    if (!types.has(name)) types.set(name, decorationOf(colour, length, share >= hot, isStale));
    return name;
  };
  const draw = (editor: TextEditor, { lines, isStale }: Pick<HeatAnswer, "lines" | "isStale">): void => {
    const places = new Map<string, Range[]>();
    for (const { line, timeShare, most } of lines) {
      const name = typeOf(most, timeShare, isStale);
      const known = places.get(name);
      if (known) known.push(new Range(line, 0, line, 0));
      else places.set(name, [new Range(line, 0, line, 0)]);
    }
    for (const [name, type] of types) editor.setDecorations(type, places.get(name) ?? []);
  };
  const refresh = async (uri: string): Promise<void> => {
    const isOf = ({ document }: TextEditor): boolean => client.code2ProtocolConverter.asUri(document.uri) === uri;
    if (!client.isRunning() || !window.visibleTextEditors.some(isOf)) return;
    const answer = await client.sendRequest<HeatAnswer | null>(heatRequest, { textDocument: { uri } }).then(undefined, () => null);
    // Of a text that has changed since there will be another.
    for (const editor of window.visibleTextEditors)
      if (answer && isOf(editor) && editor.document.version === answer.version) draw(editor, answer);
  };
  const isServed = ({ document }: TextEditor): boolean => client.isRunning() && languages.match(documentSelector, document) > 0;
  const refreshAll = (): void => {
    const shown = window.visibleTextEditors.filter(isServed);
    for (const editor of window.visibleTextEditors) if (!shown.includes(editor)) draw(editor, { lines: [], isStale: false });
    for (const uri of new Set(shown.map(({ document }) => client.code2ProtocolConverter.asUri(document.uri)))) void refresh(uri);
  };
  refreshAll();
  return Disposable.from(
    simulated(({ uri }) => void refresh(uri)),
    window.onDidChangeVisibleTextEditors(refreshAll),
    workspace.onDidCloseTextDocument(refreshAll),
    client.onDidChangeState(refreshAll),
    new Disposable(() => {
      for (const type of types.values()) type.dispose();
    }),
  );
}

/** Switches the bars on or off, where the setting that holds stands. */
export async function toggleHeat(): Promise<void> {
  const settings = workspace.getConfiguration("warplens");
  const { workspaceFolderValue, workspaceValue } = settings.inspect<boolean>("heat.enabled") ?? {};
  const target =
    workspaceFolderValue !== undefined
      ? ConfigurationTarget.WorkspaceFolder
      : workspaceValue !== undefined
        ? ConfigurationTarget.Workspace
        : ConfigurationTarget.Global;
  await settings.update("heat.enabled", !settings.get<boolean>("heat.enabled", true), target);
}
