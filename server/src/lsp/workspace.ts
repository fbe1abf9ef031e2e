/**
 * The server's state: open documents, settings, the chosen GPU, and for each document the newest findings and the newest
 * simulation. Both are made by the queue, elsewhere: nothing here takes longer the longer a file is, but for what carries results
 * of an older text over to the present one.
 */
import type { GpuModel } from "@warplens/sim-engine";
import type { Diagnostic as LspDiagnostic } from "vscode-languageserver";
import type { TextDocument } from "vscode-languageserver-textdocument";
import { compileOptions } from "../analysis/compile-commands.ts";
import type { FileHost } from "../analysis/settings.ts";
import type {
  AnalysisWorker,
  Configuration,
  FileDiagnostic,
  FileFindings,
  Input,
  SimulationMessage,
  SimulationOrder,
  TextEdit,
} from "../worker/messages.ts";
import { carryOver } from "./carry.ts";
import { Compilations } from "./compilations.ts";
import { carryDiagnostic, toLsp } from "./diagnostics.ts";
import type { Documents } from "./documents.ts";
import { gpuSummary } from "./gpus.ts";
import type { Platform } from "./platform.ts";
import { type Project, projectOf } from "./project.ts";
import { isProjectFile, projectDiagnostics } from "./project-diagnostics.ts";
import type { StatusParams } from "./protocol.ts";
import { WorkQueue } from "./queue.ts";
import { readSettings, type Settings } from "./settings.ts";
import { carrySimulation, type FileSimulation, type KernelSummary, type LaunchSummary, type View } from "./view.ts";

export interface WorkspaceEvents {
  log(message: string): void;
  error(message: string): void;
  status(status: StatusParams): void;
  /** What is shown of a document is stale. `version`: a simulation of that version is done. */
  changed(uri: string, version: number | undefined): void;
}

/** What a result is of. */
interface Read {
  readonly version: number;
  readonly revision: number;
  readonly text: string;
}

/** One open document. */
interface Entry {
  configuration?: Configuration;
  found?: Read & { readonly findings: FileFindings };
  /** Told when the findings of the present text have come, or never will. */
  waiting: (() => void)[];
  view?: { readonly version: number; readonly view: View };
  run?: { readonly kernels: KernelSummary[]; readonly launches: LaunchSummary[]; diagnostics: readonly FileDiagnostic[] };
  done?: Read & { readonly simulation: FileSimulation };
}

/** Typing that does not pause is not simulated; a pause this long in milliseconds is one. */
const pause = 120;

export class Workspace {
  readonly #documents: Documents;
  readonly #platform: Platform;
  readonly #events: WorkspaceEvents;
  readonly #worker: AnalysisWorker;
  readonly #queue: WorkQueue;
  readonly #compilations: Compilations | undefined;
  readonly #entries = new Map<string, Entry>();
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  #settings: Settings = readSettings(undefined).settings;
  #roots: readonly string[] = [];
  #problems: readonly string[] = [];
  #projects = new Map<string, Project>();
  #revision = 0;
  #busy = 0;
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
    this.#worker = platform.startWorker(() => this.#state());
    this.#queue = new WorkQueue(this.#worker, {
      jobOf: (uri) => this.#job(uri),
      found: (uri, findings) => this.#found(uri, findings),
      told: (uri, message) => this.#told(uri, message),
      failed: (uri, error) => this.#failed(uri, error),
      busy: (count) => {
        this.#busy = count;
        this.#tellStatus();
      },
    });
    this.#compilations =
      platform.compile &&
      new Compilations(platform.compile, (uri) => {
        const document = this.#documents.get(uri);
        const kernels = this.#compilations?.kernels(uri, document?.version ?? -1) ?? [];
        if (document) this.#worker.tell({ does: "compiled", path: platform.pathOf(uri), version: document.version, kernels });
        this.#tellStatus();
        this.#simulateSoon(uri, 0);
      });
  }

  dispose(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#compilations?.clear();
    this.#worker.dispose();
  }

  /** Takes over new settings, at once and for every open document. */
  configure(section: unknown, roots: readonly string[]): void {
    const { settings, problems } = readSettings(section);
    this.#settings = settings;
    this.#roots = roots;
    this.#problems = problems;
    this.filesChanged();
    this.#markReady();
  }

  /** Project files, `warplens.json` or `compile_commands.json` may have changed: everything is made anew, what is looked at first. */
  filesChanged(): void {
    this.#projects.clear();
    this.#compilations?.clear();
    this.#worker.tell({ does: "files" });
    const looked = this.#lookedAt();
    const others = this.#sources().filter((uri) => uri !== looked);
    for (const uri of looked === undefined ? others : [...others, looked]) {
      delete this.#entry(uri).view;
      this.#configureWorker(uri);
      this.#queue.find(uri);
      this.#simulateSoon(uri, 0);
    }
    this.#tellStatus();
  }

  /** The GPUs of the project that the user looks at. */
  ownGpus(): readonly GpuModel[] {
    const uri = this.#lookedAt();
    return uri === undefined ? [] : this.#project(uri).gpus;
  }

  /** The user looks at this document now. */
  focus(uri: string): void {
    this.#focused = uri;
    void this.ready.then(() => this.#tellStatus());
  }

  /** The diagnostics of a document as far as they are known; those of an older text stand where they moved to. */
  diagnostics(uri: string): LspDiagnostic[] {
    const document = this.#documents.get(uri);
    if (!document) return [];
    if (isProjectFile(uri)) return projectDiagnostics(document);
    const { done, found } = this.#entry(uri);
    const all =
      done && this.#isFresh(done, document)
        ? done.simulation.diagnostics
        : [
            ...carried(document, found, found?.findings.diagnostics ?? []),
            ...carried(document, done, done?.simulation.diagnostics.filter(({ simulated }) => simulated) ?? []),
          ];
    // What a simulation says of a header stands there only while that header is the opened file.
    const path = this.#platform.pathOf(uri);
    return all.filter((diagnostic) => diagnostic.path === path).map((diagnostic) => toLsp(diagnostic, this.#platform.uriOf));
  }

  /** Settled once the findings of a document's present text are known, or another text has come. */
  async settled(uri: string): Promise<void> {
    await this.ready;
    const document = this.#documents.get(uri);
    if (!document || isProjectFile(uri)) return;
    const entry = this.#entry(uri);
    if (this.#isFresh(entry.found, document)) return;
    await new Promise<void>((resolve) => entry.waiting.push(resolve));
  }

  view(uri: string): View | undefined {
    const document = this.#documents.get(uri);
    if (!document || isProjectFile(uri)) return undefined;
    const entry = this.#entry(uri);
    if (entry.view?.version !== document.version) {
      const simulation = entry.done && carrySimulation(entry.done.simulation, carryOver(entry.done.text, document.getText()));
      const view: View = {
        document,
        gpu: this.#project(uri).gpu,
        settings: this.#settings,
        ...(simulation ? { simulation } : {}),
      };
      entry.view = { version: document.version, view };
    }
    return entry.view.view;
  }

  /** The version that the newest simulation of a document is of. */
  simulatedVersion(uri: string): number | undefined {
    return this.#entries.get(uri)?.done?.version;
  }

  /** For a bug report: counts and names, no source text. */
  facts(): {
    readonly gpu: GpuModel;
    readonly documents: readonly {
      readonly lines: number;
      readonly launches: number | undefined;
      readonly notSimulated: readonly string[];
    }[];
  } {
    return {
      gpu: this.#chosen().gpu,
      documents: this.#sources().flatMap((uri) => {
        const document = this.#documents.get(uri);
        if (!document) return [];
        const simulation = this.#entries.get(uri)?.done?.simulation;
        return {
          lines: document.lineCount,
          launches: simulation?.launches.length,
          notSimulated: simulation?.launches.flatMap(({ reason }) => (reason === undefined ? [] : [reason])) ?? [],
        };
      }),
    };
  }

  /** Open documents that hold code. */
  #sources(): string[] {
    return this.#documents.all().flatMap(({ uri }) => (isProjectFile(uri) ? [] : [uri]));
  }

  #lookedAt(): string | undefined {
    const open = this.#sources();
    return open.find((each) => each === this.#focused) ?? open.at(-1);
  }

  #entry(uri: string): Entry {
    const known = this.#entries.get(uri);
    if (known) return known;
    const entry: Entry = { waiting: [] };
    this.#entries.set(uri, entry);
    return entry;
  }

  opened(document: TextDocument): void {
    const { uri, version } = document;
    if (!isProjectFile(uri)) {
      this.#entry(uri);
      this.#worker.tell({ does: "open", path: this.#platform.pathOf(uri), version, text: document.getText() });
    }
    void this.ready.then(() => {
      if (!isProjectFile(uri)) this.#configureWorker(uri);
      this.#tellStatus();
      this.#changed(uri);
    });
  }

  edited({ uri, version }: TextDocument, edits: readonly TextEdit[]): void {
    if (!isProjectFile(uri)) this.#worker.tell({ does: "edit", path: this.#platform.pathOf(uri), version, edits });
    void this.ready.then(() => this.#changed(uri));
  }

  saved({ uri }: TextDocument): void {
    if (isProjectFile(uri)) this.filesChanged();
  }

  #changed(uri: string): void {
    if (!this.#documents.get(uri)) return;
    if (isProjectFile(uri)) {
      this.#events.changed(uri, undefined);
      return;
    }
    const entry = this.#entry(uri);
    settle(entry);
    this.#queue.find(uri);
    this.#simulateSoon(uri, entry.done ? pause : 0);
  }

  closed({ uri }: TextDocument): void {
    clearTimeout(this.#timers.get(uri));
    this.#timers.delete(uri);
    this.#queue.drop(uri);
    this.#compilations?.drop(uri);
    const entry = this.#entries.get(uri);
    if (entry) settle(entry);
    this.#entries.delete(uri);
    this.#projects.delete(uri);
    if (!isProjectFile(uri)) this.#worker.tell({ does: "close", path: this.#platform.pathOf(uri) });
    this.#events.changed(uri, undefined);
  }

  #simulateSoon(uri: string, delay: number): void {
    clearTimeout(this.#timers.get(uri));
    if (!this.#settings.simulate) {
      delete this.#entry(uri).done;
      this.#queue.dropSimulation(uri);
      return;
    }
    this.#timers.set(
      uri,
      setTimeout(() => {
        this.#timers.delete(uri);
        this.#queue.simulate(uri);
      }, delay),
    );
  }

  /** Open documents go before files, but `warplens.json` holds as it was saved. */
  #fileHost(): FileHost {
    const open = new Map(this.#sources().map((uri) => [this.#platform.pathOf(uri), uri]));
    const { files } = this.#platform;
    return { ...files, read: (path) => this.#documents.get(open.get(path) ?? "")?.getText() ?? files.read(path) };
  }

  /** What a new thread has to be told. */
  #state(): Input[] {
    return this.#sources().flatMap((uri): Input[] => {
      const document = this.#documents.get(uri);
      const configuration = this.#entries.get(uri)?.configuration;
      const path = this.#platform.pathOf(uri);
      return [
        ...(document ? [{ does: "open", path, version: document.version, text: document.getText() } as const] : []),
        ...(configuration ? [{ does: "configure", path, configuration } as const] : []),
      ];
    });
  }

  #configureWorker(uri: string): void {
    const { gpu, analysis, lint } = this.#project(uri);
    const configuration: Configuration = { revision: ++this.#revision, gpu, analysis, lint };
    this.#entry(uri).configuration = configuration;
    this.#worker.tell({ does: "configure", path: this.#platform.pathOf(uri), configuration });
  }

  #project(uri: string): Project {
    const known = this.#projects.get(uri);
    if (known) return known;
    const project = projectOf(this.#platform.pathOf(uri), this.#roots, this.#settings, this.#fileHost());
    this.#projects.set(uri, project);
    return project;
  }

  /** The GPU of the document the user looks at, to show in the status bar. */
  #chosen(): { readonly gpu: GpuModel; readonly chosenBy: StatusParams["chosenBy"]; readonly problems: readonly string[] } {
    const uri = this.#lookedAt();
    return uri === undefined ? projectOf("", [], this.#settings, { read: () => undefined }) : this.#project(uri);
  }

  #tellStatus(): void {
    const { gpu, chosenBy, problems } = this.#chosen();
    this.#events.status({
      gpu: gpuSummary(gpu),
      chosenBy,
      simulating: this.#busy,
      problems: [...this.#problems, ...problems, ...(this.#compilations?.problems() ?? [])],
    });
  }

  #isFresh(result: Read | undefined, { uri, version }: TextDocument): boolean {
    return result?.version === version && result.revision === this.#entry(uri).configuration?.revision;
  }

  #job(uri: string): { readonly path: string; readonly order: SimulationOrder } | undefined {
    return this.#documents.get(uri) && { path: this.#platform.pathOf(uri), order: {} };
  }

  #found(uri: string, findings: FileFindings): void {
    const entry = this.#entries.get(uri);
    const document = this.#documents.get(uri);
    if (!entry || !document) return;
    for (const failure of findings.failures) this.#events.error(failure);
    if (findings.about.version !== document.version) return;
    entry.found = { ...findings.about, text: document.getText(), findings };
    const awaited = entry.waiting.length > 0;
    settle(entry);
    if (!awaited) this.#events.changed(uri, undefined);
  }

  #told(uri: string, message: SimulationMessage): void {
    const entry = this.#entries.get(uri);
    const document = this.#documents.get(uri);
    if (!entry || !document || message.about.version !== document.version) return;
    if (message.type === "launches") {
      const kernels = message.kernels.map((kernel) => ({ ...kernel, sharedArrays: [] }));
      entry.run = { kernels, launches: [...message.launches], diagnostics: [] };
    }
    const { run } = entry;
    if (!run) return;
    if (message.type === "result") {
      const launch = run.launches[message.launch];
      if (!launch) return;
      run.launches[message.launch] = { ...launch, ...message.result };
      const kernel = run.kernels[launch.kernel ?? -1];
      if (kernel && launch.kernel !== undefined && message.result.report)
        run.kernels[launch.kernel] = { ...kernel, sharedArrays: message.result.sharedArrays };
    }
    if (message.type === "findings") run.diagnostics = message.diagnostics;
    if (message.type !== "end") return;
    entry.done = { ...message.about, text: document.getText(), simulation: run };
    delete entry.view;
    this.#events.changed(uri, message.about.version);
    void this.#compileInBackground(uri, entry);
  }

  #failed(uri: string, error: Error): void {
    this.#events.error(`The analysis of ${uri} failed: ${error.message}`);
    const entry = this.#entries.get(uri);
    if (entry) settle(entry);
  }

  /** Registers by the user's compiler, where the settings allow it: the estimate is shown until they come. */
  async #compileInBackground(uri: string, entry: Entry): Promise<void> {
    const document = this.#documents.get(uri);
    const { nvcc } = this.#settings;
    if (!document || !this.#compilations || nvcc === "off" || entry.done?.version !== document.version) return;
    const { computeCapability, defines, includeDirs } = this.#project(uri).analysis;
    const path = this.#platform.pathOf(uri);
    const compiled = compileOptions(path, this.#fileHost());
    const headers = await this.#worker.headers(path);
    await this.#compilations.request(uri, document.version, nvcc, {
      path,
      text: document.getText(),
      headers,
      computeCapability,
      defines: [...compiled.defines, ...defines],
      includeDirs: [...includeDirs, ...compiled.includeDirs],
    });
  }
}

/** Whoever waits for findings gets what there is. */
function settle(entry: Entry): void {
  const { waiting } = entry;
  entry.waiting = [];
  for (const resolve of waiting) resolve();
}

/** Diagnostics of an older text, where they stand in the present one. */
function carried(document: TextDocument, of: Read | undefined, diagnostics: readonly FileDiagnostic[]): readonly FileDiagnostic[] {
  if (!of || of.version === document.version) return diagnostics;
  const carry = carryOver(of.text, document.getText());
  return diagnostics.flatMap((diagnostic) => carryDiagnostic(diagnostic, document, carry) ?? []);
}
