/** What is made of one file: its findings and reports. What throws loses its own part, and is named. */
import { analyze } from "../../analysis/analyze.ts";
import type { Program } from "../../analysis/facts.ts";
import type { FileHost } from "../../analysis/settings.ts";
import { lint } from "../../lint.ts";
import { compileResources } from "../../nvcc/compile.ts";
import { type CompiledKernel, findCompiled, knownResources } from "../../nvcc/resources.ts";
import { type KnownRegisters, type Simulation, simulateProgram } from "../../simulate.ts";
import { failedStage } from "../../trace.ts";
import type { Failure, FileSimulation, Job, Outcome } from "./job.ts";

/**
 * Inspects a file as it is now: nothing of other files is remembered, so that the same job has the same outcome whatever was done
 * before it. The grammar must be loaded. Never rejects.
 */
export async function inspectFile(job: Job, disk: FileHost): Promise<Outcome> {
  const failures: Failure[] = [];
  const notes: string[] = [];
  const attempt = async <T>(stage: string, work: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      failures.push({ stage: failedStage(error) ?? stage, reason: reasonOf(error) });
      return undefined;
    }
  };
  const program = await attempt("read", () => analyze(job.path, job.text, job.analysis, disk));
  notes.push(...(program?.buildProblems ?? []));
  const simulation = program && job.simulates ? await attempt("simulate", () => simulated(job, program, notes)) : undefined;
  const diagnostics =
    program &&
    (await attempt("rules", () => {
      // Where the launches cannot be had nothing asks for them again.
      const settings = job.simulates && !simulation ? { ...job.lint, quick: true } : job.lint;
      return lint(program, simulation?.launches, settings, (rule, error) => failures.push({ stage: rule, reason: reasonOf(error) }));
    }));
  for (const { kernel, fault } of simulation?.notSimulated ?? [])
    if (fault !== undefined) failures.push({ stage: `simulation of ${kernel}`, reason: fault });
  return { diagnostics: diagnostics ?? [], ...(simulation ? { simulation: plain(simulation) } : {}), failures, notes };
}

async function simulated(job: Job, program: Program, notes: string[]): Promise<Simulation> {
  const compiled = await compiledBy(job, program, notes);
  const given = new Map(job.registers);
  return simulateProgram(program, job.gpu, {
    registersOf(name, templateArguments): KnownRegisters | undefined {
      const value = given.get(name);
      return value === undefined ? knownResources(findCompiled(compiled, name, templateArguments)) : { value, basis: "annotated" };
    },
    ...(job.kernel === undefined ? {} : { kernel: job.kernel }),
  });
}

/** The kernels as the user's nvcc compiles them; none unless it is asked for. */
async function compiledBy({ nvcc, path, text, analysis }: Job, { reading }: Program, notes: string[]): Promise<readonly CompiledKernel[]> {
  if (nvcc === undefined) return [];
  const { computeCapability, defines, includeDirs } = analysis;
  const answer = await compileResources(nvcc, { path, text, headers: reading.sources.slice(1), computeCapability, defines, includeDirs });
  if ("kernels" in answer) return answer.kernels;
  notes.push(answer.problem);
  return [];
}

const plain = ({ launches, notSimulated }: Simulation): FileSimulation => ({
  launches: launches.map(({ fact: { line }, report }) => ({ line, report })),
  notSimulated: notSimulated.map(({ kernel, line, reason }) => ({ kernel, line, reason })),
});

/** The first line, which says what is wrong; the rest says where in the bundle. */
const reasonOf = (error: unknown): string => String(error).split("\n", 1)[0] ?? "";
