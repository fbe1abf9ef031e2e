/** Simulates the launches of a program on a GPU model, one after another, and remembers what it has simulated. */
import {
  Cancelled,
  type CompiledBytes,
  type GpuModel,
  type Kernel,
  LaunchRefused,
  type LaunchReport,
  Stopped,
  simulate,
  Work,
} from "@warplens/sim-engine";
import type { Database } from "./analysis/database/database.ts";
import { type KernelFact, type LaunchFact, NotSimulated, type Program } from "./analysis/facts.ts";
import { withPlaces } from "./analysis/places-in-words.ts";
import type { RefusedLaunch, SimulatedLaunch } from "./rules/rule.ts";
import { placedKernel, placedReport, placed as placedSpot } from "./simulate/placed-report.ts";
import { ReportCache } from "./simulate/report-cache.ts";
import { StampedReports } from "./simulate/stamped-reports.ts";
import type { Reading } from "./syntax/reading.ts";
import { failedStage, stage } from "./trace.ts";

export interface KnownRegisters {
  readonly value: number;
  readonly basis: "compiled" | "annotated";
  /** With a compiler's count: what else it says. */
  readonly compiled?: CompiledBytes;
}

export interface SimulationOptions {
  /** Only launches of the kernel with this name. */
  readonly kernel?: string;
  /** Leave out what the program does not launch of a kernel that it does launch (`LaunchFact.passedBy`). */
  readonly onlyMade?: boolean;
  /** Without what the kernels do wrong and could do without (see the engine's option of this name). */
  readonly figuresOnly?: boolean;
  /** What it is spent of, and whether it is still wanted. */
  readonly work?: Work;
  /**
   * Why the work ended, where the launches that it was not enough for are to be named with it; without, they are missing.
   * @param stage what was done for the launch when it ended; absent where nothing was begun
   */
  whyEnded?(stage?: string): string;
  /** Which launches come first: those with a lower number. Among equals each kernel's first launch does, in the order of the source. */
  rank?(launch: LaunchFact): number;
  /** Registers a thread, where they are known; else they are estimated. */
  registersOf?(kernel: string, templateArguments: readonly string[]): KnownRegisters | undefined;
}

export interface NotSimulatedLaunch {
  readonly kernel: string;
  /** 1-based line of the launch, or of the kernel that nothing launches, in the opened file. */
  readonly line: number;
  readonly reason: string;
  /** What went wrong, where it is a fault of the simulator's own rather than a limit of it. */
  readonly fault?: string;
  /** The GPU would refuse it, too. */
  readonly refused?: true;
  /** The launch, or else the kernel that nothing launches. */
  readonly of: LaunchFact | KernelFact;
}

export interface Simulation {
  /** In source order of the launch sites. */
  readonly launches: readonly SimulatedLaunch[];
  readonly notSimulated: readonly NotSimulatedLaunch[];
}

/** What came of one launch, or of a kernel that nothing launches. */
export type Outcome = { readonly simulated: SimulatedLaunch } | { readonly notSimulated: NotSimulatedLaunch };

/** What a launch takes besides the steps that are counted, however little its kernel does: some 15 ms. */
const stepsOfLaunch = 15_000;

/** What is remembered of simulations lives as long as the rest of what is known of the files. */
const memories = new WeakMap<Database, { readonly cache: ReportCache; readonly stamped: StampedReports }>();

function memoryOf({ db }: Program): { readonly cache: ReportCache; readonly stamped: StampedReports } {
  const known = memories.get(db) ?? { cache: new ReportCache(), stamped: new StampedReports() };
  memories.set(db, known);
  return known;
}

/** The launches that the GPU would refuse, for the rules. */
export const refusedIn = (all: readonly NotSimulatedLaunch[]): RefusedLaunch[] =>
  all.flatMap(({ refused, reason, of }) => (refused && "launch" in of ? [{ fact: of, reason }] : []));

/** Simulates every launch of a program. Never throws: what fails is in `notSimulated` with its reason. */
export function simulateProgram(program: Program, gpu: GpuModel, options: SimulationOptions = {}): Simulation {
  const place = new Map<unknown, number>(program.launches.map((fact, index) => [fact, index]));
  const inSource = <T>(all: readonly T[], of: (each: T) => unknown): T[] => {
    const at = (each: T): number => place.get(of(each)) ?? place.size;
    return [...all].sort((a, b) => at(a) - at(b));
  };
  const launches: SimulatedLaunch[] = [];
  const notSimulated: NotSimulatedLaunch[] = [];
  for (const outcome of simulateLaunches(program, gpu, options)) {
    if ("simulated" in outcome) launches.push(outcome.simulated);
    else notSimulated.push(outcome.notSimulated);
  }
  return { launches: inSource(launches, ({ fact }) => fact), notSimulated: inSource(notSimulated, ({ of }) => of) };
}

/** The same, launch by launch in the order that is wanted; kernels that nothing launches come last. */
export function* simulateLaunches(program: Program, gpu: GpuModel, options: SimulationOptions = {}): Generator<Outcome, void, void> {
  const { kernel: only, rank, work = new Work() } = options;
  const wanted = (name: string): boolean => only === undefined || only === name;
  const launches = program.launches.filter(({ kernelName }) => wanted(kernelName));
  for (const fact of inTurn(launches, rank)) {
    const outcome = simulateLaunch(fact, program, gpu, work, options);
    if (!outcome) return;
    yield outcome;
  }
  for (const kernel of unlaunchedKernels(program)) {
    if (!wanted(kernel.name)) continue;
    const line = program.reading.position(kernel.nameAt.file, kernel.nameAt.start).line + 1;
    const reason = `nothing launches it: say how with \`// warplens: grid=(...) block=(...)\` above it or --launch '${kernel.name}: grid=(...) block=(...)'`;
    yield { notSimulated: { kernel: kernel.name, line, reason, of: kernel } };
  }
}

/**
 * What the work is not enough for in the end is a launch that the program does not make, or else one more of a kernel that is known by
 * then, rather than a kernel.
 */
function inTurn(launches: readonly LaunchFact[], rank: (launch: LaunchFact) => number = () => 0): LaunchFact[] {
  const turns = new Map<string, number>();
  return launches
    .map((fact) => {
      const instance = JSON.stringify([fact.kernelName, ...fact.templateArguments]);
      const turn = turns.get(instance) ?? 0;
      turns.set(instance, turn + 1);
      return { fact, at: rank(fact), isMade: fact.executions !== 0, turn };
    })
    .sort((a, b) => a.at - b.at || Number(b.isMade) - Number(a.isMade) || a.turn - b.turn)
    .map(({ fact }) => fact);
}

/** The kernels of the opened file that nothing launches. */
export function unlaunchedKernels({ kernels, launches }: Program): KernelFact[] {
  const launched = new Set(launches.map(({ kernelName }) => kernelName));
  return kernels.filter(({ name, at }) => at.file === 0 && !launched.has(name));
}

/** What comes of one launch of the program. Undefined when the work ended and nobody is to be told why. */
export function simulateLaunch(
  fact: LaunchFact,
  program: Program,
  gpu: GpuModel,
  work: Work,
  { registersOf, whyEnded, onlyMade = false, figuresOnly = false }: SimulationOptions = {},
): Outcome | undefined {
  const { reading } = program;
  const refuse = (reason: string, fault?: string, refused?: true): Outcome => ({
    notSimulated: {
      kernel: fact.kernelName,
      line: fact.line,
      reason: withPlaces(reason, program.wordsFor),
      ...(fault === undefined ? {} : { fault }),
      ...(refused === undefined ? {} : { refused }),
      of: fact,
    },
  });
  const { launch, stamp } = fact;
  const where = fact.kernelReading ?? reading;
  if (!launch) return refuse(fact.reason ?? "its launch configuration is not known");
  if (onlyMade && fact.passedBy)
    return refuse("the program launches this kernel elsewhere, and not here: a condition is false with the values that are known");
  const ended = (stage?: string): Outcome | undefined => whyEnded && refuse(whyEnded(stage));
  if (work.isCancelled) return ended();
  const { cache, stamped } = memoryOf(program);
  try {
    const known = stamp && stamped.get(stamp);
    let kernel = known?.kernel ?? fact.lower(work);
    const registers = registersIn(registersOf?.(fact.kernelName, kernel.templateArguments), fact);
    // By its figures: a user's own GPU keeps its id when they change.
    const settings = JSON.stringify([gpu.computeCapability, gpu.values, registers?.value ?? null, registers?.basis ?? null, figuresOnly]);
    const count = registers && { value: registers.value, basis: registers.basis };
    let report = known?.reports.get(settings);
    if (!report) {
      const code = fact.lower(work);
      program.db.count("code");
      kernel = code;
      report = cache.get(code, launch, settings, (onContent) => {
        program.db.count("report");
        work.ask(stepsOfLaunch);
        return stage("simulate", () =>
          simulate(code, launch, gpu, { work, figuresOnly, ...(count ? { registers: count } : {}), onContent }),
        );
      });
    }
    if (stamp) stamped.keep(stamp, kernel, settings, report);
    return {
      simulated: {
        fact,
        kernel: placedKernel(kernel, where),
        report: completed(placedReport(report, where), fact, kernel, registers?.compiled, program),
      },
    };
  } catch (error) {
    if (error instanceof Cancelled || work.isCancelled) return ended(failedStage(error) ?? "simulate");
    if (error instanceof NotSimulated) return refuse(placed(error, reading));
    if (error instanceof Stopped) return refuse(placed({ message: error.message, at: placedSpot(error.span, where) }, where));
    if (error instanceof LaunchRefused) return refuse(error.message, undefined, true);
    // The engine's own reasons are plain Errors; anything else is a fault of ours.
    const isReason = error instanceof Error && error.constructor === Error;
    return isReason ? refuse(error.message) : refuse(`the simulation failed: ${String(error)}`, String(error));
  }
}

/** What the user says goes before what a compiler says: an option before a directive. */
function registersIn(known: KnownRegisters | undefined, { registers }: LaunchFact): KnownRegisters | undefined {
  return registers === undefined || known?.basis === "annotated" ? known : { value: registers, basis: "annotated" };
}

/** The reason, with the line that gives it. */
function placed({ message, at }: Pick<NotSimulated, "message" | "at">, reading: Reading): string {
  if (!at) return message;
  const line = reading.position(at.file, at.start).line + 1;
  const text = (reading.sources[at.file] ?? "").slice(at.start, at.end).replace(/\s+/g, " ");
  const file = at.file === 0 ? "" : `${reading.files[at.file]?.split("/").at(-1)}:`;
  return `${message} (${file === "" ? `line ${line}` : `${file}${line}`}: \`${text.length > 60 ? `${text.slice(0, 57)}...` : text}\`)`;
}

/** A report with what was assumed of the launch as well as in the engine, and what the compiler said. */
function completed(
  report: LaunchReport,
  fact: LaunchFact,
  kernel: Kernel,
  compiled: CompiledBytes | undefined,
  { wordsFor }: Program,
): LaunchReport {
  const assumptions = [...fact.assumptions, ...report.assumptions].map(({ what, value, why }) => ({
    what: withPlaces(what, wordsFor),
    value: typeof value === "string" ? withPlaces(value, wordsFor) : value,
    why: withPlaces(why, wordsFor),
  }));
  return {
    ...report,
    templateArguments: [...kernel.templateArguments],
    ...(fact.given ? { given: fact.given.map(({ name, value }) => ({ name, value: Number(value) })) } : {}),
    ...(compiled ? { resources: { ...report.resources, compiled } } : {}),
    assumptions,
  };
}
