/** The entry on the desktop and on remotes: the server runs as a process of its own. */
import type { ExtensionContext } from "vscode";
import { LanguageClient, TransportKind } from "vscode-languageclient/node";
import { run, type WarpLensApi } from "./activate.ts";

export function activate(context: ExtensionContext): Promise<WarpLensApi> {
  const module = context.asAbsolutePath("dist/server.js");
  const server = { module, transport: TransportKind.ipc };
  const options = { run: server, debug: { ...server, options: { execArgv: ["--nolazy", "--inspect=6009"] } } };
  return run(context, (id, name, clientOptions) => new LanguageClient(id, name, options, clientOptions));
}
