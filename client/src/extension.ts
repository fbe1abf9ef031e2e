/** The entry on the desktop and on remotes: the server runs as a process of its own. */
import type { ExtensionContext } from "vscode";
import { run, type WarpLensApi } from "./activate.ts";
import { ProcessClient, ProcessEnd } from "./server-process.ts";

export function activate(context: ExtensionContext): Promise<WarpLensApi> {
  const module = context.asAbsolutePath("dist/server.js");
  const end = new ProcessEnd();
  const makeClient = (id: string, name: string, options: ConstructorParameters<typeof ProcessClient>[3]) =>
    new ProcessClient(id, name, module, options, end);
  return run(context, makeClient, () => end.why());
}
