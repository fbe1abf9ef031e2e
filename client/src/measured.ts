/** Reports of measurements: read by the server, kept with the workspace, figures alone, and told to the server whenever it starts. */
import { label } from "@warplens/server/foreign-text";
import {
  type KeptReport,
  type ReadReportAnswer,
  type ReadReportParams,
  type ReportsParams,
  readReportRequest,
  reportsNotification,
} from "@warplens/server/protocol";
import { Disposable, type Memento, ProgressLocation, window } from "vscode";
import { type BaseLanguageClient, State } from "vscode-languageclient";

/** Under which they are kept, all at once. */
const key = "warplens.reports";
/** More are no comparison any more. */
const mostReports = 12;
/** Milliseconds that the status bar says what became of it. */
const said = 4000;

export class Measured implements Disposable {
  readonly #client: BaseLanguageClient;
  readonly #kept: Memento;
  readonly #subscriptions: Disposable;

  /** @param kept of the workspace */
  constructor(client: BaseLanguageClient, kept: Memento) {
    this.#client = client;
    this.#kept = kept;
    this.#subscriptions = Disposable.from(
      // A server that has just started knows of none.
      client.onDidChangeState(({ newState }) => newState === State.Running && this.#state.reports.length > 0 && this.#tell()),
    );
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  /** Reads what Nsight Compute printed, as one report, and shows it. @returns whether it is one */
  async add(params: ReadReportParams): Promise<boolean> {
    if (!this.#client.isRunning()) {
      void window.showErrorMessage("WarpLens: the language server is not running.");
      return false;
    }
    const answer = await window.withProgress({ location: ProgressLocation.Window, title: "WarpLens: reading the report" }, () =>
      this.#client.sendRequest<ReadReportAnswer>(readReportRequest, params),
    );
    if ("problem" in answer) {
      void window.showErrorMessage(label(`WarpLens: ${answer.problem}`));
      return false;
    }
    const { report } = answer;
    const loadedAt = Date.now();
    // The one that was loaded last is the one to look at.
    const reports = [{ id: `${loadedAt} ${report.name}`, loadedAt, report }, ...this.#state.reports].slice(0, mostReports);
    await this.#keep({ reports });
    const count = report.launches.length;
    const notes = report.notes.length > 0 ? "; some of it could not be read, the panel says what" : "";
    window.setStatusBarMessage(label(`WarpLens: ${count} measured launch${count === 1 ? "" : "es"} of ${report.name}${notes}`), said);
    return true;
  }

  async remove(id: string): Promise<void> {
    const { reports, shown } = this.#state;
    const rest = reports.filter((report) => report.id !== id);
    await this.#keep({ reports: rest, ...(shown === undefined || shown === id ? {} : { shown }) });
  }

  /** Shows the figures of this one where several have a launch. */
  async show(id: string): Promise<void> {
    await this.#keep({ reports: this.#state.reports, shown: id });
  }

  /** As they were kept: the server reads them before it believes them. */
  get #state(): ReportsParams {
    const kept = this.#kept.get<Partial<ReportsParams>>(key);
    const reports: readonly KeptReport[] = Array.isArray(kept?.reports) ? kept.reports : [];
    return { reports, ...(typeof kept?.shown === "string" ? { shown: kept.shown } : {}) };
  }

  async #keep(state: ReportsParams): Promise<void> {
    await this.#kept.update(key, state);
    this.#tell();
  }

  #tell(): void {
    if (this.#client.isRunning()) void this.#client.sendNotification(reportsNotification, this.#state);
  }
}
