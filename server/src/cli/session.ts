/** From options and `warplens.json` to what decides how each file is inspected. */
import { availableParallelism, totalmem } from "node:os";
import path from "node:path";
import type { GpuModel } from "@warplens/sim-engine";
import { openQuote, splitWords } from "../analysis/command-words.ts";
import { type MacroOption, macrosIn, readMacroOption } from "../analysis/macro-option.ts";
import { type NvccOptions, readNvccOptions } from "../analysis/nvcc-options.ts";
import type { AnalysisSettings } from "../analysis/settings.ts";
import { isFolder, isHomeOrAbove, slashes } from "../files.ts";
import { visibleName } from "../foreign-text.ts";
import type { LintSettings } from "../lint.ts";
import { selectorProblem } from "../rules/selection.ts";
import { capabilityNumber, devicePropertiesOf } from "../simulate/device-properties.ts";
import { cacheFolder } from "./cache/cache-folder.ts";
import { OutcomeCache } from "./cache/outcome-cache.ts";
import { disk, type Files } from "./files.ts";
import { defaultGpu, gpuNamed } from "./gpu-option.ts";
import type { Input } from "./inputs.ts";
import { type Io, UsageError } from "./io.ts";
import type { Job } from "./jobs/job.ts";
import type { RunSettings } from "./jobs/run-jobs.ts";
import { isIn } from "./names.ts";
import { type Given, wholeNumber } from "./options.ts";
import { type ProjectFolder, ProjectFolders } from "./project-folders.ts";
import type { FileResult } from "./report.ts";
import { SaidOptions } from "./said-options.ts";

/** Steps that simulating one file may take where many are gone through: less than ten seconds on a core of its own. */
const usualSteps = 6_000_000;
/** The time of one file, should its steps take longer than they do on any machine in use. */
const usualSeconds = 60;
/** More processes than any machine has cores for. */
const mostJobs = 1024;
/** Bytes of memory that files inspected at once may need each. */
const memoryEach = 2 ** 30;

function usualJobs(): number {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  return Math.max(1, Math.min(availableParallelism(), Math.floor(memory / memoryEach)));
}

export class Session {
  readonly #io: Io;
  readonly #given: Given;
  readonly #projects: ProjectFolders;
  readonly #said: SaidOptions;
  readonly #argv: readonly string[] | undefined;
  readonly #select: readonly string[];
  readonly #ignore: readonly string[];
  readonly #atOnce: number;
  readonly #seconds: number;
  readonly #steps: number;
  /** What options say of code. */
  readonly #options: NvccOptions;
  readonly #defines: NvccOptions["defines"];
  /** Problems of settings that cost nothing but what they ask for: told once. */
  readonly #told = new Set<string>();

  /** Where files are read. */
  readonly files: Files;

  /**
   * Checks the options. Throws a UsageError.
   * @param steps that simulating one file may take, if no option says how many
   */
  constructor(io: Io, given: Given, files: Files = disk, steps = usualSteps) {
    this.files = files;
    this.#io = io;
    this.#given = given;
    this.#projects = new ProjectFolders(io.cwd, files);
    this.#said = new SaidOptions(given, (option) => `--${option}`);
    this.#options = nvccOptions("--nvcc-options", given["nvcc-options"], slashes(io.cwd));
    this.#defines = (given.define ?? []).map(defineOf);
    this.#argv = given.argv === undefined ? undefined : wordsOf("--argv", given.argv);
    this.#select = selectorsOf("--select", given.select);
    this.#ignore = selectorsOf("--ignore", given.ignore);
    this.#atOnce = given.jobs === undefined ? usualJobs() : wholeNumber("--jobs", given.jobs, 1);
    if (this.#atOnce > mostJobs) throw new UsageError(`--jobs must be at most ${mostJobs}: ${given.jobs}`);
    this.#seconds = given.timeout === undefined ? usualSeconds : wholeNumber("--timeout", given.timeout, 1);
    this.#steps = given.steps === undefined ? steps : wholeNumber("--steps", given.steps, 1);
  }

  /** How files are inspected. Throws a UsageError where the cache cannot be where the user says. */
  runSettings(inputs: readonly Input[]): RunSettings {
    const near = inputs[0] ? path.dirname(inputs[0].path) : this.#io.cwd;
    // What an nvcc says is not known from files of the project alone.
    const folder = (this.#given.nvcc ?? "off") === "off" ? cacheFolder(this.#given, this.#io, near) : undefined;
    const build = folder === undefined ? undefined : this.#io.build();
    const cache = folder === undefined || build === undefined ? undefined : new OutcomeCache(folder, build, this.files);
    return { atOnce: this.#atOnce, seconds: this.#seconds, cache };
  }

  /**
   * Throws a UsageError where options name kernels and parameters that are not there. Tells of those that a `warplens.json` names, where
   * all of its folder was searched: they may be in a file that was not.
   * @param files all files of the run
   * @returns whether nothing had to be told
   */
  holdNames(files: readonly FileResult[]): boolean {
    this.#said.hold(files);
    const own = files.filter(({ names, failures }) => names || failures.length > 0);
    const settings = own.map((file) => this.#settingsOf(file));
    const problems = [...new Set(settings)].flatMap((project) => {
      const of = own.filter((_, index) => settings[index] === project);
      const problem =
        project && of.some(({ input }) => input.folder !== undefined && isIn(input.folder, slashes(project.root)))
          ? this.#unknownIn(project, of)
          : undefined;
      return problem ?? [];
    });
    for (const problem of problems) this.tell(problem);
    return problems.length === 0;
  }

  #settingsOf({ input }: FileResult): ProjectFolder | undefined {
    try {
      return this.#projects.of(path.dirname(input.path));
    } catch {
      return undefined;
    }
  }

  #unknownIn({ root, file: { launches = [], assume = [] } }: ProjectFolder, files: readonly FileResult[]): string | undefined {
    if (launches.length + assume.length === 0) return undefined;
    const name = path.relative(this.#io.cwd, path.join(root, "warplens.json"));
    const said = new SaidOptions({ launch: launches, assume }, (option) => `${name}: ${option === "launch" ? "launches" : option}`);
    try {
      said.hold(files);
    } catch (error) {
      if (error instanceof UsageError) return error.message;
      throw error;
    }
    return undefined;
  }

  /** Tells a problem of the settings, once. */
  tell(problem: string): void {
    if (this.#told.has(problem)) return;
    this.#told.add(problem);
    this.#io.error(`${problem}\n`);
  }

  /** The project of the working directory. */
  get project(): ProjectFolder {
    return this.#projects.of(this.#io.cwd);
  }

  /**
   * The models asked for: by option, by the project's file, else the default. The project is that of the first input whose settings can be
   * read. Throws a UsageError where those of none can.
   */
  gpus(inputs: readonly Input[] = []): readonly GpuModel[] {
    const { root, file } = this.#firstProject(inputs);
    if (this.#given.gpu !== undefined) return this.#given.gpu.split(",").map((name) => gpuNamed(name, file.gpus));
    if (file.gpu !== undefined && file.gpu !== "auto") return [gpuNamed(file.gpu, file.gpus, `${root}/warplens.json`)];
    return [gpuNamed(defaultGpu)];
  }

  /**
   * The only model asked for. Throws a UsageError when there are several.
   * @param name goes before the option and the project's file
   */
  gpu(name: string | undefined, inputs?: readonly Input[]): GpuModel {
    if (name !== undefined) return gpuNamed(name, this.project.file.gpus);
    const [gpu, ...others] = this.gpus(inputs);
    if (!gpu || others.length > 0) throw new UsageError("this takes one GPU; compare several with `warplens simulate --gpu a,b`");
    return gpu;
  }

  #firstProject(inputs: readonly Input[]): ProjectFolder {
    let problem: unknown;
    for (const folder of inputs.length > 0 ? inputs.map((input) => path.dirname(input.path)) : [this.#io.cwd])
      try {
        return this.#projects.of(folder);
      } catch (error) {
        problem ??= error;
      }
    throw problem;
  }

  /** Throws a UsageError where the file's `warplens.json` is wrong. */
  job(input: Input, gpu: GpuModel, simulates: boolean): Job {
    const { kernel, nvcc = "off" } = this.#given;
    const proves = this.#proves();
    return {
      path: input.path,
      text: input.text,
      gpu,
      analysis: this.#analysis(input, gpu),
      lint: this.#lintSettings(input),
      simulates,
      ...(proves ? { proves } : {}),
      steps: this.#steps,
      registers: this.#said.registers,
      ...(kernel === undefined ? {} : { kernel }),
      ...(nvcc === "off" ? {} : { nvcc }),
      ...(this.files.revision === undefined ? {} : { revision: this.files.revision }),
    };
  }

  /** The fixes that are to be tried. */
  #proves(): Job["proves"] {
    const { fix, diff, prove, "unsafe-fixes": unsafe } = this.#given;
    if (fix || diff) return unsafe ? "all" : "safe";
    return prove ? "each" : undefined;
  }

  #lintSettings(input: Input): LintSettings {
    const { file } = this.#projects.of(path.dirname(input.path));
    return {
      select: this.#select.length > 0 ? this.#select : (file.select ?? []),
      ignore: [...this.#ignore, ...(file.ignore ?? [])],
      ...(file.rules ? { rules: file.rules } : {}),
      ...(file.leastGain === undefined ? {} : { leastGain: file.leastGain }),
    };
  }

  simulates(input: Input): boolean {
    return !input.isIncluded && !this.#given["no-simulate"] && this.#projects.of(path.dirname(input.path)).file.simulate !== false;
  }

  /** Those that are not there are told: compilers look past them in silence, and headers are missed. */
  #folders(where: string, folders: readonly string[] = [], from: string): string[] {
    return folders.map((folder) => {
      const absolute = path.resolve(from, folder);
      if (!this.files.revision && isFolder(absolute) !== true) this.tell(`${where}: there is no folder ${folder}`);
      return absolute;
    });
  }

  #analysis(input: Input, gpu: GpuModel): AnalysisSettings {
    const { root, file } = this.#projects.of(path.dirname(input.path));
    const given = this.#given;
    const { cwd } = this.#io;
    const settings = path.relative(cwd, path.join(root, "warplens.json"));
    const told = [nvccOptions(settings, file.nvccOptions, slashes(root)), this.#options];
    return {
      computeCapability: capabilityNumber(gpu.computeCapability),
      defines: [...told.flatMap(({ defines }) => defines), ...macrosIn(file.defines ?? []), ...this.#defines],
      code: Object.assign({}, ...told.map(({ code }) => code)),
      includeDirs: [
        ...told.flatMap(({ includeDirs }) => includeDirs),
        ...this.#folders("--include", given.include, cwd),
        ...this.#folders(`${settings}: includeDirs`, file.includeDirs, root),
      ].map(slashes),
      // Who works in the home folder has not all of it for a project.
      roots: [
        ...[cwd, root].filter((folder) => !isHomeOrAbove(folder)).map(slashes),
        ...(input.folder === undefined ? [] : [input.folder]),
      ],
      launches: [...(file.launches ?? []), ...(given.launch ?? [])],
      assume: [...(file.assume ?? []), ...(given.assume ?? [])],
      argv: this.#argv ?? file.argv ?? [],
      device: devicePropertiesOf(gpu),
    };
  }
}

/** What is said of code, and where. Throws a UsageError where it cannot be read. */
function nvccOptions(where: string, texts: readonly string[] = [], directory: string): NvccOptions {
  const told = readNvccOptions(
    texts.flatMap((text) => wordsOf(where, text)),
    directory,
  );
  const [problem] = told.problems;
  if (problem !== undefined) throw new UsageError(`${where} ${problem}`);
  return told;
}

function wordsOf(where: string, text: string): string[] {
  const quote = openQuote(text);
  if (quote !== "") throw new UsageError(`${where}: nothing closes the ${quote} in ${visibleName(text)}`);
  return splitWords(text);
}

function defineOf(text: string): MacroOption {
  const macro = readMacroOption(text);
  if ("problem" in macro) throw new UsageError(`--define: ${macro.problem}`);
  return macro;
}

function selectorsOf(option: string, given: readonly string[] = []): string[] {
  const selectors = given.flatMap((text) => text.split(",")).map((text) => text.trim());
  for (const selector of selectors) {
    if (selector === "") throw new UsageError(`${option}: a name is empty in '${visibleName(given.join(" "))}'`);
    const problem = selectorProblem(selector);
    if (problem !== undefined) throw new UsageError(`${option}: ${problem}`);
  }
  return selectors;
}
