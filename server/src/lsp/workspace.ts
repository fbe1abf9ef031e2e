/**
 * The server's state: open documents, settings, and the worker that is told of both. What is known of each document is its state's
 * part, what the worker does next the queue's: here one is told of the other, and the client of what has changed. Nothing takes
 * longer the longer a file is.
 */
import type { GpuModel } from "@warplens/sim-engine";
import type { Diagnostic as LspDiagnostic } from "vscode-languageserver";
import type { TextDocument } from "vscode-languageserver-textdocument";
import type { AnalysisWorker, FileFindings, Input, SimulationMessage, SimulationOrder } from "../worker/messages.ts";
import type { BugReportFacts } from "./bug-report.ts";
import { Compilations } from "./compilations.ts";
import { Configurations } from "./configurations.ts";
import { toLsp } from "./diagnostics.ts";
import { DocumentState } from "./document-state.ts";
import type { Documents, Edit } from "./documents.ts";
import { gpuSummary } from "./gpus.ts";
import type { Platform } from "./platform.ts";
import { type ProgressBar, SimulationProgress } from "./progress.ts";
import { isProjectFile, projectDiagnostics } from "./project-diagnostics.ts";
import type { StatusParams } from "./protocol.ts";
import { WorkQueue } from "./queue.ts";
import { readSettings, type Settings } from "./settings.ts";
import { Throttle } from "./throttle.ts";
import type { View } from "./view.ts";

export interface WorkspaceEvents {
  error(message: string): void;
  status(status: StatusParams): void;
  /** The findings of a document are others than before. */
  findings(uri: string): void;
  /** The figures of a document are others than before. */
  figures(uri: string): void;
  /** What stands in the settings of lenses and hints has changed. */
  display(): void;
  /** Shows that the launches of a document are simulated on a GPU. @param cancelled to be called when the user wants no more of it */
  progress(gpu: string, cancelled: () => void): ProgressBar;
}

/** Typing that does not pause is not simulated; so many milliseconds after the findings are a pause. */
const pause = 120;
/** Milliseconds between two times that the client is told of new figures of one document. */
const betweenFigures = 100;

export class Workspace {
  readonly #documents: Documents;
  readonly #platform: Platform;
  readonly #events: WorkspaceEvents;
  readonly #worker: AnalysisWorker;
  readonly #queue: WorkQueue;
  readonly #compilations: Compilations | undefined;
  readonly #configurations: Configurations;
  readonly #progress: SimulationProgress;
  readonly #figures: Throttle;
  readonly #states = new Map<string, DocumentState>();
  #pause: ReturnType<typeof setTimeout> | undefined;
  #problems: readonly string[] = [];
  /** Counts the times that files may have changed. */
  #files = 0;
  #simulating = 0;
  #launchesDone: StatusParams["progress"];
  #focused: string | undefined;
  #markReady: () => void = () => undefined;
  /** Settled once the grammar and the first settings are there. */
  readonly ready = new Promise<void>((resolve) => {
    this.#markReady = resolve;
  });

  constructor(documents: Documents, platform: Platform, events: WorkspaceEvents) {
    this.#documents = documents;
    this.#platform = platform;
    this.#events = events;
    this.#configurations = new Configurations(platform.files);
    this.#worker = platform.startWorker(() => this.#inputs());
    this.#queue = new WorkQueue(this.#worker, {
      jobOf: (uri, does) => this.#job(uri, does),
      found: (uri, findings) => this.#found(uri, findings),
      told: (uri, message) => this.#told(uri, message),
      simulated: (uri, isAskedAgain) => this.#simulated(uri, isAskedAgain),
      failed: (uri, does, error) => this.#failed(uri, does, error),
    });
    this.#progress = new SimulationProgress({
      begin: (uri, cancelled) => this.#showProgress(uri, cancelled),
      cancelled: (uri) => this.#stop(uri),
    });
    this.#figures = new Throttle(betweenFigures, (uri) => events.figures(uri));
    this.#compilations = platform.compile && new Compilations(platform.compile, (uri) => this.#compiled(uri));
  }

  dispose(): void {
    clearTimeout(this.#pause);
    this.#figures.clear();
    this.#progress.end();
    this.#compilations?.clear();
    this.#worker.dispose();
  }

  /** Takes over new settings: what they change is made anew, at once and for every open document. */
  configure(section: unknown, roots: readonly string[]): void {
    const before = this.#configurations.settings;
    const { settings, problems } = readSettings(section);
    this.#configurations.use(settings, roots);
    this.#problems = problems;
    this.#markReady();
    const other = (name: keyof Settings): boolean => before[name] !== settings[name];
    for (const uri of this.#inTurn()) {
      const isNew = this.#configure(uri);
      if (!isNew && other("simulate")) this.#simulate(uri);
      if (!isNew && other("nvcc")) this.#compileInBackground(uri);
    }
    this.#tellStatus();
    this.#events.display();
  }

  /**
   * Project files, `warplens.json` or `compile_commands.json` may have changed: everything that rests on them is made anew.
   * @param paths those that have; any, where it is not known
   */
  filesChanged(paths?: readonly string[]): void {
    // What is open is read as it stands in the editor: saving it changes nothing.
    const open = new Set([...this.#states.values()].map(({ path }) => path));
    const changed = paths?.filter((path) => !open.has(path));
    if (changed?.length === 0) return;
    this.#files++;
    this.#compilations?.clear();
    this.#worker.tell({ does: "files", ...(changed ? { paths: changed } : {}) });
    for (const uri of this.#inTurn()) {
      if (!this.#configure(uri)) this.#analyse(uri);
    }
    this.#tellStatus();
  }

  opened(document: TextDocument): void {
    const { uri, version } = document;
    if (isProjectFile(uri)) {
      this.#events.findings(uri);
      return;
    }
    const path = this.#platform.pathOf(uri);
    this.#worker.tell({ does: "open", path, version, text: document.getText() });
    void this.ready.then(() => {
      if (this.#documents.get(uri) !== document) return;
      const held = this.#configurations.renew(path);
      const state = new DocumentState(document, path, held, this.#files);
      this.#states.set(uri, state);
      this.#worker.tell({ does: "configure", path, configuration: held.configuration });
      this.#analyse(uri);
      this.#tellStatus();
    });
  }

  edited({ uri, version }: TextDocument, edits: readonly Edit[]): void {
    if (isProjectFile(uri)) {
      this.#events.findings(uri);
      return;
    }
    this.#worker.tell({ does: "edit", path: this.#platform.pathOf(uri), version, edits });
    const state = this.#states.get(uri);
    if (!state) return;
    state.edited(edits);
    this.#queue.hold();
    clearTimeout(this.#pause);
    this.#analyse(uri);
  }

  saved({ uri }: TextDocument): void {
    if (isProjectFile(uri)) this.filesChanged();
  }

  closed({ uri }: TextDocument): void {
    this.#queue.drop(uri);
    this.#compilations?.drop(uri);
    this.#figures.drop(uri);
    const path = this.#platform.pathOf(uri);
    this.#states.get(uri)?.closed();
    this.#states.delete(uri);
    this.#configurations.forget(path);
    if (!isProjectFile(uri)) this.#worker.tell({ does: "close", path });
    // Its findings, which others waited for, may never come.
    this.#simulateAfterPause();
    this.#events.findings(uri);
  }

  /** The user looks at this place of this document now. */
  focus(uri: string, order: SimulationOrder): void {
    this.#focused = uri;
    void this.ready.then(() => {
      this.#states.get(uri)?.lookAt(order);
      this.#tellStatus();
    });
  }

  /** The simulation under way is not wanted, until its text or settings change. */
  stopSimulation(): void {
    this.#progress.cancel();
  }

  /** The GPUs of the project that the user looks at. */
  ownGpus(): readonly GpuModel[] {
    return this.#lookedAt()?.held.gpus ?? [];
  }

  /**
   * The diagnostics of a document as far as they are known, where they stand in its present text.
   * @returns `version` once that text was read: it is the one that they are about
   */
  diagnostics(uri: string): { readonly version?: number; readonly items: LspDiagnostic[] } {
    const document = this.#documents.get(uri);
    if (!document) return { items: [] };
    if (isProjectFile(uri)) return { version: document.version, items: projectDiagnostics(document) };
    const state = this.#states.get(uri);
    // What a simulation says of a header stands there only while that header is the opened file.
    const own = state?.diagnostics().filter(({ path }) => path === state.path) ?? [];
    const items = own.map((each) => toLsp(each, this.#platform.uriOf));
    return { items, ...(state?.hasReadText ? { version: document.version } : {}) };
  }

  /** Settled once the findings of a document's present text are known; rejects with `Superseded` when another text comes first. */
  async settled(uri: string): Promise<void> {
    await this.ready;
    await this.#states.get(uri)?.settled();
  }

  view(uri: string): View | undefined {
    return this.#states.get(uri)?.view(this.#configurations.settings);
  }

  /** For a bug report: counts and names, no source text. */
  facts(): BugReportFacts {
    return {
      gpu: this.#chosen().gpu,
      documents: [...this.#states.values()].map(({ document, figures: { launches, run } }) => ({
        lines: document.lineCount,
        launches: run?.hasEnded ? launches.length : undefined,
        notSimulated: launches.flatMap(({ result, now }) => now?.reason ?? result?.result.reason ?? []),
      })),
    };
  }

  #lookedAt(): DocumentState | undefined {
    return this.#states.get(this.#focused ?? "") ?? [...this.#states.values()].at(-1);
  }

  /** Open documents, the one that is looked at last: what is asked for last goes first. */
  #inTurn(): string[] {
    const looked = this.#lookedAt();
    const states = [...this.#states.values()];
    return [...states.filter((state) => state !== looked), ...(looked ? [looked] : [])].map(({ document }) => document.uri);
  }

  /** Takes over what holds for a document now. @returns whether it is something else, so that it is analysed anew */
  #configure(uri: string): boolean {
    const state = this.#states.get(uri);
    if (!state) return false;
    const before = state.held;
    const held = this.#configurations.renew(state.path);
    state.configured(held, this.#files);
    if (before.configuration === held.configuration) return false;
    this.#worker.tell({ does: "configure", path: state.path, configuration: held.configuration });
    this.#analyse(uri);
    if (before.simulationKey === held.simulationKey) return true;
    // Nothing of another GPU stays, not even until there is more to show.
    this.#compilations?.drop(uri);
    if (before.gpuKey !== held.gpuKey && !state.isAwaited) this.#events.findings(uri);
    this.#figures.last(uri);
    return true;
  }

  #analyse(uri: string): void {
    this.#queue.find(uri);
    this.#simulate(uri);
  }

  #simulate(uri: string): void {
    if (this.#configurations.settings.simulate) this.#queue.simulate(uri);
    else this.#queue.dropSimulation(uri);
  }

  /** The user wants no more of a simulation, until the text or its settings change. */
  #stop(uri: string): void {
    this.#states.get(uri)?.stop();
    this.#queue.dropSimulation(uri);
    this.#figures.last(uri);
  }

  /** What a new thread has to be told. */
  #inputs(): Input[] {
    return this.#documents.all().flatMap((document): Input[] => {
      const { uri, version } = document;
      if (isProjectFile(uri)) return [];
      const path = this.#platform.pathOf(uri);
      const configuration = this.#states.get(uri)?.held.configuration;
      const kernels = this.#compilations?.kernels(uri, version) ?? [];
      return [
        { does: "open", path, version, text: document.getText() },
        ...(configuration ? [{ does: "configure", path, configuration } as const] : []),
        ...(kernels.length > 0 ? [{ does: "compiled", path, version, kernels } as const] : []),
      ];
    });
  }

  #chosen(): { readonly gpu: GpuModel; readonly chosenBy: StatusParams["chosenBy"]; readonly problems: readonly string[] } {
    return this.#lookedAt()?.held ?? this.#configurations.default();
  }

  #tellStatus(): void {
    const { gpu, chosenBy, problems } = this.#chosen();
    this.#events.status({
      gpu: gpuSummary(gpu),
      chosenBy,
      simulating: this.#simulating,
      ...(this.#launchesDone ? { progress: this.#launchesDone } : {}),
      problems: [...this.#problems, ...problems, ...(this.#compilations?.problems() ?? [])],
    });
  }

  #showProgress(uri: string, cancelled: () => void): ProgressBar {
    // What lasts is marked now, if the client has not asked since the edit.
    this.#figures.last(uri);
    const bar = this.#events.progress(this.#states.get(uri)?.held.gpu.name ?? "", cancelled);
    const tell = (progress: StatusParams["progress"]): void => {
      this.#launchesDone = progress;
      this.#tellStatus();
    };
    return {
      report(done, of) {
        bar.report(done, of);
        tell({ done, ...(of === undefined ? {} : { of }) });
      },
      end() {
        bar.end();
        tell(undefined);
      },
    };
  }

  #job(uri: string, does: "find" | "simulate"): { readonly path: string; readonly order: SimulationOrder } | undefined {
    const state = this.#states.get(uri);
    if (!state || (does === "find" && state.hasFindings)) return undefined;
    if (does === "find") state.asksFindings();
    else {
      state.asksSimulation();
      this.#progress.begin(uri);
      this.#simulating = 1;
      this.#tellStatus();
    }
    return { path: state.path, order: state.order };
  }

  #found(uri: string, findings: FileFindings): void {
    for (const failure of findings.failures) this.#events.error(failure);
    this.#simulateAfterPause();
    const state = this.#states.get(uri);
    if (!state) return;
    const isAwaited = state.isAwaited;
    const isFirst = state.figures.run === undefined;
    if (!state.found(findings)) return;
    // Whoever waits has its answer.
    if (!isAwaited) this.#events.findings(uri);
    if (isFirst) this.#figures.last(uri);
  }

  #simulateAfterPause(): void {
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => this.#queue.release(), pause);
  }

  #failed(uri: string, does: "find" | "simulate", error: Error): void {
    this.#events.error(`The analysis of ${uri} failed: ${error.message}`);
    if (does === "find") this.#states.get(uri)?.failed();
    this.#simulateAfterPause();
  }

  #told(uri: string, message: SimulationMessage): void {
    const state = this.#states.get(uri);
    if (!state?.told(message)) return;
    const { run } = state.figures;
    if (run) this.#progress.report(run.done, run.total);
    if (message.type === "findings") this.#events.findings(uri);
    else if (message.type === "result") this.#figures.news(uri);
    if (message.type === "end") this.#compileInBackground(uri);
  }

  #simulated(uri: string, isAskedAgain: boolean): void {
    this.#progress.end();
    this.#simulating = 0;
    this.#tellStatus();
    const state = this.#states.get(uri);
    if (!state) return;
    // It failed, or was given up: nobody is at it any more.
    if (!isAskedAgain && !state.isSimulated) state.stop();
    this.#figures.last(uri);
  }

  /** Registers by the user's compiler, where the settings allow it: the estimate is shown until they come. */
  #compileInBackground(uri: string): void {
    const { nvcc } = this.#configurations.settings;
    const state = this.#states.get(uri);
    if (!state?.isSimulated || nvcc === "off") return;
    const { document, path, held } = state;
    const { files } = this.#platform;
    void this.#compilations?.request(uri, document.version, nvcc, {
      path,
      text: document.getText(),
      headers: () => this.#worker.headers(path),
      settings: held.analysis,
      files,
    });
  }

  #compiled(uri: string): void {
    this.#tellStatus();
    const state = this.#states.get(uri);
    if (!state) return;
    const { version } = state.document;
    this.#worker.tell({ does: "compiled", path: state.path, version, kernels: this.#compilations?.kernels(uri, version) ?? [] });
    this.#simulate(uri);
  }
}
