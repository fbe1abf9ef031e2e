/** The server's entry in a browser's worker. Project files come from the client, one by one, as they are asked for. */
import { BrowserMessageReader, BrowserMessageWriter, createConnection } from "vscode-languageserver/browser";
import { URI } from "vscode-uri";
import type { FileHost } from "./analysis/settings.ts";
import type * as BrowserAnalysis from "./browser-analysis.ts";
import { pathOfUri } from "./document-paths.ts";
import { readFileRequest } from "./lsp/protocol.ts";
import { startServer } from "./lsp/server.ts";
import { loadWasmParser } from "./syntax/parser/wasm.ts";
import type { AnalysisWorker, Input } from "./worker/messages.ts";

const connection = createConnection(new BrowserMessageReader(self), new BrowserMessageWriter(self));

/** The scheme and authority of the last document: where its project's files are. */
let base = URI.file("/");
const uriOf = (path: string): string => base.with({ path }).toString();

const known = new Map<string, string | undefined>();
let arrived: () => void = () => undefined;

async function fetchFile(path: string): Promise<void> {
  // What the client fails to read is not there.
  const text: string | null = await connection.sendRequest<string | null>(readFileRequest, { uri: uriOf(path) }).catch(() => null);
  known.set(path, text ?? undefined);
  if (text !== null) arrived();
}

const files: FileHost = {
  read(path) {
    if (!known.has(path)) {
      known.set(path, undefined);
      void fetchFile(path);
    }
    return known.get(path);
  },
};

/** What `browser-analysis.ts` is as a script. */
declare const warplensAnalysis: typeof BrowserAnalysis;
declare function importScripts(url: string): void;

let analysis: AnalysisWorker | undefined;
let state: () => readonly Input[] = () => [];
function loaded(): AnalysisWorker {
  if (!analysis) throw new Error("the analysis is not loaded");
  return analysis;
}

startServer(connection, {
  files,
  async load(initializationOptions) {
    const { assets } = (initializationOptions ?? {}) as { readonly assets?: unknown };
    if (typeof assets !== "string") throw new Error("initializationOptions should be { assets }: the address of WarpLens's files");
    const bytes = async (name: string): Promise<Uint8Array> => new Uint8Array(await (await fetch(`${assets}/${name}`)).arrayBuffer());
    const [runtime, grammar] = await Promise.all([bytes("web-tree-sitter.wasm"), bytes("tree-sitter-cuda.wasm")]);
    importScripts(`${assets}/browser-analysis.js`);
    analysis = warplensAnalysis.start(files, await loadWasmParser({ runtime, grammar }));
    for (const input of state()) analysis.tell(input);
  },
  onFilesArrived(listener) {
    arrived = listener;
  },
  forget(paths) {
    for (const path of paths) known.delete(path);
  },
  startWorker(stateNow) {
    state = stateNow;
    return {
      // What is told before it is loaded is in the state.
      tell: (input) => analysis?.tell(input),
      find: (path) => loaded().find(path),
      settle: (path) => loaded().settle(path),
      headers: (path) => loaded().headers(path),
      outdated: () => loaded().outdated(),
      simulate: (path, order, told) => loaded().simulate(path, order, told),
      imagine: (path, question) => loaded().imagine(path, question),
      watch: (path, question, warp) => loaded().watch(path, question, warp),
      write: (path, question) => loaded().write(path, question),
      tryRefactorings: (path, offers) => loaded().tryRefactorings(path, offers),
      rest: () => analysis?.rest(),
      cancel: () => analysis?.cancel(),
      dispose: () => analysis?.dispose(),
    };
  },
  pathOf(uri) {
    const parsed = URI.parse(uri, true);
    // A text that was never saved, or an older revision, has no files beside it.
    if (["untitled", "git"].includes(parsed.scheme)) return pathOfUri(uri);
    base = parsed;
    return parsed.path;
  },
  uriOf,
});
