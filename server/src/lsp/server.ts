/** The language server: which feature answers which request. Everything else is in the features and in `Workspace`. */
import {
  type Connection,
  DidChangeConfigurationNotification,
  DidChangeWatchedFilesNotification,
  type InitializeParams,
  type InitializeResult,
  TextDocumentSyncKind,
} from "vscode-languageserver";
import { takeStages } from "../trace.ts";
import { bugReport } from "./bug-report.ts";
import { codeActions, fixAllKind } from "./code-actions.ts";
import { codeLenses } from "./code-lens.ts";
import { Documents } from "./documents.ts";
import { gpuSummaries } from "./gpus.ts";
import { hover } from "./hover.ts";
import { inlayHints } from "./inlay-hints.ts";
import { panelModel } from "./panel.ts";
import type { Platform } from "./platform.ts";
import {
  bugReportRequest,
  type DidFocusParams,
  didFocusNotification,
  didSimulateNotification,
  gpusRequest,
  type PanelParams,
  panelRequest,
  type RulePageParams,
  rulePageRequest,
  rulesRequest,
  statusNotification,
  traceRequest,
} from "./protocol.ts";
import { rulePage, ruleSummaries } from "./rule-pages.ts";
import { Workspace } from "./workspace.ts";

/** Files that decide what an open document means. */
const watched = "**/{warplens.json,compile_commands.json,*.{h,hpp,cuh,cu,inl}}";

export function startServer(connection: Connection, platform: Platform): void {
  const documents = new Documents();
  let client: InitializeParams["capabilities"] = {};
  let options: unknown;
  let roots: readonly string[] = [];
  const refreshers = () => client.workspace ?? {};

  /** Lenses and hints are asked for anew. */
  const refreshFigures = (): void => {
    if (refreshers().codeLens?.refreshSupport) void connection.sendRequest("workspace/codeLens/refresh");
    if (refreshers().inlayHint?.refreshSupport) void connection.languages.inlayHint.refresh();
  };

  const workspace = new Workspace(documents, platform, {
    log: (message) => connection.console.log(message),
    error: (message) => connection.console.error(message),
    status: (status) => void connection.sendNotification(statusNotification, status),
    changed(uri, version) {
      if (client.textDocument?.diagnostic) {
        if (refreshers().diagnostics?.refreshSupport) void connection.languages.diagnostics.refresh();
      } else void connection.sendDiagnostics({ uri, diagnostics: workspace.diagnostics(uri) });
      if (version === undefined) return;
      refreshFigures();
      void connection.sendNotification(didSimulateNotification, { uri, version });
    },
  });

  connection.onInitialize((params): InitializeResult => {
    client = params.capabilities;
    options = params.initializationOptions;
    roots = (params.workspaceFolders ?? []).map(({ uri }) => platform.pathOf(uri));
    return {
      serverInfo: { name: "warplens" },
      capabilities: {
        textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
        diagnosticProvider: { identifier: "warplens", interFileDependencies: true, workspaceDiagnostics: false },
        hoverProvider: true,
        codeLensProvider: {},
        inlayHintProvider: true,
        codeActionProvider: { codeActionKinds: ["quickfix", fixAllKind] },
        workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
      },
    };
  });

  const configure = async (): Promise<void> => {
    const section: unknown = client.workspace?.configuration ? await connection.workspace.getConfiguration("warplens") : {};
    workspace.configure(section, roots);
    refreshFigures();
  };
  connection.onInitialized(async () => {
    await platform.load?.(options);
    await configure();
    // Registered only now: a client tells its configuration at once, and there would be no parser to use it with.
    const { didChangeConfiguration, didChangeWatchedFiles } = client.workspace ?? {};
    if (didChangeConfiguration?.dynamicRegistration)
      void connection.client.register(DidChangeConfigurationNotification.type, { section: "warplens" });
    if (didChangeWatchedFiles?.dynamicRegistration)
      void connection.client.register(DidChangeWatchedFilesNotification.type, { watchers: [{ globPattern: watched }] });
    if (client.workspace?.workspaceFolders)
      connection.workspace.onDidChangeWorkspaceFolders(async () => {
        roots = ((await connection.workspace.getWorkspaceFolders()) ?? []).map(({ uri }) => platform.pathOf(uri));
        await configure();
      });
  });
  platform.onFilesArrived?.(() => workspace.filesChanged());
  connection.onDidChangeConfiguration(configure);
  connection.onDidChangeWatchedFiles(({ changes }) => {
    platform.forget?.(changes.map(({ uri }) => platform.pathOf(uri)));
    workspace.filesChanged();
  });
  connection.onShutdown(() => workspace.dispose());

  connection.languages.diagnostics.on(async ({ textDocument }) => {
    await workspace.settled(textDocument.uri);
    return { kind: "full", items: workspace.diagnostics(textDocument.uri) };
  });
  connection.onHover(({ textDocument, position }) => {
    const view = workspace.view(textDocument.uri);
    return view ? hover(view, position) : null;
  });
  connection.onCodeLens(({ textDocument }) => {
    const view = workspace.view(textDocument.uri);
    return view ? codeLenses(view) : [];
  });
  connection.languages.inlayHint.on(({ textDocument, range }) => {
    const view = workspace.view(textDocument.uri);
    return view ? inlayHints(view, range) : [];
  });
  connection.onCodeAction(({ textDocument, context }) => {
    const document = documents.get(textDocument.uri);
    return document ? codeActions(document, context, workspace.diagnostics(textDocument.uri)) : [];
  });
  connection.onNotification(didFocusNotification, ({ uri }: DidFocusParams) => workspace.focus(uri));
  connection.onRequest(gpusRequest, () => gpuSummaries(workspace.ownGpus()));
  connection.onRequest(rulesRequest, ruleSummaries);
  connection.onRequest(rulePageRequest, ({ id }: RulePageParams) => rulePage(id));
  connection.onRequest(bugReportRequest, () => bugReport(workspace.facts()));
  connection.onRequest(traceRequest, () => takeStages() ?? null);
  connection.onRequest(panelRequest, (params: PanelParams) => {
    const { uri } = params.textDocument;
    const view = workspace.view(uri);
    return view ? panelModel(view, params, workspace.simulatedVersion(uri) ?? view.document.version) : null;
  });

  documents.listen(connection, workspace);
  connection.listen();
}
