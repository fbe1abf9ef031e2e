/** What is made of one file: its findings and reports. What throws loses its own part, and is named. */
import { Cancelled, Work } from "@warplens/sim-engine";
import { analyze } from "../../analysis/analyze.ts";
import { unitKey } from "../../analysis/database/queries.ts";
import { readAssumeOption, readLaunchOption } from "../../analysis/directives.ts";
import type { Program } from "../../analysis/facts.ts";
import { takesOf } from "../../analysis/fitting.ts";
import { wordsOf } from "../../analysis/nvcc-options.ts";
import type { FileHost } from "../../analysis/settings.ts";
import { type Diagnostic, type FixProof, lint } from "../../lint.ts";
import { compileResources } from "../../nvcc/compile.ts";
import { type CompiledKernel, findCompiled, knownResources } from "../../nvcc/resources.ts";
import { notTried, triedEach, withProofs } from "../../proof/each.ts";
import { Prover } from "../../proof/prover.ts";
import { provedTogether } from "../../proof/together.ts";
import unusedSuppression from "../../rules/unused-suppression.ts";
import { refusedIn, type Simulation, simulateProgram } from "../../simulate.ts";
import { currentParser } from "../../syntax/current-parser.ts";
import type { ProgramTimeline } from "../../timeline/program-timeline.ts";
import { timelineOf } from "../../timeline/timeline.ts";
import { failedStage, stage } from "../../trace.ts";
import { lost } from "../git/names.ts";
import type { Budget } from "./budget.ts";
import { type Failure, type FileSimulation, type Job, type Names, type Outcome, tookTooLong, tookTooManySteps } from "./job.ts";

/**
 * Inspects a file as it is now: nothing of other files is remembered, so that the same job has the same outcome whatever was done
 * before it. The grammar must be loaded. Never rejects.
 * @param budget when it ends the launches that are left are not simulated, and the file failed: there may be more of it another time.
 *   Where the job's steps end they are not simulated either, but this is its outcome, whenever it is asked for
 * @param tell is told, before anything is simulated, and before fixes are tried, what comes of the file without: should it come to nothing
 *   more, this much is known
 */
export async function inspectFile(
  job: Job,
  disk: FileHost,
  budget: Budget,
  tell: (soFar: Outcome) => Promise<void> = () => Promise.resolve(),
): Promise<Outcome> {
  const failures: Failure[] = [];
  const notes: string[] = [];
  // A file of the same program may have been read for another job: what is made of its errors would depend on the tree left of that.
  currentParser().forgetAll();
  const attempt = <T>(name: string, work: () => T): T | undefined => {
    try {
      return stage(name, work);
    } catch (error) {
      const reason = error instanceof Cancelled ? tookTooLong(budget.seconds) : reasonOf(error);
      failures.push({ stage: failedStage(error) ?? name, reason });
      return undefined;
    }
  };
  const program = attempt("read", () => analyze(job.path, job.text, job.analysis, disk));
  notes.push(...(program?.buildProblems ?? []));
  // What is said of the file without that header is not of the file as it was.
  for (const { path, reason } of program?.reading.missingIncludes ?? [])
    if (reason === lost.reason) failures.push({ stage: "read", reason: `its header ${path} is not read: ${reason}` });
  const unread = program && mostlyUnread(job, program);
  if (unread !== undefined) notes.push(unread);
  const compiled = program && job.nvcc !== undefined ? await compiledBy(job.nvcc, job, program, notes) : [];
  if (program && job.simulates) await tell(withoutSimulation(job, program, notes));
  const simulation = program && job.simulates ? attempt("simulate", () => simulated(job, program, compiled, budget)) : undefined;
  if (simulation?.ended === "time") failures.push({ stage: "simulate", reason: tookTooLong(budget.seconds) });
  for (const { kernel, fault } of simulation?.notSimulated ?? [])
    if (fault !== undefined) failures.push({ stage: `simulation of ${kernel}`, reason: fault });
  const found = program && attempt("lint", () => findings(job, program, simulation, failures));
  // Trying fixes takes the program once more: what is known without is not to be lost where that is too much.
  if (found && job.proves !== undefined)
    await tell({ diagnostics: found, ...(simulation ? { simulation: plain(simulation, undefined) } : {}), failures, notes });
  const diagnostics = program && found && (attempt("fixes", () => provedFixes(job, program, found, disk, budget)) ?? found);
  // Of some kernels' launches alone it would be wrong, and where launches are not known nothing asks for them again.
  const isWhole = simulation !== undefined && !simulation.launchesUnknown && job.kernel === undefined;
  const timeline = program && isWhole ? attempt("time line", () => timelineOf(program, job.gpu, simulation.launches)) : undefined;
  const names = program && attempt("names", () => namesIn(job, program, simulation));
  return {
    ...(names ? { names } : {}),
    diagnostics: diagnostics ?? [],
    ...(simulation ? { simulation: plain(simulation, timeline) } : {}),
    failures,
    notes,
  };
}

/** Percent of a file. Of public CUDA sources 6 at most are within what does not parse; of other languages 38 at least. */
const mostUnparsed = 25;

/** That nothing is found in what is hardly CUDA C++, or lacks the headers that its macros stand in, says little. */
function mostlyUnread({ text }: Job, { unit, reading }: Program): string | undefined {
  const own = unit.errors.filter(({ start }) => reading.locate(start, start).file === 0);
  const unread = own.reduce((sum, { start, end }) => sum + end - start, 0);
  const percent = Math.floor((100 * unread) / Math.max(1, text.length));
  const [first] = own;
  if (!first || percent <= mostUnparsed) return undefined;
  return `line ${reading.position(0, reading.locate(first.start, first.start).start).line + 1}: from here on ${Math.min(100, percent)} % of the file do not parse as CUDA C++: what is said of it is incomplete`;
}

interface Simulated extends Simulation {
  /** What ended it before every launch was simulated or had a reason of its own. */
  readonly ended: "steps" | "time" | undefined;
  /** The steps were over before host code had been followed: what it launches would have to be looked for again. */
  readonly launchesUnknown?: true;
}

function simulated(job: Job, program: Program, compiled: readonly CompiledKernel[], budget: Budget): Simulated {
  const registers = new Map(job.registers);
  let ended: Simulated["ended"];
  const work: Work = new Work(Number.POSITIVE_INFINITY, () => {
    if (ended === undefined && work.taken > job.steps) ended = "steps";
    if (ended === undefined && budget.isOver()) ended = "time";
    return ended !== undefined;
  });
  try {
    const simulation = program.db.within(work, () =>
      simulateProgram(program, job.gpu, {
        work,
        onlyMade: true,
        whyEnded: (during) => (ended === "steps" ? tookTooManySteps(job.steps, during) : tookTooLong(budget.seconds)),
        registersOf(name, templateArguments) {
          const value = registers.get(name);
          return value === undefined ? knownResources(findCompiled(compiled, name, templateArguments)) : { value, basis: "annotated" };
        },
        ...(job.kernel === undefined ? {} : { kernel: job.kernel }),
      }),
    );
    return { ...simulation, ended };
  } catch (error) {
    if (!(error instanceof Cancelled) || ended !== "steps") throw error;
    return { ...noneSimulated(job, program, tookTooManySteps(job.steps, failedStage(error))), ended, launchesUnknown: true };
  }
}

/** Each kernel of the file with the reason, where nothing is known of its launches. */
function noneSimulated({ kernel: only }: Job, { kernels, reading }: Program, reason: string): Simulation {
  const asked = kernels.filter(({ name, at }) => at.file === 0 && (only === undefined || only === name));
  const lineOf = ({ nameAt }: (typeof asked)[number]): number => reading.position(nameAt.file, nameAt.start).line + 1;
  return { launches: [], notSimulated: asked.map((of) => ({ kernel: of.name, line: lineOf(of), reason, of })) };
}

function namesIn({ analysis, kernel, registers }: Job, { kernels, items, semantics }: Program, simulation: Simulation | undefined): Names {
  const isMentioned = (name: string): boolean => items.some(({ words }) => words.has(name));
  const assumed = analysis.assume.map(readAssumeOption).flatMap((option) => ("problem" in option ? [] : [option]));
  const asked = [
    ...analysis.launches.map(readLaunchOption).flatMap((option) => ("problem" in option ? [] : [option.kernel])),
    ...assumed.flatMap((option) => option.kernel ?? []),
    ...registers.map(([name]) => name),
    ...(kernel === undefined ? [] : [kernel]),
  ];
  const own = kernels.map(({ name, declaration }) => ({
    name,
    parameters: declaration.parameters.flatMap((each) => {
      const takes = takesOf(semantics.declaredType(each, undefined));
      return each.name === undefined ? [] : [{ name: each.name, ...(takes === undefined ? {} : { takes }) }];
    }),
  }));
  // What a file launches and another one defines; where launches were not looked for whatever it mentions may be that.
  const launched = simulation
    ? [...simulation.launches.map(({ fact }) => fact.kernelName), ...simulation.notSimulated.map((each) => each.kernel)]
    : asked.filter(isMentioned);
  const others = [...new Set(launched)].filter((name) => !own.some((each) => each.name === name));
  return {
    kernels: [...own, ...others.map((name) => ({ name }))],
    mentioned: assumed.flatMap((option) => (option.kernel === undefined && isMentioned(option.parameter) ? [option.parameter] : [])),
  };
}

/** What fails here fails again, and is told then. */
function withoutSimulation(job: Job, program: Program, notes: readonly string[]): Outcome {
  const failures: Failure[] = [];
  try {
    return { diagnostics: stage("lint", () => findings(job, program, undefined, failures, true)), failures, notes };
  } catch {
    return { diagnostics: [], failures, notes };
  }
}

/** @param partly nothing asks for launches, and more may be found later */
function findings(
  job: Job,
  program: Program,
  simulation: Simulated | undefined,
  failures: Failure[],
  partly = false,
): Outcome["diagnostics"] {
  const settings = {
    ...job.lint,
    // Where the launches could not be had nothing asks for them again.
    ...(partly || (job.simulates && (!simulation || simulation.launchesUnknown)) ? { quick: true } : {}),
    // What failed, or was not come to, might have used a suppression.
    ...(partly || failures.length > 0 || simulation?.ended !== undefined
      ? { ignore: [...(job.lint.ignore ?? []), unusedSuppression.id] }
      : {}),
  };
  const failed = (rule: string, error: unknown): void => void failures.push({ stage: rule, reason: reasonOf(error) });
  return lint(program, simulation?.launches, settings, failed, refusedIn(simulation?.notSimulated ?? []));
}

/** The findings with the proofs of their fixes, where those are wanted: as many of them as steps and time are enough for. */
function provedFixes(
  { proves, analysis, gpu, steps }: Job,
  program: Program,
  found: readonly Diagnostic[],
  files: FileHost,
  budget: Budget,
): readonly Diagnostic[] {
  if (proves === undefined) return found;
  const work: Work = new Work(steps, () => work.taken > steps || budget.isOver());
  if (proves === "each") {
    const prover = new Prover(files);
    const subject = { program, settings: analysis, gpu };
    return withProofs(
      found,
      triedEach(program, found.entries(), (proposal) => (work.isOver ? notTried : attempted(() => prover.prove(subject, proposal, work)))),
    );
  }
  return provedTogether({ program, settings: analysis, gpu, files, unsafe: proves === "all" }, found, work);
}

function attempted(prove: () => FixProof): FixProof {
  try {
    return prove();
  } catch (error) {
    if (error instanceof Cancelled) return notTried;
    throw error;
  }
}

/** The kernels as the user's nvcc compiles them. */
async function compiledBy(nvcc: string, job: Job, { reading, db, files }: Program, notes: string[]): Promise<readonly CompiledKernel[]> {
  const { path, text, analysis } = job;
  const { computeCapability, defines, includeDirs } = analysis;
  const options = wordsOf(db.get(files.code, unitKey(path, analysis)).options);
  const headers = reading.sources.slice(1);
  const answer = await compileResources(nvcc, { path, text, headers, computeCapability, defines, includeDirs, options });
  if ("kernels" in answer) return answer.kernels;
  notes.push(answer.problem);
  return [];
}

const plain = ({ launches, notSimulated }: Simulation, program: ProgramTimeline | undefined): FileSimulation => ({
  launches: launches.map(({ fact: { line }, report }) => ({ line, report })),
  notSimulated: notSimulated.map(({ kernel, line, reason }) => ({ kernel, line, reason })),
  ...(program ? { program } : {}),
});

/** The first line, which says what is wrong; the rest says where in the bundle. */
const reasonOf = (error: unknown): string => String(error).split("\n", 1)[0] ?? "";
