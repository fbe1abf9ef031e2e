/** The entry in a browser (vscode.dev, virtual workspaces): the same server runs in a worker. */
import { type ExtensionContext, Uri } from "vscode";
import { BrowserMessageReader, BrowserMessageWriter, LanguageClient } from "vscode-languageclient/browser";
import { run, type WarpLensApi } from "./activate.ts";

export function activate(context: ExtensionContext): Promise<WarpLensApi> {
  const dist = Uri.joinPath(context.extensionUri, "dist").toString(true);
  let worker: Worker | undefined;
  // Transports, not the worker itself: the extension host replaces `Worker`, and the client asks whether it was given one.
  const connect = async () => {
    worker?.terminate();
    worker = new Worker(`${dist}/server-browser.js`);
    return { reader: new BrowserMessageReader(worker), writer: new BrowserMessageWriter(worker) };
  };
  return run(
    context,
    (id, name, options) => {
      options.initializationOptions = { assets: dist };
      return new LanguageClient(id, name, connect, options);
    },
    () => Promise.resolve("its worker stopped"),
  );
}
