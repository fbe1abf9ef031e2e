/** Runs a simulation job: analysis, simulation and every rule, gathered into what the editor shows. */
import type { Kernel } from "@warplens/sim-engine";
import { analyze } from "../analysis/analyze.ts";
import type { FileHost, KernelFact, Program } from "../analysis/facts.ts";
import { lint } from "../lint.ts";
import { findCompiled } from "../nvcc/resources.ts";
import { type Simulation, simulateProgram } from "../simulate.ts";
import type { FileSimulation, Job, KernelSummary, LaunchSummary, Range } from "./job.ts";

/**
 * @param disk files that are not open in the editor
 * @returns undefined when it was cancelled
 */
export function runJob(
  job: Job,
  disk: FileHost,
  isCancelled: () => boolean,
  log: (message: string) => void = () => undefined,
): FileSimulation | undefined {
  const files: FileHost = { ...disk, read: (path) => job.overlays[path] ?? disk.read(path) };
  const program = analyze(job.path, job.text, job.analysis, files);
  if (isCancelled()) return undefined;
  const simulation = simulateProgram(program, job.gpu, {
    isCancelled,
    registersOf(name, templateArguments) {
      const found = findCompiled(job.compiled ?? [], name, templateArguments);
      return found && { value: found.registers, basis: "compiled" };
    },
  });
  if (isCancelled()) return undefined;
  return {
    kernels: program.kernels.filter(inFile).map((kernel) => kernelSummary(kernel, program, simulation)),
    launches: launchSummaries(program, simulation),
    diagnostics: lint(program, simulation.launches, job.lint, log),
  };
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
