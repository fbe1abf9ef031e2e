/**
 * Answers what the analysis is asked, from the inputs it was told. How a program is had from the inputs is `#program`'s part alone;
 * the rest gathers what the editor shows.
 */
import { Cancelled, Work } from "@warplens/sim-engine";
import type { Program } from "../analysis/facts.ts";
import { overlaid } from "../analysis/overlay.ts";
import { ProgramDatabase } from "../analysis/program-database.ts";
import type { FileHost } from "../analysis/settings.ts";
import { offsetEdits, withEdits } from "../lint/fix-edits.ts";
import { type FixProof, type LintSettings, lint } from "../lint.ts";
import type { CompiledKernel } from "../nvcc/resources.ts";
import { findCompiled, knownResources } from "../nvcc/resources.ts";
import { notTried, triedEach } from "../proof/each.ts";
import { Prover } from "../proof/prover.ts";
import { refactorings } from "../refactorings/index.ts";
import { type OfferedRefactoring, offeredRefactorings } from "../refactorings/offered.ts";
import type { RefusedLaunch, SimulatedLaunch } from "../rules/rule.ts";
import { type NotSimulatedLaunch, refusedIn, simulateLaunches } from "../simulate.ts";
import { timelineOf } from "../timeline/timeline.ts";
import { Imagination, type Reality } from "../what-if/imagination.ts";
import type { Imagined, WarpQuestion, WarpSeen, Written } from "../what-if/question.ts";
import type {
  About,
  Configuration,
  FileDiagnostic,
  FileFindings,
  Input,
  SimulationMessage,
  SimulationOrder,
  TextEdit,
  WhatIf,
} from "./messages.ts";
import { rankBy } from "./order.ts";
import { kernelPlaces, launchPlaces, resultOf, syntaxErrors, withPlaces } from "./summaries.ts";
import { applyEdits, type OpenText } from "./texts.ts";

/** Files whose trees and types stay in memory: those between which a user goes back and forth. */
const mostKept = 4;

/** Files whose fixes are tried by turns: what is known of each once more takes memory. */
const mostProvers = 2;
/** Steps that trying the fixes of a file may take. */
const proofSteps = 20_000_000;
/** The same of the refactorings that the user is shown at once. */
const wishSteps = 6_000_000;
/** How often files are settled that come to light as others are. */
const mostRounds = 3;
const tooLong: FixProof = { verdict: "withheld", why: "trying it takes too long here" };

interface Asked extends OpenText {
  readonly configuration: Configuration;
}

export class JobRunner {
  readonly #programs: ProgramDatabase;
  readonly #texts = new Map<string, OpenText>();
  /** Files that were opened, edited or closed since it was asked what is outdated. */
  readonly #changed = new Set<string>();
  /** Files whose trees and types are kept, the one asked for last at the end. */
  readonly #kept = new Set<string>();
  /** Of others that were asked for, the files that they rest on. */
  readonly #rested = new Map<string, ReadonlySet<string>>();

  /** The file whose fixes were tried last at the end. */
  readonly #provers = new Map<string, Prover>();
  /** What launches of a file would do otherwise; of the one asked for last. */
  #imagination: { readonly path: string; readonly of: Imagination } | undefined;
  /** What is open, else what is on disk. */
  readonly #files: FileHost;
  readonly #beat: () => void;

  /**
   * @param disk files that are not open in the editor
   * @param beat called every few milliseconds while it works
   */
  constructor(disk: FileHost, beat: () => void = () => undefined) {
    this.#programs = new ProgramDatabase(disk);
    this.#files = overlaid(disk, (path) => this.#texts.get(path)?.text);
    this.#beat = beat;
  }

  tell(input: Input): void {
    switch (input.does) {
      case "open":
        this.open(input.path, input.version, input.text);
        break;
      case "edit":
        this.edit(input.path, input.version, input.edits);
        break;
      case "close":
        this.close(input.path);
        break;
      case "configure":
        this.configure(input.path, input.configuration);
        break;
      case "files":
        this.filesChanged(input.paths);
        break;
      case "compiled":
        this.compiled(input.path, input.version, input.kernels);
    }
  }

  /** What fixes of other files were tried on, and what was imagined of them, is not as it was. */
  #forgetTried(path?: string): void {
    for (const other of this.#provers.keys()) if (other !== path) this.#provers.delete(other);
    if (this.#imagination?.path !== path) this.#imagination = undefined;
  }

  open(path: string, version: number, text: string): void {
    this.#forgetTried(path);
    this.#changed.add(path);
    const configuration = this.#texts.get(path)?.configuration;
    this.#texts.set(path, { version, text, compiled: [], ...(configuration ? { configuration } : {}) });
    this.#programs.setText(path, text);
  }

  edit(path: string, version: number, edits: readonly TextEdit[]): void {
    const open = this.#texts.get(path);
    if (!open) throw new Error(`${path} is not open`);
    this.#forgetTried(path);
    this.#changed.add(path);
    const text = applyEdits(open.text, edits);
    this.#texts.set(path, { ...open, version, text, compiled: [] });
    this.#programs.setText(path, text);
  }

  close(path: string): void {
    this.#forgetTried();
    this.#changed.add(path);
    this.#texts.delete(path);
    this.#kept.delete(path);
    this.#rested.delete(path);
    this.#programs.close(path);
    this.#programs.keepOnly(this.#kept);
  }

  configure(path: string, configuration: Configuration): void {
    const open = this.#texts.get(path);
    if (open) this.#texts.set(path, { ...open, configuration });
  }

  /** These, or any where it is not known. */
  filesChanged(paths?: readonly string[]): void {
    this.#programs.filesChanged(paths);
    this.#forgetTried();
  }

  compiled(path: string, version: number, kernels: readonly CompiledKernel[]): void {
    const open = this.#texts.get(path);
    if (open?.version === version) this.#texts.set(path, { ...open, compiled: kernels });
  }

  find(path: string): FileFindings {
    return this.#programs.within(this.#work(), () => {
      const asked = this.#asked(path);
      const program = this.#program(path, asked);
      return {
        about: aboutOf(asked),
        ...findings(program, undefined, { ...asked.configuration.lint, quick: true }, asked.text),
        kernels: kernelPlaces(program),
        syntaxErrors: syntaxErrors(program),
        isSettled: this.#programs.isSettled(path),
      };
    });
  }

  /** The findings of a file, and all that is asked of it from then on, as if no other text of it had been seen; undefined when cancelled. */
  settle(path: string, isCancelled: () => boolean): FileFindings | undefined {
    const work = this.#work(isCancelled);
    // What is found then may rest on more files: they are settled, too, and in the end it is as settled as it gets.
    for (let round = 0; round < mostRounds; round++) {
      const found = this.find(path);
      if (found.isSettled) return found;
      const isDone = this.#unlessCancelled(work, () => {
        this.#programs.settle(path);
        return true;
      });
      if (!isDone) return undefined;
    }
    return { ...this.find(path), isSettled: true };
  }

  /** When nobody waits, a step a file: what the next edit of an open file would wait for otherwise. */
  *prepareForEdits(): Generator<void, void, void> {
    for (const path of this.#texts.keys()) {
      this.#programs.within(this.#work(), () => this.#programs.prepareForEdits(path));
      yield;
    }
  }

  /**
   * Open files that rest on others which were opened, edited or closed since this was asked last. One that was never asked for here may have
   * been asked for where the analysis was ended: it may rest on any.
   */
  outdated(): readonly string[] {
    const changed = [...this.#changed];
    this.#changed.clear();
    return [...this.#texts.keys()].filter((path) => {
      const others = changed.filter((other) => other !== path);
      if (others.length === 0) return false;
      const texts = this.#kept.has(path) ? this.#programs.textsBehind(path) : this.#rested.get(path);
      return others.some((other) => texts?.has(other) ?? true);
    });
  }

  headers(path: string): readonly string[] {
    return this.#programs.within(this.#work(), () => this.#program(path, this.#asked(path)).reading.sources.slice(1));
  }

  /** Stops without an end once `isCancelled` says so; between two messages whoever asks may do something else, but tell nothing. */
  *simulate(path: string, order: SimulationOrder, isCancelled: () => boolean): Generator<SimulationMessage, void, void> {
    const asked = this.#asked(path);
    const about = aboutOf(asked);
    const { gpu, lint: selection } = asked.configuration;
    const work = this.#work(isCancelled);
    if (work.isCancelled) return;
    const started = this.#unlessCancelled(work, () => {
      const read = this.#program(path, asked);
      return { program: read, ...launchPlaces(read) };
    });
    if (!started) return;
    const { program, kernels, launches, indexOf } = started;
    yield { type: "launches", about, kernels, launches, syntaxErrors: syntaxErrors(program) };
    const simulated: SimulatedLaunch[] = [];
    const others: NotSimulatedLaunch[] = [];
    const outcomes = simulateLaunches(program, gpu, {
      work,
      rank: rankBy(order),
      registersOf: (name, templateArguments) => knownResources(findCompiled(asked.compiled, name, templateArguments)),
    });
    for (const outcome of outcomes) {
      if ("simulated" in outcome) simulated.push(outcome.simulated);
      else others.push(outcome.notSimulated);
      yield { type: "result", about, launch: indexOf(outcome), result: resultOf(outcome) };
    }
    if (work.isCancelled) return;
    // Rules see the launches in source order, whichever came first.
    const byFact = new Map(simulated.map((launch) => [launch.fact, launch]));
    const inOrder = program.launches.flatMap((fact) => byFact.get(fact) ?? []);
    const found = this.#programs.within(this.#work(), () => findings(program, inOrder, selection, asked.text, refusedIn(others)));
    yield { type: "findings", about, ...found };
    const timeline = this.#programs.within(this.#work(), () => timelineOf(program, gpu, inOrder));
    yield { type: "end", about, ...(timeline ? { program: timeline } : {}) };
    yield { type: "refactorings", about, ...this.#programs.within(this.#work(), () => refactoringsOf(program, inOrder)) };
    yield* this.#proofs(path, asked, program, found.diagnostics, work, order.cursor);
  }

  /** What a launch would do otherwise; undefined when it was cancelled. */
  imagine(path: string, question: WhatIf, isCancelled: () => boolean): Imagined | undefined {
    const { compiled } = this.#asked(path);
    return this.#imagining(path, question, isCancelled, (imagination, reality, work) =>
      imagination.imagine(reality, question, work, {
        registersOf: (name, templateArguments) => knownResources(findCompiled(compiled, name, templateArguments)),
      }),
    );
  }

  /** What one of its warps does at a place of the source; undefined when it was cancelled. */
  watch(path: string, question: WhatIf, warp: WarpQuestion, isCancelled: () => boolean): WarpSeen | undefined {
    return this.#imagining(path, question, isCancelled, (imagination, reality, work) => imagination.watch(reality, question, warp, work));
  }

  /** The edits that would make a launch so; undefined when it was cancelled. */
  write(path: string, question: WhatIf, isCancelled: () => boolean): Written | undefined {
    return this.#imagining(path, question, isCancelled, (imagination, reality, work) => imagination.write(reality, question, work));
  }

  /** What comes of refactorings, in their order; fewer where they take too many steps, or it was cancelled. */
  tryRefactorings(path: string, offers: readonly OfferedRefactoring[], isCancelled: () => boolean): readonly FixProof[] {
    const asked = this.#asked(path);
    const work = this.#work(isCancelled);
    const steps = work.share(wishSteps);
    const proofs: FixProof[] = [];
    for (const offer of offers) {
      const proof = steps.isOver ? undefined : this.#unlessCancelled(steps, () => this.#tried(path, asked, offer, steps));
      if (!proof) break;
      proofs.push(proof);
    }
    return proofs;
  }

  #tried(path: string, asked: Asked, { id, safe, ...edits }: OfferedRefactoring, work: Work): FixProof {
    const { gpu, analysis: settings } = asked.configuration;
    const program = this.#program(path, asked);
    const changes = refactorings.find((each) => each.id === id)?.changes;
    const text = withEdits(asked.text, offsetEdits(asked.text, edits));
    return this.#proverOf(path).prove({ program, settings, gpu }, { path, text, safe, wish: changes ? { changes } : {} }, work);
  }

  #imagining<T>(
    path: string,
    { elsewhere }: WhatIf,
    isCancelled: () => boolean,
    ask: (imagination: Imagination, reality: Reality, work: Work) => T,
  ): T | undefined {
    const asked = this.#asked(path);
    const { gpu, analysis: settings } = elsewhere ?? asked.configuration;
    const work = this.#work(isCancelled);
    if (this.#imagination?.path !== path) this.#imagination = { path, of: new Imagination(this.#files) };
    const { of } = this.#imagination;
    return this.#unlessCancelled(work, () =>
      ask(of, { program: this.#program(path, asked), settings, gpu, isElsewhere: elsewhere !== undefined }, work),
    );
  }

  /** Tries the fixes of a file, those of findings nearest to the cursor first. */
  *#proofs(
    path: string,
    asked: Asked,
    program: Program,
    diagnostics: readonly FileDiagnostic[],
    work: Work,
    cursor = 0,
  ): Generator<SimulationMessage, void, void> {
    const { gpu, analysis } = asked.configuration;
    const about = aboutOf(asked);
    const distance = ({ place }: FileDiagnostic): number =>
      place ? Math.max(0, place.start - cursor, cursor - place.end) : Number.POSITIVE_INFINITY;
    const inTurn = [...diagnostics.entries()].sort(([, a], [, b]) => distance(a) - distance(b));
    const steps = work.share(proofSteps);
    const tried = triedEach(program, inTurn, (proposal) => {
      if (steps.isOver) return notTried;
      const subject = { program, settings: analysis, gpu };
      return this.#unlessCancelled(steps, () => this.#proverOf(path).prove(subject, proposal, steps)) ?? tooLong;
    });
    for (const each of tried) {
      yield { type: "proof", about, ...each };
      if (work.isCancelled) return;
    }
  }

  #proverOf(path: string): Prover {
    const known = this.#provers.get(path) ?? new Prover(this.#files);
    this.#provers.delete(path);
    this.#provers.set(path, known);
    const [oldest] = this.#provers.keys();
    if (this.#provers.size > mostProvers && oldest !== undefined) this.#provers.delete(oldest);
    return known;
  }

  #work(isCancelled: () => boolean = () => false): Work {
    return new Work(Number.POSITIVE_INFINITY, () => {
      this.#beat();
      return isCancelled();
    });
  }

  /** Undefined when cancelled. */
  #unlessCancelled<T>(work: Work, ask: () => T): T | undefined {
    try {
      return this.#programs.within(work, ask);
    } catch (error) {
      if (error instanceof Cancelled) return undefined;
      throw error;
    }
  }

  /** How often what was computed since this was last asked: for tests and measurements. */
  takeCounts(): ReadonlyMap<string, number> {
    return this.#programs.db.takeCounts();
  }

  #asked(path: string): Asked {
    const open = this.#texts.get(path);
    if (!open?.configuration) throw new Error(`${path} is not ${open ? "configured" : "open"}`);
    return { ...open, configuration: open.configuration };
  }

  #program(path: string, { configuration: { analysis } }: Asked): Program {
    this.#programs.configure(path, analysis);
    this.#kept.delete(path);
    this.#kept.add(path);
    const [oldest] = this.#kept;
    if (this.#kept.size > mostKept && oldest !== undefined) {
      this.#kept.delete(oldest);
      this.#rested.set(oldest, this.#programs.textsBehind(oldest));
      this.#programs.keepOnly(this.#kept);
    }
    return this.#programs.program(path);
  }
}

/** What the rules find, and which of them failed. */
function findings(
  program: Program,
  launches: readonly SimulatedLaunch[] | undefined,
  settings: LintSettings,
  text: string,
  refused: readonly RefusedLaunch[] = [],
): Pick<FileFindings, "diagnostics" | "failures"> {
  const failures: string[] = [];
  const failed = (rule: string, error: unknown): void => {
    failures.push(`${rule} failed on ${program.path}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  };
  const diagnostics = lint(program, launches, settings, failed, refused);
  return { diagnostics: withPlaces(diagnostics, program.path, text), failures };
}

/** Where refactorings apply, and which of them failed. */
function refactoringsOf(
  program: Program,
  launches: readonly SimulatedLaunch[],
): Omit<SimulationMessage & { readonly type: "refactorings" }, "type" | "about"> {
  const failures: string[] = [];
  const offers = offeredRefactorings(program, launches, (id, error) =>
    failures.push(`${id} failed on ${program.path}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`),
  );
  return { offers, failures };
}

const aboutOf = ({ version, configuration: { revision, gpu } }: Asked): About => ({ version, revision, gpu: gpu.id });
