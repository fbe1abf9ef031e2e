/** Runs jobs: analysis and the rules that need no more; simulation and every rule, gathered into what the editor shows. */
import type { Kernel } from "@warplens/sim-engine";
import { analyze } from "../analysis/analyze.ts";
import type { FileHost, KernelFact, Program } from "../analysis/facts.ts";
import { lint } from "../lint.ts";
import { findCompiled, knownResources } from "../nvcc/resources.ts";
import { type Simulation, simulateProgram } from "../simulate.ts";
import type { FileFindings, FileSimulation, Job, KernelSummary, LaunchSummary, Range } from "./job.ts";

/** The program of the last job is kept: its simulation is asked for after its findings. */
export class JobRunner {
  readonly #disk: FileHost;
  #last: { readonly job: Job; readonly program: Program } | undefined;

  /** @param disk files that are not open in the editor */
  constructor(disk: FileHost) {
    this.#disk = disk;
  }

  find(job: Job): FileFindings {
    const failures: string[] = [];
    const program = this.#program(job);
    const diagnostics = lint(program, undefined, job.lint, (message) => failures.push(message));
    return { diagnostics, headers: program.reading.sources.slice(1), failures };
  }

  /** @returns undefined when it was cancelled */
  simulate(job: Job, isCancelled: () => boolean): FileSimulation | undefined {
    const program = this.#program(job);
    if (isCancelled()) return undefined;
    const simulation = simulateProgram(program, job.gpu, {
      isCancelled,
      registersOf(name, templateArguments) {
        return knownResources(findCompiled(job.compiled ?? [], name, templateArguments));
      },
    });
    if (isCancelled()) return undefined;
    return {
      kernels: program.kernels.filter(inFile).map((kernel) => kernelSummary(kernel, program, simulation)),
      launches: launchSummaries(program, simulation),
      diagnostics: lint(program, simulation.launches, job.lint),
    };
  }

  #program(job: Job): Program {
    if (this.#last && sameProgram(this.#last.job, job)) return this.#last.program;
    // Freed before another is made: there is never more than one.
    this.#last = undefined;
    const files: FileHost = { ...this.#disk, read: (path) => job.overlays[path] ?? this.#disk.read(path) };
    const program = analyze(job.path, job.text, job.analysis, files);
    this.#last = { job, program };
    return program;
  }
}

/** Whether two jobs read the same program. */
function sameProgram(a: Job, b: Job): boolean {
  const open = Object.entries(a.overlays);
  return (
    a.path === b.path &&
    a.files === b.files &&
    a.text === b.text &&
    open.length === Object.keys(b.overlays).length &&
    open.every(([path, text]) => b.overlays[path] === text) &&
    JSON.stringify(a.analysis) === JSON.stringify(b.analysis)
  );
}

const inFile = ({ at }: KernelFact): boolean => at.file === 0;

function kernelSummary(fact: KernelFact, { reading }: Program, { launches }: Simulation): KernelSummary {
  const lowered = launches.find(({ fact: launch }) => launch.kernel === fact)?.kernel;
  const bounds = fact.declaration.specifiers.launchBounds ?? [];
  const [first, last] = [bounds[0], bounds.at(-1)];
  return {
    name: fact.name,
    nameAt: range(fact.nameAt),
    at: range(fact.at),
    ...(first && last ? { launchBounds: range(reading.locate(first.start, last.end)) } : {}),
    sharedArrays: lowered ? sharedArrays(lowered) : [],
  };
}

const range = ({ start, end }: Range): Range => ({ start, end });

const sharedArrays = ({ shared }: Kernel): KernelSummary["sharedArrays"] =>
  shared.flatMap(({ name, bytes, span }) => (bytes === undefined || span.file !== 0 ? [] : [{ name, bytes, ...range(span) }]));

function launchSummaries(program: Program, { launches, notSimulated }: Simulation): LaunchSummary[] {
  const own = program.kernels.filter(inFile);
  const simulated = launches.map(({ fact, report }): LaunchSummary => {
    const kernel = fact.kernel ? own.indexOf(fact.kernel) : -1;
    return {
      kernelName: fact.kernelName,
      templateArguments: report.templateArguments,
      line: fact.line,
      report,
      ...(kernel >= 0 ? { kernel } : {}),
      ...(fact.expression && fact.at.file === 0 ? { at: range(fact.at) } : {}),
    };
  });
  const refused = notSimulated.map(({ kernel: name, line, reason, fact }): LaunchSummary => {
    const kernel = own.findIndex((candidate) => candidate === fact?.kernel || candidate.name === name);
    return {
      kernelName: name,
      templateArguments: fact?.templateArguments ?? [],
      line,
      reason,
      ...(kernel >= 0 ? { kernel } : {}),
      ...(fact?.expression && fact.at.file === 0 ? { at: range(fact.at) } : {}),
    };
  });
  return [...simulated, ...refused].sort((a, b) => a.line - b.line);
}
