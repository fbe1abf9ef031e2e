/**
 * The server's state: open documents, settings, and the worker that is told of both. What is known of each document is its state's
 * part, when it is analysed the schedule's. Nothing takes longer the longer a file is.
 */
import { findGpu, type GpuModel } from "@warplens/sim-engine";
import type { Diagnostic as LspDiagnostic } from "vscode-languageserver";
import type { TextDocument } from "vscode-languageserver-textdocument";
import type { FixProof } from "../lint.ts";
import { howToPrint } from "../measured/how-to-print.ts";
import { readReport } from "../measured/read-report.ts";
import type { OfferedRefactoring } from "../refactorings/offered.ts";
import type { AnalysisWorker, Input, SimulationOrder, WhatIf } from "../worker/messages.ts";
import type { BugReportFacts } from "./bug-report.ts";
import { ChosenLaunches } from "./chosen-launches.ts";
import { Compilations } from "./compilations.ts";
import { Configurations } from "./configurations.ts";
import { rangeOf } from "./convert.ts";
import { toLsp } from "./diagnostics.ts";
import { DocumentState } from "./document-state.ts";
import type { Documents, Edit } from "./documents.ts";
import { gpuSummary } from "./gpus.ts";
import { keyOf } from "./known-figures.ts";
import { Measurements } from "./measurements.ts";
import { Pins } from "./pins.ts";
import type { Platform } from "./platform.ts";
import { isProjectFile, projectDiagnostics } from "./project-diagnostics.ts";
import type {
  ApplyAnswer,
  ChooseLaunchParams,
  ReadReportAnswer,
  ReadReportParams,
  ReportsParams,
  StatusParams,
  WarpSeen,
  WatchWarpParams,
  WhatIfAnswer,
  WhatIfParams,
} from "./protocol.ts";
import type { Wish } from "./queue.ts";
import type { ChosenRefactoring } from "./refactor-actions.ts";
import { Schedule, type ScheduleEvents } from "./schedule.ts";
import { setAsideDiagnostic } from "./set-aside.ts";
import { readSettings, type Settings } from "./settings.ts";
import { occupancySweeps } from "./sweeps.ts";
import { ToldTexts, tooLarge } from "./told-texts.ts";
import type { View } from "./view.ts";
import { whatIf } from "./what-if.ts";

export interface WorkspaceEvents extends Omit<ScheduleEvents, "running" | "simulated" | "outdated" | "setAside"> {
  /** Something that the user should know now. */
  warning(message: string): void;
  status(status: StatusParams): void;
  /** What stands in the settings of lenses and hints has changed. */
  display(): void;
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

const allowNcu = "The setting warplens.ncu, in a trusted workspace, lets your own Nsight Compute print it; or do it yourself: ";

export class Workspace {
  readonly #documents: Documents;
  readonly #platform: Platform;
  readonly #events: WorkspaceEvents;
  readonly #worker: AnalysisWorker;
  readonly #schedule: Schedule;
  readonly #compilations: Compilations | undefined;
  readonly #configurations: Configurations;
  readonly #texts: ToldTexts;
  readonly #states = new Map<string, DocumentState>();
  readonly #pins = new Pins();
  readonly #chosenLaunches = new ChosenLaunches();
  readonly #measurements = new Measurements();
  #problems: readonly string[] = [];
  /** Counts the times that files may have changed. */
  #files = 0;
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
    this.#texts = new ToldTexts(platform, (input) => this.#worker.tell(input));
    this.#schedule = new Schedule(this.#worker, (uri) => this.#states.get(uri), {
      ...events,
      running: () => this.#tellStatus(),
      simulated: (uri) => this.#compileInBackground(uri),
      outdated: (paths) => this.#renew(paths),
      setAside: (uri, { isEnd }) => this.#setAside(uri, isEnd),
    });
    this.#compilations = platform.compile && new Compilations(platform.compile, (uri) => this.#compiled(uri));
  }

  dispose(): void {
    this.#schedule.dispose();
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

  /** Other files' texts, on which these rest, are others than before. */
  #renew(paths: readonly string[]): void {
    const others = new Set(paths);
    this.#files++;
    for (const uri of this.#inTurn()) {
      const state = this.#states.get(uri);
      if (!state || !others.has(state.path)) continue;
      this.#compilations?.drop(uri);
      state.configured(state.held, this.#files);
      this.#analyse(uri);
    }
  }

  opened(document: TextDocument): void {
    const { uri } = document;
    if (isProjectFile(uri)) {
      this.#events.findings(uri);
      return;
    }
    const path = this.#texts.open(document);
    void this.ready.then(() => {
      if (this.#documents.get(uri) !== document) return;
      const held = this.#configurations.renew(path);
      const state = new DocumentState(document, path, held, this.#files);
      this.#states.set(uri, state);
      this.#worker.tell({ does: "configure", path, configuration: held.configuration });
      this.#schedule.changed();
      this.#analyse(uri);
      this.#tellStatus();
    });
  }

  edited(document: TextDocument, edits: readonly Edit[]): void {
    const { uri } = document;
    if (isProjectFile(uri)) {
      this.#events.findings(uri);
      return;
    }
    const isFirst = this.#texts.edited(document, edits);
    const state = this.#states.get(uri);
    if (!state) return;
    if (isFirst) this.#worker.tell({ does: "configure", path: state.path, configuration: state.held.configuration });
    const { setAside } = state.attempts;
    state.edited(edits);
    this.#schedule.typed();
    this.#schedule.changed();
    this.#analyse(uri);
    if (setAside !== state.attempts.setAside) this.#tellStatus();
  }

  saved({ uri }: TextDocument): void {
    if (isProjectFile(uri)) this.filesChanged();
  }

  closed({ uri }: TextDocument): void {
    this.#schedule.changed();
    this.#schedule.drop(uri);
    this.#compilations?.drop(uri);
    this.#pins.drop(uri);
    this.#chosenLaunches.drop(uri);
    const state = this.#states.get(uri);
    state?.closed();
    this.#states.delete(uri);
    this.#configurations.forget(this.#texts.pathOf(uri));
    if (!isProjectFile(uri)) this.#texts.close(uri);
    this.#events.findings(uri);
    if (state?.attempts.setAside) this.#tellStatus();
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
    this.#schedule.stop();
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
    const { setAside } = state?.attempts ?? {};
    const items = [
      ...(setAside ? [setAsideDiagnostic(setAside)] : []),
      ...own.map((each) => toLsp(each, (path) => this.#texts.uriOf(path))),
    ];
    return { items, ...(state?.hasReadText ? { version: document.version } : {}) };
  }

  /** Settled once the findings of a document's present text are known; rejects with `Superseded` when another text comes first. */
  async settled(uri: string): Promise<void> {
    await this.ready;
    await this.#states.get(uri)?.settled();
  }

  view(uri: string): View | undefined {
    const view = this.#states.get(uri)?.view(this.#configurations.settings);
    return view && this.#measurements.beside(this.#chosenLaunches.beside(this.#pins.beside(view)));
  }

  /** What Nsight Compute printed, or prints of report files, as one report. */
  async readReport({ texts, files = [] }: ReadReportParams): Promise<ReadReportAnswer> {
    await this.ready;
    const { ncu } = this.#configurations.settings;
    const print = this.#platform.printReport;
    const printed: { readonly name: string; readonly text: string }[] = [...texts];
    for (const uri of files) {
      const path = this.#texts.pathOf(uri);
      if (!print || ncu === "off")
        return { problem: `${nameOf(path)} is a report file. ${print ? allowNcu : "Print it: "}${howToPrint(nameOf(path))}` };
      const answer = await print(ncu, path);
      if ("problem" in answer) return answer;
      printed.push(...answer.texts);
    }
    return readReport(printed);
  }

  /** Reports to show beside what is simulated, in the place of those before. */
  keepReports({ reports, shown }: ReportsParams): void {
    this.#measurements.keep(reports, shown);
    this.#events.display();
  }

  /** Which launch of its kernel lens and panel show. */
  chooseLaunch({ textDocument: { uri }, position, launch }: ChooseLaunchParams): void {
    const view = this.#states.get(uri)?.view(this.#configurations.settings);
    if (!view) return;
    this.#chosenLaunches.choose(view, position, launch === undefined ? undefined : view.launches[launch]);
    this.#events.figures(uri);
  }

  /** Pins what is simulated of a document, or unpins it where it is. @returns how many launches are pinned now */
  togglePins(uri: string): number {
    const view = this.#states.get(uri)?.view(this.#configurations.settings);
    if (!view) return 0;
    const pinned = this.#pins.toggle(view);
    this.#events.figures(uri);
    return pinned;
  }

  /**
   * What a launch of a document would do otherwise. What is known of the document stays as it is.
   * @param cancelled calls back when nobody waits any more
   * @returns undefined where the text is another one by now, or nobody waited
   */
  async imagine(params: WhatIfParams, cancelled: (callback: () => void) => void): Promise<WhatIfAnswer | undefined> {
    const asked = this.#whatIf(params);
    if (!asked) return undefined;
    const { state, gpu, question } = asked;
    if (!gpu || !question) return { gpu: gpuSummary(state.held.gpu), sweeps: [], reason: "no such GPU is known", of: "gpu" };
    const imagined = await this.#wish(params, (worker) => worker.imagine(state.path, question), cancelled);
    const sweeps = imagined?.report ? occupancySweeps(imagined.report, gpu) : [];
    return imagined && { gpu: gpuSummary(gpu), sweeps, ...imagined };
  }

  /** What one of its warps does at a place of the source; undefined as for `imagine`. */
  async watch({ warp, ...params }: WatchWarpParams, cancelled: (callback: () => void) => void): Promise<WarpSeen | undefined> {
    const asked = this.#whatIf(params);
    if (!asked) return undefined;
    const { state, question } = asked;
    if (!question) return { why: "no such GPU is known" };
    return this.#wish(params, (worker) => worker.watch(state.path, question, warp), cancelled);
  }

  /** Edits that make a launch so, in the present text; why there are none; undefined as for `imagine`. */
  async write(params: WhatIfParams, cancelled: (callback: () => void) => void): Promise<ApplyAnswer | undefined> {
    const { gpu: _, ...overrides } = params.overrides;
    const asked = this.#whatIf({ ...params, overrides });
    if (!asked?.question) return undefined;
    const { state, question } = asked;
    const written = await this.#wish(params, (worker) => worker.write(state.path, question), cancelled);
    if (!written || "why" in written) return written;
    const edits = written.edits.map((each) => ({ range: rangeOf(state.document, each), newText: each.newText }));
    return { edits, words: written.words };
  }

  /**
   * The refactorings of a document's present text that apply somewhere, as far as they are known to be right. None until its simulation is
   * at its end.
   * @param wait milliseconds for which those that have not been tried yet may be tried first; what comes of them later is known next time
   */
  async refactorings(uri: string, isWanted: (offer: OfferedRefactoring) => boolean, wait: number): Promise<readonly OfferedRefactoring[]> {
    const offers = (): readonly OfferedRefactoring[] =>
      this.#states
        .get(uri)
        ?.refactorings()
        .filter((offer) => isWanted(offer) && offer.proof?.verdict !== "withheld") ?? [];
    const untried = offers().filter(({ proof }) => !proof);
    if (wait > 0 && untried.length > 0) {
      await new Promise<void>((done) => {
        const over = setTimeout(done, wait);
        void this.#tryRefactorings(uri, untried).then(() => {
          clearTimeout(over);
          done();
        });
      });
    }
    return offers();
  }

  /** Takes what comes of refactorings to what is known; what fails is told in the log. */
  async #tryRefactorings(uri: string, offers: readonly OfferedRefactoring[]): Promise<void> {
    const state = this.#states.get(uri);
    if (!state) return;
    const { version } = state.document;
    const proofs = await this.#wish<readonly FixProof[]>(
      { textDocument: { uri }, version },
      (worker) => worker.tryRefactorings(state.path, offers),
      () => undefined,
    ).catch((error: unknown) => {
      this.#events.error(`Refactorings of ${uri} could not be tried: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    });
    if (!proofs || state.document.version !== version) return;
    state.figures.triedRefactorings(offers, proofs);
    for (const [k, { title, ranges, id }] of offers.entries()) {
      const proof = proofs[k];
      if (proof?.verdict === "withheld")
        this.#events.note(`${uri}:${(ranges[0]?.start.line ?? 0) + 1}: ${id}: not offered: ${title}: ${proof.why}`);
    }
  }

  /** The refactoring that was chosen, tried; a sentence where it is not to be made. */
  async chosenRefactoring({ uri, version, key }: ChosenRefactoring): Promise<OfferedRefactoring | string> {
    const find = (): OfferedRefactoring | undefined =>
      this.#documents.get(uri)?.version === version
        ? this.#states
            .get(uri)
            ?.refactorings()
            .find((offer) => keyOf(offer) === key)
        : undefined;
    const before = find();
    if (before && !before.proof) await this.#tryRefactorings(uri, [before]);
    const offer = find();
    if (!offer) return "The text has changed since this was offered.";
    if (offer.proof?.verdict === "withheld") return `${offer.title}: not made, as ${offer.proof.why}`;
    return offer.proof ? offer : `${offer.title}: not made, as trying it takes too long`;
  }

  /** Undefined where it is about another text; without a question where there is no such GPU. */
  #whatIf({
    textDocument: { uri },
    version,
    launch: index,
    overrides,
  }: WhatIfParams): { readonly state: DocumentState; readonly gpu?: GpuModel; readonly question?: WhatIf } | undefined {
    const state = this.#states.get(uri);
    const { launches = [] } = this.view(uri) ?? {};
    const launch = launches[index];
    if (!state || !launch || state.document.version !== version) return undefined;
    const { gpu: own, gpus } = state.held;
    const gpu = overrides.gpu === undefined || overrides.gpu === own.id ? own : findGpu(overrides.gpu, gpus);
    return { state, ...(gpu ? { gpu, question: whatIf(launch, launches, overrides, gpu, state.held) } : {}) };
  }

  #wish<T>(
    { textDocument: { uri }, version }: Pick<WhatIfParams, "textDocument" | "version">,
    ask: Wish<T>["ask"],
    cancelled: (callback: () => void) => void,
  ) {
    const isPresent = (): boolean => this.#states.get(uri)?.document.version === version;
    return this.#schedule.wish<T>(uri, (worker) => (isPresent() ? ask(worker) : undefined), cancelled);
  }

  /** The name of the GPU that is chosen for a document. */
  gpuOf(uri: string): string {
    return this.#states.get(uri)?.held.gpu.name ?? "";
  }

  /** Fixes of a document that have not been tried will be: nobody has switched simulations off, or stopped this one. */
  triesFixes(uri: string): boolean {
    const progress = this.view(uri)?.progress;
    return progress !== undefined && progress !== "off" && progress !== "stopped";
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
    this.#schedule.figuresChanged(uri);
    return true;
  }

  #analyse(uri: string): void {
    this.#schedule.find(uri);
    this.#simulate(uri);
  }

  #simulate(uri: string): void {
    if (this.#configurations.settings.simulate) this.#schedule.simulate(uri);
    else this.#schedule.dropSimulation(uri);
  }

  /** What a new thread has to be told. */
  #inputs(): Input[] {
    return this.#documents.all().flatMap((document): Input[] => {
      const { uri, version } = document;
      if (isProjectFile(uri) || tooLarge(document.getText()) !== undefined) return [];
      const path = this.#texts.pathOf(uri);
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

  #setAside(uri: string, hasEnded: boolean): void {
    this.#tellStatus();
    // Once for a document that goes on doing so, whatever is typed into it.
    const state = this.#states.get(uri);
    if (!hasEnded || !state?.attempts.isNews()) return;
    this.#events.warning(`${nameOf(state.path)}: ${state.attempts.setAside?.why} Other files are not affected.`);
  }

  /** Documents that are set aside, one sentence each. */
  #aside(): string[] {
    return [...this.#states.values()].flatMap(({ path, attempts: { setAside } }) => (setAside ? `${nameOf(path)}: ${setAside.why}` : []));
  }

  #tellStatus(): void {
    const { gpu, chosenBy, problems } = this.#chosen();
    this.#events.status({
      gpu: gpuSummary(gpu),
      chosenBy,
      ...this.#schedule.running,
      problems: [...this.#problems, ...problems, ...this.#aside(), ...(this.#compilations?.problems() ?? [])],
    });
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
