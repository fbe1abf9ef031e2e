/** The server's entry on the desktop. */
import { createConnection, ProposedFeatures } from "vscode-languageserver/node";
import { URI } from "vscode-uri";
import { diskFiles } from "./files.ts";
import { startServer } from "./lsp/server.ts";
import { compileResources } from "./nvcc/compile.ts";
import { threadWorker } from "./worker/thread.ts";

startServer(createConnection(ProposedFeatures.all), {
  files: diskFiles,
  compile: compileResources,
  startWorker: (state) => threadWorker(new URL("./worker.js", import.meta.url), state),
  pathOf: (uri) => URI.parse(uri).fsPath.replaceAll("\\", "/"),
  uriOf: (path) => URI.file(path).toString(),
});
