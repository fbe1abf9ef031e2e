/** What both entries do once they know how to reach the server. */
import { type DidSimulateParams, didSimulateNotification, type StatusParams, statusNotification } from "@warplens/server/protocol";
import { type Event, EventEmitter, type ExtensionContext, window } from "vscode";
import type { BaseLanguageClient, LanguageClientOptions } from "vscode-languageclient";
import { registerCommands } from "./commands/index.ts";
import { errorHandler } from "./error-handler.ts";
import { tellFocus } from "./focus.ts";
import { showHeat } from "./heat.ts";
import { answerServer, clientOptions } from "./language-client.ts";
import { Measured } from "./measured.ts";
import { PanelView } from "./panel/view.ts";
import { provideRulePages } from "./rule-pages.ts";
import { showStatus } from "./status/items.ts";

/** What other extensions can use. */
export interface WarpLensApi {
  /** What is known of a document's launches has changed. */
  readonly onDidSimulate: Event<DidSimulateParams>;
  /** The chosen GPU, and how far a simulation that takes its time has come. */
  readonly onDidChangeStatus: Event<StatusParams>;
  /** The last status, once the server has told one. */
  status(): StatusParams | undefined;
}

type MakeClient = (id: string, name: string, options: LanguageClientOptions) => BaseLanguageClient;

/** @param why the server ended; asked when the connection to it has closed */
export async function run(context: ExtensionContext, makeClient: MakeClient, why: () => Promise<string>): Promise<WarpLensApi> {
  const log = window.createOutputChannel("WarpLens", { log: true });
  const client = makeClient("warplens", "WarpLens", { ...clientOptions(log), errorHandler: errorHandler(log, why) });
  const simulated = new EventEmitter<DidSimulateParams>();
  const statusChanged = new EventEmitter<StatusParams>();
  let status: StatusParams | undefined;
  client.onNotification(didSimulateNotification, (params: DidSimulateParams) => simulated.fire(params));
  client.onNotification(statusNotification, (params: StatusParams) => {
    status = params;
    statusChanged.fire(params);
  });
  answerServer(client);

  const measured = new Measured(client, context.workspaceState);
  const panel = new PanelView(context.extensionUri, client, simulated.event, measured);
  context.subscriptions.push(
    log,
    simulated,
    statusChanged,
    client,
    measured,
    panel,
    provideRulePages(client),
    showStatus(statusChanged.event, client),
    ...registerCommands({ client, log, panel, measured, version: context.extension.packageJSON.version, extension: context.extensionUri }),
  );
  await client.start();
  context.subscriptions.push(tellFocus(client), showHeat(client, simulated.event));
  return { onDidSimulate: simulated.event, onDidChangeStatus: statusChanged.event, status: () => status };
}
