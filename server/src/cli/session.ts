/** From options and `warplens.json` to programs, simulations and findings. */
import path from "node:path";
import type { GpuModel } from "@warplens/sim-engine";
import type { Program } from "../analysis/facts.ts";
import { ProgramDatabase } from "../analysis/program-database.ts";
import type { AnalysisSettings } from "../analysis/settings.ts";
import { diskFiles } from "../files.ts";
import { loadNativeGrammarFromDisk } from "../grammar.ts";
import type { LintSettings } from "../lint.ts";
import { compileResources } from "../nvcc/compile.ts";
import { type CompiledKernel, findCompiled, knownResources } from "../nvcc/resources.ts";
import { selectorProblem } from "../rules/selection.ts";
import { capabilityNumber, devicePropertiesOf } from "../simulate/device-properties.ts";
import { type Simulation, type SimulationOptions, simulateProgram } from "../simulate.ts";
import { defaultGpu, gpuNamed } from "./gpu-option.ts";
import type { Input } from "./inputs.ts";
import { type Io, UsageError } from "./io.ts";
import { type Given, wholeNumber } from "./options.ts";
import { ProjectFolders } from "./project-folders.ts";

/** Files after which what is known of the files before is forgotten. */
const forgetAfter = 8;

export class Session {
  readonly #programs = new Map<GpuModel, ProgramDatabase>();
  #analysed = 0;
  readonly #io: Io;
  readonly #given: Given;
  readonly #projects: ProjectFolders;
  readonly #registers: ReadonlyMap<string, number>;
  readonly #select: readonly string[];
  readonly #ignore: readonly string[];

  private constructor(io: Io, given: Given) {
    this.#io = io;
    this.#given = given;
    this.#projects = new ProjectFolders(io.cwd);
    this.#registers = registersOf(given);
    this.#select = selectorsOf("--select", given.select);
    this.#ignore = selectorsOf("--ignore", given.ignore);
  }

  /** Checks the options and loads the grammar. Throws a UsageError. */
  static async open(io: Io, given: Given): Promise<Session> {
    const session = new Session(io, given);
    await loadNativeGrammarFromDisk();
    return session;
  }

  /** The models asked for: by option, by the project's file, else the default. */
  gpus(input: Input | undefined): readonly GpuModel[] {
    const { root, file } = this.#projects.of(input ? path.dirname(input.path) : this.#io.cwd);
    if (this.#given.gpu !== undefined) return this.#given.gpu.split(",").map((name) => gpuNamed(name, file.gpus));
    if (file.gpu !== undefined && file.gpu !== "auto") return [gpuNamed(file.gpu, file.gpus, `${root}/warplens.json`)];
    return [gpuNamed(defaultGpu)];
  }

  /** Files on disk are others than they were: what is known of them is forgotten. */
  filesChanged(): void {
    this.#programs.clear();
  }

  async analyse(input: Input, gpu: GpuModel): Promise<Program> {
    // Trees of the native parser are freed between turns only.
    await new Promise((resolve) => setImmediate(resolve));
    // Of a file what it tells others is kept for a while: most often the next one asks for it.
    if (this.#analysed++ % forgetAfter === 0) this.#programs.clear();
    const programs = this.#programs.get(gpu) ?? new ProgramDatabase(diskFiles);
    this.#programs.set(gpu, programs);
    programs.setText(input.path, input.text);
    programs.configure(input.path, this.#settings(input, gpu));
    return programs.program(input.path);
  }

  async simulate(input: Input, program: Program, gpu: GpuModel): Promise<Simulation> {
    const { kernel } = this.#given;
    const compiled = await this.#compiled(input, program, gpu);
    const options: SimulationOptions = {
      registersOf: (name, templateArguments) => {
        const given = this.#registers.get(name);
        if (given !== undefined) return { value: given, basis: "annotated" };
        return knownResources(findCompiled(compiled, name, templateArguments));
      },
      ...(kernel === undefined ? {} : { kernel }),
    };
    return simulateProgram(program, gpu, options);
  }

  /** The kernels as the user's nvcc compiles them; none unless --nvcc asks for it. */
  async #compiled(input: Input, { reading }: Program, gpu: GpuModel): Promise<readonly CompiledKernel[]> {
    const { nvcc = "off" } = this.#given;
    if (nvcc === "off") return [];
    const { path: file, text } = input;
    const { computeCapability, defines, includeDirs } = this.#settings(input, gpu);
    const answer = await compileResources(nvcc, {
      path: file,
      text,
      headers: reading.sources.slice(1),
      computeCapability,
      defines,
      includeDirs,
    });
    if ("kernels" in answer) return answer.kernels;
    this.#io.error(`${input.name}: ${answer.problem}\n`);
    return [];
  }

  lintSettings(input: Input): LintSettings {
    const { file } = this.#projects.of(path.dirname(input.path));
    return {
      select: this.#select.length > 0 ? this.#select : (file.select ?? []),
      ignore: [...this.#ignore, ...(file.ignore ?? [])],
      ...(file.rules ? { levels: file.rules } : {}),
    };
  }

  simulates(input: Input): boolean {
    return !this.#given["no-simulate"] && this.#projects.of(path.dirname(input.path)).file.simulate !== false;
  }

  #settings(input: Input, gpu: GpuModel): AnalysisSettings {
    const { root, file } = this.#projects.of(path.dirname(input.path));
    const given = this.#given;
    const { cwd } = this.#io;
    return {
      computeCapability: capabilityNumber(gpu.computeCapability),
      defines: [...(file.defines ?? []), ...(given.define ?? [])].map(defineOf),
      includeDirs: [
        ...(given.include ?? []).map((folder) => path.resolve(cwd, folder)),
        ...(file.includeDirs ?? []).map((folder) => path.resolve(root, folder)),
      ].map(slashes),
      launches: [...(file.launches ?? []), ...(given.launch ?? [])],
      assume: [...(file.assume ?? []), ...(given.assume ?? [])],
      argv: given.argv === undefined ? (file.argv ?? []) : wordsOf(given.argv),
      device: devicePropertiesOf(gpu),
    };
  }
}

const slashes = (folder: string): string => folder.replaceAll(path.sep, "/");

function defineOf(text: string): { readonly name: string; readonly value?: string } {
  const [, name, value] = /^([A-Za-z_]\w*)(?:=([\s\S]*))?$/.exec(text) ?? [];
  if (name === undefined) throw new UsageError(`not a macro: ${text}; write NAME or NAME=VALUE`);
  return value === undefined ? { name } : { name, value };
}

function registersOf(given: Given): ReadonlyMap<string, number> {
  return new Map(
    (given.registers ?? []).map((text): [string, number] => {
      const [, kernel, count] = /^([\w:]+)=(\d+)$/.exec(text) ?? [];
      if (kernel === undefined || count === undefined) throw new UsageError(`--registers must be KERNEL=N: ${text}`);
      return [kernel, wholeNumber("--registers", count, 1)];
    }),
  );
}

function selectorsOf(option: string, given: readonly string[] = []): string[] {
  const selectors = given
    .flatMap((text) => text.split(","))
    .map((text) => text.trim())
    .filter((text) => text !== "");
  for (const selector of selectors) {
    const problem = selectorProblem(selector);
    if (problem !== undefined) throw new UsageError(`${option}: ${problem}`);
  }
  return selectors;
}

/** A command line's words, as a shell would part them: spaces, with single and double quotes. */
function wordsOf(text: string): string[] {
  return [...text.matchAll(/(?:[^\s"']+|"(?:[^"\\]|\\.)*"|'[^']*')+/g)].map(([word]) =>
    word.replace(
      /"((?:[^"\\]|\\.)*)"|'([^']*)'/g,
      (_, double?: string, single?: string) => double?.replace(/\\(.)/g, "$1") ?? single ?? "",
    ),
  );
}
