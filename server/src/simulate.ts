/** Simulates the launches of a program on a GPU model, one after another, and remembers what it has simulated. */
import { Cancelled, type CompiledBytes, type GpuModel, type Kernel, type LaunchReport, simulate, Work } from "@warplens/sim-engine";
import { type KernelFact, type LaunchFact, NotSimulated, type Program } from "./analysis/facts.ts";
import type { SimulatedLaunch } from "./rules/rule.ts";
import { ReportCache } from "./simulate/report-cache.ts";
import type { Reading } from "./syntax/reading.ts";
import { stage } from "./trace.ts";

export interface KnownRegisters {
  readonly value: number;
  readonly basis: "compiled" | "annotated";
  /** With a compiler's count: what else it says. */
  readonly compiled?: CompiledBytes;
}

export interface SimulationOptions {
  /** Only launches of the kernel with this name. */
  readonly kernel?: string;
  /** Asked now and then; true gives up, and what is done so far is the result. */
  readonly isCancelled?: () => boolean;
  /** Which launches come first: those with a lower number; among equals the order of the source. */
  rank?(launch: LaunchFact): number;
  /** Registers a thread, where they are known; else they are estimated. */
  registersOf?(kernel: string, templateArguments: readonly string[]): KnownRegisters | undefined;
}

export interface NotSimulatedLaunch {
  readonly kernel: string;
  /** 1-based line of the launch, or of the kernel that nothing launches, in the opened file. */
  readonly line: number;
  readonly reason: string;
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

const cache = new ReportCache();

/** Simulates every launch of a program. Never throws: what fails is in `notSimulated` with its reason. */
export function simulateProgram(program: Program, gpu: GpuModel, options: SimulationOptions = {}): Simulation {
  const launches: SimulatedLaunch[] = [];
  const notSimulated: NotSimulatedLaunch[] = [];
  for (const outcome of simulateLaunches(program, gpu, options)) {
    if ("simulated" in outcome) launches.push(outcome.simulated);
    else notSimulated.push(outcome.notSimulated);
  }
  return { launches, notSimulated };
}

/** The same, launch by launch in the order that is wanted; kernels that nothing launches come last. */
export function* simulateLaunches(program: Program, gpu: GpuModel, options: SimulationOptions = {}): Generator<Outcome, void, void> {
  const { kernel: only, rank, isCancelled } = options;
  const wanted = (name: string): boolean => only === undefined || only === name;
  const launches = program.launches.filter(({ kernelName }) => wanted(kernelName));
  for (const fact of rank ? ranked(launches, rank) : launches) {
    if (isCancelled?.()) return;
    const outcome = simulateLaunch(fact, program.reading, gpu, options);
    if (outcome) yield outcome;
  }
  for (const kernel of unlaunchedKernels(program)) {
    if (!wanted(kernel.name)) continue;
    const line = program.reading.position(kernel.nameAt.file, kernel.nameAt.start).line + 1;
    const reason = `nothing launches it: say how with \`// warplens: grid=(...) block=(...)\` above it or --launch '${kernel.name}: grid=(...) block=(...)'`;
    yield { notSimulated: { kernel: kernel.name, line, reason, of: kernel } };
  }
}

const ranked = (launches: readonly LaunchFact[], rank: (launch: LaunchFact) => number): LaunchFact[] =>
  launches
    .map((fact) => ({ fact, at: rank(fact) }))
    .sort((a, b) => a.at - b.at)
    .map(({ fact }) => fact);

/** The kernels of the opened file that nothing launches. */
export function unlaunchedKernels({ kernels, launches }: Program): KernelFact[] {
  const launched = new Set(launches.map(({ kernelName }) => kernelName));
  return kernels.filter(({ name, at }) => at.file === 0 && !launched.has(name));
}

/** Undefined when cancelled. */
function simulateLaunch(
  fact: LaunchFact,
  reading: Reading,
  gpu: GpuModel,
  { registersOf, isCancelled }: SimulationOptions,
): Outcome | undefined {
  const refuse = (reason: string): Outcome => ({ notSimulated: { kernel: fact.kernelName, line: fact.line, reason, of: fact } });
  const { launch } = fact;
  if (!launch) return refuse(fact.reason ?? "its launch configuration is not known");
  try {
    const kernel = fact.lower();
    const registers = registersIn(registersOf?.(fact.kernelName, kernel.templateArguments), fact);
    // By its figures: a user's own GPU keeps its id when they change.
    const settings = JSON.stringify([gpu.computeCapability, gpu.values, registers?.value ?? null, registers?.basis ?? null]);
    const count = registers && { value: registers.value, basis: registers.basis };
    const options = { work: new Work(Number.POSITIVE_INFINITY, isCancelled), ...(count ? { registers: count } : {}) };
    const report = cache.get(kernel, launch, settings, (onContent) =>
      stage("simulate", () => simulate(kernel, launch, gpu, { ...options, onContent })),
    );
    return { simulated: { fact, kernel, report: completed(report, fact, kernel, registers?.compiled) } };
  } catch (error) {
    if (error instanceof Cancelled || isCancelled?.()) return undefined;
    if (error instanceof NotSimulated) return refuse(placed(error, reading));
    // The engine's own reasons are plain Errors; anything else is a fault of ours.
    const isReason = error instanceof Error && error.constructor === Error;
    return refuse(isReason ? error.message : `the simulation failed: ${String(error)}`);
  }
}

/** What the user says goes before what a compiler says: an option before a directive. */
function registersIn(known: KnownRegisters | undefined, { registers }: LaunchFact): KnownRegisters | undefined {
  return registers === undefined || known?.basis === "annotated" ? known : { value: registers, basis: "annotated" };
}

/** The reason, with the line that gives it. */
function placed({ message, at }: NotSimulated, reading: Reading): string {
  if (!at) return message;
  const line = reading.position(at.file, at.start).line + 1;
  const text = (reading.sources[at.file] ?? "").slice(at.start, at.end).replace(/\s+/g, " ");
  const file = at.file === 0 ? "" : `${reading.files[at.file]?.split("/").at(-1)}:`;
  return `${message} (${file === "" ? `line ${line}` : `${file}${line}`}: \`${text.length > 60 ? `${text.slice(0, 57)}...` : text}\`)`;
}

/** A report with what was assumed of the launch as well as in the engine, and what the compiler said. */
function completed(report: LaunchReport, fact: LaunchFact, kernel: Kernel, compiled: CompiledBytes | undefined): LaunchReport {
  return {
    ...report,
    templateArguments: [...kernel.templateArguments],
    ...(compiled ? { resources: { ...report.resources, compiled } } : {}),
    assumptions: [...fact.assumptions, ...report.assumptions],
  };
}
