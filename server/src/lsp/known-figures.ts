/**
 * What is known of a document's launches, whichever simulation told it. A newer simulation replaces it launch by launch, as its
 * results come; until then, and where the newer text does not parse, the older figures stay. Each says what it is about.
 */
import type { FixProof } from "../lint.ts";
import type { OfferedRefactoring } from "../refactorings/offered.ts";
import type { ProgramTimeline } from "../timeline/program-timeline.ts";
import type { FileDiagnostic, KernelPlace, LaunchPlace, LaunchResult, SimulationMessage } from "../worker/messages.ts";
import type { Snapshot } from "./snapshot.ts";

export interface KnownKernel {
  /** Its name, with a number where there are several of that name. */
  readonly key: string;
  readonly place: KernelPlace;
  readonly of: Snapshot;
}

export interface KnownLaunch {
  readonly place: LaunchPlace;
  /** What `place` is about. */
  readonly of: Snapshot;
  /** Absent for a kernel of another file. */
  readonly kernelKey?: string;
  /** Absent until its first result has come. */
  readonly result?: {
    readonly of: Snapshot;
    readonly result: LaunchResult;
    /** How much of the kernel did not parse then. */
    readonly syntaxErrors: number;
  };
  /** Why the newest text's launch could not be simulated, where the figures of an older one are kept. */
  readonly now?: { readonly of: Snapshot; readonly reason: string };
}

interface Run {
  readonly of: Snapshot;
  /** Launches that are told; absent until then. */
  readonly total?: number;
  readonly done: number;
  readonly hasEnded: boolean;
}

export class KnownFigures {
  kernels: readonly KnownKernel[] = [];
  launches: readonly KnownLaunch[] = [];
  diagnostics: { readonly of: Snapshot; readonly diagnostics: readonly FileDiagnostic[] } | undefined;
  run: Run | undefined;
  /** Where refactorings apply, with the proofs of those that were tried. */
  refactorings: { readonly of: Snapshot; readonly offers: readonly OfferedRefactoring[] } | undefined;
  /** What the program has the device do, as the last simulation that came to its end told it. */
  program: { readonly of: Snapshot; readonly timeline: ProgramTimeline | undefined } | undefined;
  /** How much of the last text that was not broken did not parse; undefined before the first. */
  #syntaxErrors: number | undefined;

  /** The next messages are those of a simulation of this text. */
  begin(of: Snapshot): void {
    this.run = { of, done: 0, hasEnded: false };
  }

  /** @returns false for what nobody asked for */
  told(message: SimulationMessage): boolean {
    const { run } = this;
    if (!run || run.hasEnded !== (message.type === "proof" || message.type === "refactorings") || !run.of.isOf(message.about)) return false;
    switch (message.type) {
      case "launches":
        this.#launches(run.of, message);
        this.run = { ...run, total: message.launches.length };
        break;
      case "result":
        this.#result(run.of, message.launch, message.result);
        this.run = { ...run, done: run.done + 1 };
        break;
      case "findings":
        this.diagnostics = { of: run.of, diagnostics: message.diagnostics };
        break;
      case "end":
        this.run = { ...run, hasEnded: true };
        this.program = { of: run.of, timeline: message.program };
        break;
      case "refactorings":
        this.refactorings = { of: run.of, offers: this.#tried(run.of, message.offers) };
        break;
      case "proof":
        this.#proof(message);
    }
    return true;
  }

  /** What came of trying refactorings; those of an older list are none any more. */
  triedRefactorings(offers: readonly OfferedRefactoring[], proofs: readonly FixProof[]): void {
    if (!this.refactorings) return;
    const tried = new Map(offers.flatMap((offer, k) => (proofs[k] ? [[keyOf(offer), proofs[k]]] : [])));
    this.refactorings = { ...this.refactorings, offers: withProofs(this.refactorings.offers, tried) };
  }

  /** Offers with what is known of them, where they are about the same text and GPU as those before. */
  #tried(of: Snapshot, offers: readonly OfferedRefactoring[]): readonly OfferedRefactoring[] {
    const before = this.refactorings;
    if (before?.of.version !== of.version || before.of.held.simulationKey !== of.held.simulationKey || before.of.files !== of.files)
      return offers;
    const known = new Map(before.offers.flatMap((offer) => (offer.proof ? [[keyOf(offer), offer.proof]] : [])));
    return withProofs(offers, known);
  }

  /** Whether a text with so many syntax errors has lost what an earlier one had because of them. */
  isBroken(syntaxErrors: number): boolean {
    return this.#syntaxErrors !== undefined && syntaxErrors > this.#syntaxErrors;
  }

  /** What is known is about these. */
  snapshots(): Set<Snapshot> {
    const all = [...this.kernels, ...this.launches, ...this.launches.flatMap(({ result, now }) => [result ?? [], now ?? []].flat())];
    return new Set([
      ...all.map(({ of }) => of),
      ...[this.run ?? [], this.diagnostics ?? [], this.refactorings ?? [], this.program ?? []].flat().map(({ of }) => of),
    ]);
  }

  #proof({ diagnostic: index, fix: which, proof }: SimulationMessage & { readonly type: "proof" }): void {
    if (!this.diagnostics) return;
    const tried = (each: FileDiagnostic): FileDiagnostic => ({
      ...each,
      fixes: each.fixes.map((fix, k) => (k === which ? { ...fix, proof } : fix)),
    });
    const { of, diagnostics } = this.diagnostics;
    this.diagnostics = { of, diagnostics: diagnostics.map((each, k) => (k === index ? tried(each) : each)) };
  }

  #launches(of: Snapshot, { kernels, launches, syntaxErrors }: SimulationMessage & { readonly type: "launches" }): void {
    const isBroken = this.isBroken(syntaxErrors);
    if (!isBroken) this.#syntaxErrors = syntaxErrors;
    const keys = kernelKeys(kernels);
    const told: KnownLaunch[] = launches.map((place) => {
      const kernelKey = place.kernel === undefined ? undefined : keys[place.kernel];
      return { place, of, ...(kernelKey === undefined ? {} : { kernelKey }) };
    });
    const { matched, left } = match(this.launches, told);
    const kept = isBroken ? left.filter(({ result, kernelKey }) => result?.result.report && this.#survives(kernelKey)) : [];
    const lost = this.kernels.filter(({ key }) => !keys.includes(key) && kept.some(({ kernelKey }) => kernelKey === key));
    this.kernels = [...kernels.map((place, index) => ({ key: keys[index] ?? place.name, place, of })), ...lost];
    // What this simulation tells comes first: its indices hold.
    this.launches = [...matched, ...kept];
  }

  /** Whether a kernel's name still stands in the text. */
  #survives(key: string | undefined): boolean {
    const kernel = this.kernels.find((each) => each.key === key);
    return kernel !== undefined && kernel.of.offsets.carry(kernel.place.nameAt) !== undefined;
  }

  #result(of: Snapshot, index: number, result: LaunchResult): void {
    this.launches = this.launches.map((launch, at): KnownLaunch => {
      if (at !== index) return launch;
      const { result: older, now: _, ...rest } = launch;
      const syntaxErrors = this.kernels.find(({ key }) => key === launch.kernelKey)?.place.syntaxErrors ?? 0;
      const keeps = older?.result.report && older.of.version !== of.version && older.of.held.gpuKey === of.held.gpuKey;
      if (keeps && result.reason !== undefined) return { ...rest, result: older, now: { of, reason: result.reason } };
      // What the parser left out of a kernel that is being typed is not what the user will have written.
      if (keeps && syntaxErrors > older.syntaxErrors) return { ...rest, result: older };
      return { ...rest, result: { of, result, syntaxErrors } };
    });
  }
}

/** The same for two refactorings that do the same. */
export const keyOf = ({ id, edits }: Pick<OfferedRefactoring, "id" | "edits">): string => JSON.stringify([id, edits]);

const withProofs = (offers: readonly OfferedRefactoring[], proofs: ReadonlyMap<string, FixProof>): readonly OfferedRefactoring[] =>
  offers.map((offer) => {
    const proof = proofs.get(keyOf(offer));
    return proof ? { ...offer, proof } : offer;
  });

/** Names, told apart by their order where several are the same. */
export function kernelKeys(kernels: readonly KernelPlace[]): string[] {
  const seen = new Map<string, number>();
  return kernels.map(({ name }) => {
    const count = seen.get(name) ?? 0;
    seen.set(name, count + 1);
    return count === 0 ? name : `${name}#${count}`;
  });
}

/** New launches with the results of the old ones that they are: of one kernel, in the same order, where there are as many as before. */
function match(
  old: readonly KnownLaunch[],
  told: readonly KnownLaunch[],
): { readonly matched: KnownLaunch[]; readonly left: KnownLaunch[] } {
  const left = new Set(old);
  const ofKernel = (launches: readonly KnownLaunch[], name: string) => launches.filter(({ place }) => place.kernelName === name);
  const matched = told.map((launch) => {
    const before = ofKernel(old, launch.place.kernelName);
    const now = ofKernel(told, launch.place.kernelName);
    const candidates = before.filter((each) => left.has(each));
    const sameLine = candidates.find(({ of, place }) => of.line(place.line) === launch.place.line);
    const found = sameLine ?? (before.length === now.length ? before[now.indexOf(launch)] : undefined);
    if (!found || !left.delete(found)) return launch;
    return { ...launch, ...(found.result ? { result: found.result } : {}), ...(found.now ? { now: found.now } : {}) };
  });
  return { matched, left: [...left] };
}
