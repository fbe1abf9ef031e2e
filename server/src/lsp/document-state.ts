/** One open document: what is known of it, what that is about, and what of it holds for the present text, settings and GPU. */
import type { TextDocument } from "vscode-languageserver-textdocument";
import type { OfferedRefactoring } from "../refactorings/offered.ts";
import type { FileDiagnostic, FileFindings, SimulationMessage, SimulationOrder } from "../worker/messages.ts";
import { carryKernel, carryLaunch, carryShared } from "./carry.ts";
import type { Held } from "./configurations.ts";
import { carryDiagnostic } from "./diagnostics.ts";
import type { Edit } from "./documents.ts";
import { KnownFigures, kernelKeys } from "./known-figures.ts";
import type { Does } from "./queue.ts";
import { Attempts } from "./set-aside.ts";
import type { Settings } from "./settings.ts";
import { Snapshot } from "./snapshot.ts";
import type { Progress, View, ViewKernel } from "./view.ts";

export class DocumentState {
  readonly document: TextDocument;
  readonly path: string;
  readonly figures = new KnownFigures();
  readonly attempts: Attempts;
  #isStopped = false;
  #held: Held;
  #files: number;
  #found: { readonly of: Snapshot; readonly findings: FileFindings } | undefined;
  /** What the findings that are under way will be about. */
  #asked: Snapshot | undefined;
  #waiting: { readonly come: () => void; readonly superseded: (error: Error) => void }[] = [];
  /** Where the user looks, as offsets into the present text: the editor's word, or else the last edit's place. */
  #order: SimulationOrder = {};
  #view: { readonly version: number; readonly settings: Settings; readonly view: View } | undefined;

  /** @param files counts the times that files may have changed */
  constructor(document: TextDocument, path: string, held: Held, files: number) {
    this.document = document;
    this.path = path;
    this.attempts = new Attempts(document.getText());
    this.#held = held;
    this.#files = files;
  }

  get held(): Held {
    return this.#held;
  }

  /** The simulation of the present text was stopped by the user, or given up. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  stop(): void {
    this.#isStopped = true;
    this.#view = undefined;
  }

  get order(): SimulationOrder {
    return this.#order;
  }

  lookAt(order: SimulationOrder): void {
    this.#order = order;
  }

  edited(edits: readonly Edit[]): void {
    const last = edits.at(-1);
    if (last) this.#order = { ...this.#order, cursor: last.start + last.text.length };
    const all = this.figures.snapshots();
    for (const of of [this.#found?.of, this.#asked]) if (of) all.add(of);
    for (const snapshot of all) snapshot.edited(edits);
    this.#isStopped = false;
    this.attempts.changed(this.document.getText());
    this.#view = undefined;
    this.#supersede();
  }

  /** Other settings hold, or other files may. */
  configured(held: Held, files: number): void {
    this.#held = held;
    this.#files = files;
    this.#isStopped = false;
    this.attempts.changed(this.document.getText());
    this.#view = undefined;
  }

  closed(): void {
    this.#supersede();
  }

  /** The findings that come next are about the present text. */
  asksFindings(): void {
    this.#asked = this.#snapshot();
  }

  /** @returns false for what nobody asked for */
  found(findings: FileFindings): boolean {
    const of = this.#asked;
    this.#asked = undefined;
    if (!of?.isOf(findings.about)) return false;
    this.#found = { of, findings };
    this.attempts.answered("find");
    if (findings.isSettled) this.attempts.answered("settle");
    this.#view = undefined;
    if (this.hasFindings) this.#come();
    return true;
  }

  /** There will be no findings of the present text, since it is set aside: whoever waits gets what there is. */
  failed(): void {
    this.#asked = undefined;
    this.#come();
  }

  asksSimulation(): void {
    this.#isStopped = false;
    this.figures.begin(this.#snapshot());
    this.#view = undefined;
  }

  told(message: SimulationMessage): boolean {
    this.#view = undefined;
    if (message.type === "end") this.attempts.answered("simulate");
    return this.figures.told(message);
  }

  /** The findings of the present text and settings are known. */
  get hasFindings(): boolean {
    return this.#found !== undefined && this.#isNow(this.#found.of);
  }

  /** They are known, but would be others if no other text had been seen, or might be. */
  get isUnsettled(): boolean {
    return this.hasFindings && this.#found?.findings.isSettled === false;
  }

  /** What was asked last is about the present text and settings. */
  asksPresent(does: Does): boolean {
    const of = does === "simulate" ? this.figures.run?.of : this.#asked;
    return of !== undefined && this.#isNow(of);
  }

  /** All that there will be of the present text is known, under whichever settings. */
  get hasReadText(): boolean {
    return this.#found?.of.version === this.document.version || !this.attempts.allows("find");
  }

  /** The simulation of the present text, settings and GPU was told to its end. */
  get isSimulated(): boolean {
    const { run } = this.figures;
    return run?.hasEnded === true && this.#isNow(run.of);
  }

  /** Settled once the findings of the present text are known, or known not to come; rejects when another text comes first. */
  async settled(): Promise<void> {
    if (this.hasFindings || !this.attempts.allows("find")) return;
    await new Promise<void>((come, superseded) => this.#waiting.push({ come, superseded }));
  }

  get isAwaited(): boolean {
    return this.#waiting.length > 0;
  }

  /** As far as they are known; those of an older text stand where they moved to. What another GPU's simulation found is not among them. */
  diagnostics(): readonly FileDiagnostic[] {
    const simulated = this.figures.diagnostics;
    if (simulated && this.#isNow(simulated.of)) return simulated.diagnostics;
    const ofSimulation = simulated?.of.held.gpuKey === this.#held.gpuKey ? simulated : undefined;
    return [
      ...this.#carried(this.#found?.of, this.#found?.findings.diagnostics ?? []),
      ...this.#carried(ofSimulation?.of, ofSimulation?.diagnostics.filter((each) => each.simulated) ?? []),
    ];
  }

  /** Where refactorings apply in the present text; none until its simulation is at its end. */
  refactorings(): readonly OfferedRefactoring[] {
    const known = this.figures.refactorings;
    return known && this.#isSameProgram(known.of) ? known.offers : [];
  }

  view(settings: Settings): View {
    const { version } = this.document;
    if (this.#view?.version !== version || this.#view.settings !== settings) {
      const kernels = this.#kernels();
      const launches = this.figures.launches.map((launch) =>
        carryLaunch(launch, kernels.get(launch.kernelKey ?? ""), {
          isFresh: (of) => this.#isSameProgram(of),
          isShown: ({ held }) => held.gpuKey === this.#held.gpuKey,
        }),
      );
      const shown = [...kernels.values()].sort((a, b) => a.nameAt.start - b.nameAt.start);
      const view: View = {
        document: this.document,
        gpu: this.#held.gpu,
        settings,
        kernels: shown,
        launches,
        progress: this.#progress(settings),
        diagnostics: this.diagnostics(),
        ...this.#program(),
      };
      this.#view = { version, settings, view };
    }
    return this.#view.view;
  }

  #program(): Pick<View, "program"> {
    const { program } = this.figures;
    if (!program?.timeline || program.of.held.gpuKey !== this.#held.gpuKey) return {};
    return { program: { timeline: program.timeline, isStale: !this.#isNow(program.of) } };
  }

  #progress({ simulate }: Settings): Progress {
    if (!simulate) return "off";
    if (this.isSimulated) return "done";
    if (this.#isStopped || !this.attempts.allows("simulate")) return "stopped";
    const { run } = this.figures;
    return run && !run.hasEnded && this.#isNow(run.of) ? "running" : "waiting";
  }

  /** Those of the newest text that was read, and those which that one lost because it does not parse, by their keys. */
  #kernels(): Map<string, ViewKernel> {
    const found = this.#found;
    const shared = new Map(
      this.figures.launches.flatMap(({ kernelKey, result }) =>
        kernelKey !== undefined && result?.result.report && result.of.held.gpuKey === this.#held.gpuKey
          ? [[kernelKey, carryShared(result.result.sharedArrays, result.of.offsets)]]
          : [],
      ),
    );
    const kernels = new Map<string, ViewKernel>();
    const keys = kernelKeys(found?.findings.kernels ?? []);
    for (const [index, place] of (found?.findings.kernels ?? []).entries()) {
      const key = keys[index] ?? place.name;
      const kernel = found && carryKernel(place, found.of.offsets, shared.get(key) ?? []);
      if (kernel) kernels.set(key, kernel);
    }
    if (found && !this.figures.isBroken(found.findings.syntaxErrors) && !this.#hasNewerKernels(found.of)) return kernels;
    for (const { key, place, of } of this.figures.kernels) {
      const kernel = keys.includes(key) ? undefined : carryKernel(place, of.offsets, shared.get(key) ?? []);
      if (kernel) kernels.set(key, kernel);
    }
    return kernels;
  }

  #hasNewerKernels(than: Snapshot): boolean {
    return this.figures.kernels.some(({ of }) => of.version > than.version);
  }

  #snapshot(): Snapshot {
    return new Snapshot(this.document, this.#held, this.#files);
  }

  /** Whether something is about the present text, and launches that are the same and simulated alike. */
  #isSameProgram({ version, held, files }: Snapshot): boolean {
    return version === this.document.version && files === this.#files && held.simulationKey === this.#held.simulationKey;
  }

  /** The same, and under the same settings of the rules. */
  #isNow(of: Snapshot): boolean {
    return this.#isSameProgram(of) && of.held.lintKey === this.#held.lintKey;
  }

  #carried(of: Snapshot | undefined, diagnostics: readonly FileDiagnostic[]): readonly FileDiagnostic[] {
    if (!of || of.offsets.isEmpty) return diagnostics;
    return diagnostics.flatMap((diagnostic) => carryDiagnostic(diagnostic, this.document, of.offsets) ?? []);
  }

  #come(): void {
    for (const { come } of this.#waiting.splice(0)) come();
  }

  #supersede(): void {
    for (const { superseded } of this.#waiting.splice(0)) superseded(new Superseded());
  }
}

/** Another text has come before the answer for this one. */
export class Superseded extends Error {
  override readonly name = "Superseded";
}
