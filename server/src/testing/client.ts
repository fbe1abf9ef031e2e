/** The server as a client has it: whole, with its analysis, at the other end of a stream. */
import { PassThrough } from "node:stream";
import {
  createMessageConnection,
  type MessageConnection,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-jsonrpc/node";
import { createConnection } from "vscode-languageserver/node";
import { pathOfUri, uriOfPath } from "../document-paths.ts";
import { loadGrammarFromDisk } from "../grammar.ts";
import { didSimulateNotification, type StatusParams } from "../lsp/protocol.ts";
import { startServer } from "../lsp/server.ts";
import { inlineWorker } from "../worker/inline.ts";

export interface Finding {
  readonly code?: string;
  readonly message: string;
}

/** What a test sends may be anything. */
interface Client {
  request(method: string, params?: unknown): Promise<unknown>;
  /** The answer, or `error CODE: message`. */
  answer(method: string, params?: unknown): Promise<unknown>;
  notify(method: string, params?: unknown): void;
  /** Bytes on the wire. */
  write(bytes: string): void;
  open(uri: string, text: string, version?: unknown): void;
  /** Rule ids of a document's findings, of its present text. */
  rules(uri: string): Promise<readonly string[]>;
  /** A document's findings, as they were sent last to a client that does not ask. */
  sent(uri: string): readonly Finding[];
  readonly log: string[];
  readonly statuses: StatusParams[];
  /** Settled when the server tells that something of a document's figures has changed. */
  simulated(): Promise<void>;
  /** What the server asks, besides its configuration, is answered by this. */
  onAsked: (method: string) => unknown;
  settings: unknown;
  /** Everything sent before has been handled. */
  settle(): Promise<void>;
  /** Ends the session as a client does, but for the process. */
  stop(): Promise<void>;
}

const capabilities = {
  workspace: {
    configuration: true,
    codeLens: { refreshSupport: true },
    inlayHint: { refreshSupport: true },
    diagnostics: { refreshSupport: true },
    didChangeConfiguration: { dynamicRegistration: true },
    didChangeWatchedFiles: { dynamicRegistration: true },
  },
  textDocument: { diagnostic: {} },
};

/** @param files of the project @param initialize parameters that differ from a good client's */
export async function startClient(files: Readonly<Record<string, string>> = {}, initialize: object = {}): Promise<Client> {
  await loadGrammarFromDisk();
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const list = (folder: string): string[] =>
    Object.keys(files).flatMap((path) => (path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : []));
  const host = { read: (path: string) => files[path], list };
  startServer(createConnection(new StreamMessageReader(toServer), new StreamMessageWriter(toClient)), {
    files: host,
    startWorker: () => inlineWorker(host),
    pathOf: pathOfUri,
    uriOf: uriOfPath,
  });
  const connection: MessageConnection = createMessageConnection(new StreamMessageReader(toClient), new StreamMessageWriter(toServer));
  const log: string[] = [];
  const statuses: StatusParams[] = [];
  const waiting: (() => void)[] = [];
  const sent = new Map<string, readonly Finding[]>();
  const client: Client = {
    request: (method, params) => connection.sendRequest(method, params),
    answer: (method, params) =>
      connection.sendRequest(method, params).catch((error: unknown) => {
        if (error instanceof ResponseError) return `error ${error.code}: ${error.message}`;
        throw error;
      }),
    notify: (method, params) => void connection.sendNotification(method, params),
    write: (bytes) => void toServer.write(bytes),
    open: (uri, text, version = 1) =>
      client.notify("textDocument/didOpen", { textDocument: { uri, languageId: "cuda-cpp", version, text } }),
    async rules(uri) {
      const report = (await client.request("textDocument/diagnostic", { textDocument: { uri } })) as { items: { code?: string }[] };
      return report.items.map(({ code }) => code ?? "");
    },
    sent: (uri) => sent.get(uri) ?? [],
    log,
    statuses,
    simulated: () => new Promise<void>((done) => void waiting.push(done)),
    onAsked: () => null,
    settings: {},
    settle: async () => void (await client.request("warplens/rules")),
    async stop() {
      await connection.sendRequest("shutdown");
      connection.dispose();
    },
  };
  connection.onRequest("workspace/configuration", () => [client.settings]);
  connection.onRequest((method: string) => client.onAsked(method));
  connection.onNotification("window/logMessage", ({ message }: { message: string }) => void log.push(message));
  connection.onNotification(didSimulateNotification, () => {
    for (const done of waiting.splice(0)) done();
  });
  connection.onNotification(
    "textDocument/publishDiagnostics",
    ({ uri, diagnostics }: { uri: string; diagnostics: readonly Finding[] }) => void sent.set(uri, diagnostics),
  );
  connection.onNotification("warplens/status", (status: StatusParams) => void statuses.push(status));
  connection.onNotification(() => undefined);
  connection.listen();
  const folder = { uri: "file:///w", name: "w" };
  await client.request("initialize", { processId: null, rootUri: folder.uri, workspaceFolders: [folder], capabilities, ...initialize });
  client.notify("initialized", {});
  return client;
}
