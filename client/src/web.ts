/** The entry in a browser (vscode.dev, virtual workspaces): the same server runs in a worker. */
import { type ExtensionContext, Uri } from "vscode";
import { LanguageClient } from "vscode-languageclient/browser";
import { run, type WarpLensApi } from "./activate.ts";

export function activate(context: ExtensionContext): Promise<WarpLensApi> {
  const script = Uri.joinPath(context.extensionUri, "dist/server-browser.js").toString(true);
  return run(context, (id, name, clientOptions) => {
    clientOptions.initializationOptions = { assets: Uri.joinPath(context.extensionUri, "dist").toString(true) };
    return new LanguageClient(id, name, async () => new Worker(script), clientOptions);
  });
}
