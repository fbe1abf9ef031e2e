/** The language server: which feature answers which request. Everything else is in the features and in `Workspace`. */
import {
  type CodeActionContext,
  CodeActionKind,
  CodeActionTriggerKind,
  type Connection,
  type DiagnosticServerCancellationData,
  DidChangeConfigurationNotification,
  DidChangeWatchedFilesNotification,
  type InitializeParams,
  type InitializeResult,
  LSPErrorCodes,
  MessageType,
  ResponseError,
  ShowMessageNotification,
  TextDocumentSyncKind,
} from "vscode-languageserver";
import type { TextDocument } from "vscode-languageserver-textdocument";
import { label } from "../foreign-text.ts";
import { kindOf } from "../refactorings/refactoring.ts";
import { takeStages } from "../trace.ts";
import type { SimulationOrder } from "../worker/messages.ts";
import { bugReport } from "./bug-report.ts";
import { launchChoices } from "./chosen-launches.ts";
import { ClientSettings } from "./client-settings.ts";
import { codeActions, fixAllKind, isWanted } from "./code-actions.ts";
import { codeLenses } from "./code-lens.ts";
import { Superseded } from "./document-state.ts";
import { Documents } from "./documents.ts";
import { gpuSummaries } from "./gpus.ts";
import { heatOf } from "./heat.ts";
import { hover, launchMarkdown } from "./hover.ts";
import { inlayHints } from "./inlay-hints.ts";
import { outlier } from "./outlier.ts";
import { panelAnswer, selectedLaunch } from "./panel.ts";
import {
  asked,
  readAction,
  readContext,
  readFocus,
  readFolders,
  readPanel,
  readPosition,
  readRange,
  readReportParams,
  readReports,
  readRulePage,
  readUri,
  readWatched,
  readWatchWarp,
  readWhatIf,
} from "./params.ts";
import type { Platform } from "./platform.ts";
import type { ProgressBar } from "./progress.ts";
import {
  type ApplyAnswer,
  applyRequest,
  bugReportRequest,
  chooseLaunchRequest,
  type DidFocusParams,
  type DidSimulateParams,
  didFocusNotification,
  didSimulateNotification,
  gpusRequest,
  type HeatAnswer,
  heatRequest,
  type LaunchChoice,
  launchesRequest,
  markdownRequest,
  outlierRequest,
  type PanelAnswer,
  panelRequest,
  pinRequest,
  type ReadReportAnswer,
  readReportRequest,
  reportsNotification,
  rulePageRequest,
  rulesRequest,
  statusNotification,
  stopSimulationNotification,
  traceRequest,
  type WarpSeen,
  type WhatIfAnswer,
  watchWarpRequest,
  whatIfRequest,
} from "./protocol.ts";

import { appliesAt, type RefactoringClient, readChosen, refactoringActions, refactoringEdit } from "./refactor-actions.ts";
import { rulePage, ruleSummaries } from "./rule-pages.ts";
import { Workspace } from "./workspace.ts";

/** Milliseconds that the user may wait for what refactorings come to: in a menu of them, and in one of everything. */
const [waitForRefactorings, waitForAll] = [5000, 400];

function waitFor({ only, triggerKind }: CodeActionContext): number {
  if (triggerKind === CodeActionTriggerKind.Automatic) return 0;
  return only?.some((kind) => kind.startsWith(CodeActionKind.Refactor)) ? waitForRefactorings : waitForAll;
}

/** Files that decide what an open document means. */
const watched = "**/{warplens.json,compile_commands.json,*.{h,hpp,cuh,cu,inl}}";

export function startServer(connection: Connection, platform: Platform): void {
  const documents = new Documents();
  let client: InitializeParams["capabilities"] = {};
  let options: unknown;
  const settings = new ClientSettings();
  let roots: readonly string[] = [];
  const refreshers = () => client.workspace ?? {};

  const failed = (error: unknown): void =>
    connection.console.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
  /** Paths of what a client names; what is no URI is left out. */
  const pathsOf = (uris: readonly string[]): string[] => uris.flatMap((uri) => (isUri(uri) ? platform.pathOf(uri) : []));
  const isUri = (uri: string): boolean => {
    try {
      platform.pathOf(uri);
      return true;
    } catch {
      return false;
    }
  };

  /** Lenses and hints are asked for anew. */
  const refreshFigures = (): void => {
    if (refreshers().codeLens?.refreshSupport) connection.sendRequest("workspace/codeLens/refresh").catch(failed);
    if (refreshers().inlayHint?.refreshSupport) connection.languages.inlayHint.refresh().catch(failed);
  };

  const tellSimulated = (uri: string): void => {
    const view = workspace.view(uri);
    if (!view) return;
    const params: DidSimulateParams = { uri, version: view.document.version, progress: view.progress };
    void connection.sendNotification(didSimulateNotification, params);
  };

  const workspace: Workspace = new Workspace(documents, platform, {
    error: (message) => connection.console.error(message),
    note: (message) => connection.console.info(message),
    warning: (message) =>
      void connection.sendNotification(ShowMessageNotification.type, { type: MessageType.Warning, message: label(message) }),
    status: (status) => void connection.sendNotification(statusNotification, status),
    findings(uri) {
      if (client.textDocument?.diagnostic) {
        if (refreshers().diagnostics?.refreshSupport) connection.languages.diagnostics.refresh().catch(failed);
        return;
      }
      const { version, items } = workspace.diagnostics(uri);
      // What is known of an older text waits for the present one's findings; of a closed document there are none.
      if (version !== undefined) void connection.sendDiagnostics({ uri, version, diagnostics: items });
      else if (!documents.get(uri)) void connection.sendDiagnostics({ uri, diagnostics: [] });
    },
    figures(uri) {
      refreshFigures();
      tellSimulated(uri);
    },
    display() {
      refreshFigures();
      for (const { uri } of documents.all()) tellSimulated(uri);
    },
    progress: (gpu, cancelled) => showProgress(connection, gpu, cancelled),
  });

  connection.onInitialize((params): InitializeResult => {
    client = params.capabilities ?? {};
    options = params.initializationOptions;
    settings.start(options);
    roots = pathsOf(readFolders(params));
    return {
      serverInfo: { name: "warplens" },
      capabilities: {
        textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
        diagnosticProvider: { identifier: "warplens", interFileDependencies: true, workspaceDiagnostics: false },
        hoverProvider: true,
        codeLensProvider: {},
        inlayHintProvider: true,
        codeActionProvider: { codeActionKinds: ["quickfix", fixAllKind, CodeActionKind.RefactorRewrite], resolveProvider: true },
        workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
      },
    };
  });

  const configure = async (): Promise<void> => {
    // A client that fails to say has said nothing.
    const section: unknown = await (client.workspace?.configuration ? connection.workspace.getConfiguration("warplens") : undefined)?.catch(
      failed,
    );
    workspace.configure(settings.section(section), roots);
  };
  const start = async (): Promise<void> => {
    await platform.load?.(options);
    await configure();
    // Registered only now: a client tells its configuration at once, and there would be no parser to use it with.
    const { didChangeConfiguration, didChangeWatchedFiles } = client.workspace ?? {};
    if (didChangeConfiguration?.dynamicRegistration)
      connection.client.register(DidChangeConfigurationNotification.type, { section: "warplens" }).catch(failed);
    if (didChangeWatchedFiles?.dynamicRegistration)
      connection.client.register(DidChangeWatchedFilesNotification.type, { watchers: [{ globPattern: watched }] }).catch(failed);
    if (client.workspace?.workspaceFolders)
      connection.workspace.onDidChangeWorkspaceFolders(async () => {
        const workspaceFolders = await connection.workspace.getWorkspaceFolders().catch(failed);
        roots = pathsOf(readFolders({ workspaceFolders }));
        await configure();
      });
  };
  connection.onInitialized(() => {
    start().catch((error: unknown) => {
      failed(error);
      const message = `WarpLens cannot start: ${error instanceof Error ? error.message : String(error)}`;
      void connection.sendNotification(ShowMessageNotification.type, { type: MessageType.Error, message: label(message) });
    });
  });
  platform.onFilesArrived?.(() => workspace.filesChanged());
  connection.onDidChangeConfiguration((params) => {
    settings.push(params.settings);
    return configure();
  });
  connection.onDidChangeWatchedFiles((params) => {
    const paths = pathsOf(readWatched(params));
    platform.forget?.(paths);
    workspace.filesChanged(paths);
  });
  connection.onShutdown(() => workspace.dispose());

  connection.languages.diagnostics.on(async (params) => {
    const uri = documentOf(params);
    await workspace.settled(uri).catch((error: unknown) => {
      if (!(error instanceof Superseded)) throw error;
      // Only the present text is answered for: the client asks again.
      const data: DiagnosticServerCancellationData = { retriggerRequest: true };
      throw new ResponseError(LSPErrorCodes.ServerCancelled, "the text has changed", data);
    });
    return { kind: "full", items: workspace.diagnostics(uri).items };
  });
  connection.onHover((params) => {
    const position = asked(readPosition(params.position), "a document and a position in it");
    const view = workspace.view(documentOf(params));
    return view ? hover(view, position) : null;
  });
  connection.onCodeLens((params) => {
    const view = workspace.view(documentOf(params));
    return view ? codeLenses(view) : [];
  });
  connection.languages.inlayHint.on((params) => {
    const range = asked(readRange(params.range), "a document and a range of it");
    const view = workspace.view(documentOf(params));
    return view ? inlayHints(view, range) : [];
  });
  const refactoringClient = (): RefactoringClient => {
    const { resolveSupport, dataSupport } = client.textDocument?.codeAction ?? {};
    const { documentChanges, changeAnnotationSupport } = client.workspace?.workspaceEdit ?? {};
    return {
      resolves: dataSupport === true && resolveSupport?.properties.includes("edit") === true,
      annotates: documentChanges === true && changeAnnotationSupport !== undefined,
    };
  };
  connection.onCodeAction(async (params) => {
    const uri = documentOf(params);
    const document = documents.get(uri);
    const context = asked(readContext(params), "a document, a range of it and a context");
    const range = asked(readRange(params.range), "a document, a range of it and a context");
    if (!document) return [];
    const { version } = document;
    const offers = await workspace.refactorings(
      uri,
      (offer) => isWanted(kindOf(offer), context) && appliesAt(offer, range),
      waitFor(context),
    );
    // What stands in the text by now is something else.
    if (documents.get(uri)?.version !== version) return [];
    const { workspaceEdit } = client.workspace ?? {};
    const snippets = workspaceEdit?.snippetEditSupport === true && workspaceEdit.documentChanges === true;
    const others = codeActions(document, context, workspace.diagnostics(uri).items, { tries: workspace.triesFixes(uri), snippets });
    return [...others, ...refactoringActions(document, workspace.gpuOf(uri), offers, refactoringClient(), others)];
  });
  connection.onCodeActionResolve(async (params: unknown) => {
    const action = asked(readAction(params), "a code action with a title");
    const chosen = readChosen(action.data);
    if (!chosen) return action;
    const offer = await workspace.chosenRefactoring(chosen);
    const document = documents.get(chosen.uri);
    if (typeof offer !== "string" && document)
      return { ...action, edit: refactoringEdit(document, workspace.gpuOf(chosen.uri), offer, refactoringClient()) };
    if (typeof offer === "string") connection.window.showWarningMessage(label(offer));
    return action;
  });
  connection.onNotification(didFocusNotification, (params: unknown) => {
    const focus = readFocus(params);
    if (focus) workspace.focus(focus.uri, orderOf(documents.get(focus.uri), focus));
    else failed(`${didFocusNotification}: the parameters should name a document`);
  });
  connection.onNotification(stopSimulationNotification, () => workspace.stopSimulation());
  connection.onRequest(gpusRequest, () => gpuSummaries(workspace.ownGpus()));
  connection.onRequest(rulesRequest, ruleSummaries);
  connection.onRequest(rulePageRequest, (params: unknown) => rulePage(asked(readRulePage(params), "{ id } of a rule").id));
  connection.onRequest(bugReportRequest, () => bugReport(workspace.facts()));
  connection.onRequest(traceRequest, () => takeStages() ?? null);
  connection.onRequest<PanelAnswer, void>(panelRequest, (params: unknown): PanelAnswer => {
    const read = asked(readPanel(params), panelShape);
    const view = workspace.view(read.textDocument.uri);
    return view ? panelAnswer(view, read) : null;
  });

  connection.onRequest<string | null, void>(markdownRequest, (params: unknown): string | null => {
    const { textDocument, position, launch } = asked(readPanel(params), panelShape);
    const view = workspace.view(textDocument.uri);
    return (view && launchMarkdown(view, view.launches[selectedLaunch(view, position, launch)])) ?? null;
  });
  connection.onRequest<ReadReportAnswer, void>(readReportRequest, (params: unknown) =>
    workspace.readReport(asked(readReportParams(params), "{ texts, files? } with names")),
  );
  connection.onNotification(reportsNotification, (params: unknown) => {
    const read = readReports(params);
    if (read) workspace.keepReports(read);
    else failed(`${reportsNotification}: the parameters should be { reports }`);
  });
  connection.onRequest<string | null, void>(outlierRequest, (params: unknown): string | null => {
    const { textDocument, position, launch } = asked(readPanel(params), panelShape);
    const view = workspace.view(textDocument.uri);
    return (view && outlier(view, view.launches[selectedLaunch(view, position, launch)])) ?? null;
  });
  connection.onRequest<WhatIfAnswer | null, void>(whatIfRequest, async (params: unknown, token): Promise<WhatIfAnswer | null> => {
    const cancelled = (callback: () => void): unknown => token.onCancellationRequested(callback);
    return (await workspace.imagine(asked(readWhatIf(params), whatIfShape), cancelled)) ?? null;
  });
  connection.onRequest<WarpSeen | null, void>(watchWarpRequest, async (params: unknown, token): Promise<WarpSeen | null> => {
    const cancelled = (callback: () => void): unknown => token.onCancellationRequested(callback);
    return (await workspace.watch(asked(readWatchWarp(params), watchShape), cancelled)) ?? null;
  });
  connection.onRequest<ApplyAnswer | null, void>(applyRequest, async (params: unknown, token): Promise<ApplyAnswer | null> => {
    const cancelled = (callback: () => void): unknown => token.onCancellationRequested(callback);
    return (await workspace.write(asked(readWhatIf(params), whatIfShape), cancelled)) ?? null;
  });
  connection.onRequest<LaunchChoice[], void>(launchesRequest, (params: unknown): LaunchChoice[] => {
    const position = asked(readPosition((params as { readonly position?: unknown } | null)?.position), "a document and a position in it");
    const view = workspace.view(documentOf(params));
    return view ? launchChoices(view, position) : [];
  });
  connection.onRequest<null, void>(chooseLaunchRequest, (params: unknown): null => {
    workspace.chooseLaunch(asked(readPanel(params), panelShape));
    return null;
  });
  connection.onRequest<number, void>(pinRequest, (params: unknown): number => workspace.togglePins(documentOf(params)));
  connection.onRequest<HeatAnswer | null, void>(heatRequest, (params: unknown): HeatAnswer | null => {
    const view = workspace.view(documentOf(params));
    return view ? heatOf(view) : null;
  });

  documents.listen(connection, workspace, { accepts: isUri, refused: (message) => connection.console.warn(message) });
  connection.listen();
}

const whatIfShape = "{ textDocument, version, launch, overrides }";
const watchShape = "{ textDocument, version, launch, overrides, warp: { block, warp, place } }";
const panelShape = "{ textDocument, position, launch? }";
const documentOf = (params: unknown): string => asked(readUri(params), "about a document: { textDocument: { uri } }");

/** What the user looks at, in offsets. */
function orderOf(document: TextDocument | undefined, { position, visible }: DidFocusParams): SimulationOrder {
  if (!document) return {};
  const lineStart = (line: number): number => document.offsetAt({ line, character: 0 });
  return {
    ...(position ? { cursor: document.offsetAt(position) } : {}),
    ...(visible ? { visible: { start: lineStart(visible.start), end: lineStart(visible.end + 1) } } : {}),
  };
}

/** A bar of the client's, where it has such. */
function showProgress(connection: Connection, gpu: string, cancelled: () => void): ProgressBar {
  const created = connection.window.createWorkDoneProgress();
  let last = { percentage: 0, message: "" };
  let hasEnded = false;
  void created.then((bar) => {
    if (hasEnded) return;
    bar.begin(label(`Simulating on the ${gpu}`), last.percentage, last.message, true);
    bar.token.onCancellationRequested(cancelled);
  });
  return {
    report(done, of) {
      last = of === undefined ? last : { percentage: Math.round((100 * done) / Math.max(1, of)), message: `${done} of ${of} launches` };
      void created.then((bar) => hasEnded || bar.report(last.percentage, last.message));
    },
    end() {
      hasEnded = true;
      void created.then((bar) => bar.done());
    },
  };
}
