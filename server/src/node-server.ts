/** The server on the desktop. */
import { createConnection, ProposedFeatures } from "vscode-languageserver/node";
import { pathOfUri, uriOfPath } from "./document-paths.ts";
import { diskFiles } from "./files.ts";
import { startServer } from "./lsp/server.ts";
import { compileResources } from "./nvcc/compile.ts";
import { printReport } from "./nvcc/ncu.ts";
import { type End, streamConnection } from "./stdio-connection.ts";
import { type StartedThread, type Ticks, threadWorker } from "./worker/thread.ts";

/** A thread that a debugger has stopped is not stuck. */
const isDebugged = process.execArgv.some((argument) => argument.startsWith("--inspect"));
const never: Ticks = () => ({ stop: () => undefined });

/** As the protocol has it: 0 for a client that has asked for the end, 1 for one that goes without a word. */
function endWith({ reason, isShutDown }: End): void {
  if (reason !== undefined) process.stderr.write(`warplens: ${reason}\n`);
  process.exit(isShutDown && reason === undefined ? 0 : 1);
}

/**
 * Serves the client that started this process.
 * @param start starts a thread of the analysis
 * @param first one that has been started already
 */
export function serve(start: () => StartedThread, first: StartedThread): void {
  const connection = process.argv.includes("--stdio")
    ? streamConnection(process.stdin, process.stdout, endWith)
    : createConnection(ProposedFeatures.all);
  // A promise that nobody waits for has failed: what it was for is missing, all else is as it was.
  process.on("unhandledRejection", (error) =>
    connection.console.error(error instanceof Error ? (error.stack ?? error.message) : String(error)),
  );
  startServer(connection, {
    files: diskFiles,
    compile: compileResources,
    printReport,
    startWorker: (state) => threadWorker({ start, state, first, ...(isDebugged ? { ticks: never } : {}) }),
    pathOf: pathOfUri,
    uriOf: uriOfPath,
  });
}
