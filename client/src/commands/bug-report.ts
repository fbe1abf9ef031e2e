import { code } from "@warplens/server/foreign-text";
import { bugReportRequest } from "@warplens/server/protocol";
import { version as editorVersion, env, UIKind, workspace } from "vscode";
import { type BaseLanguageClient, State } from "vscode-languageclient";

/** Markdown to paste into an issue: versions, settings and the server's state; no source text and no paths. */
export async function bugReport(client: BaseLanguageClient, version: string): Promise<string> {
  const settings = workspace.getConfiguration().inspect("warplens");
  const server =
    client.state === State.Running
      ? await client.sendRequest<string>(bugReportRequest).catch((error: Error) => `The server did not answer: ${error.message}`)
      : "The server is not running.";
  return [
    `- WarpLens ${version}`,
    `- ${env.appName} ${editorVersion}, ${env.uiKind === UIKind.Web ? "web" : "desktop"}, ${env.remoteName ?? "local"}`,
    `- settings: ${code(JSON.stringify({ user: settings?.globalValue, workspace: settings?.workspaceValue }), 5000)}`,
    "",
    server,
    "",
  ].join("\n");
}
