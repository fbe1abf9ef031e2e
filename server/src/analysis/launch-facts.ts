/** The launches of a file as facts: those of its host code, those the user adds, and one for each kernel that has none. */
import { type Assumption, Cancelled, estimateResources, type Kernel, type KernelResources, type Work } from "@warplens/sim-engine";
import type { Expression, FunctionDeclaration, Node } from "../syntax/ast.ts";
import type { Place } from "../syntax/reading.ts";
import { stage } from "../trace.ts";
import type { Directive } from "./directives.ts";
import { type AnalysisSettings, type KernelFact, type LaunchFact, NotSimulated } from "./facts.ts";
import { type Elsewhere, type EvaluatedLaunch, FileEvaluation } from "./host/file-evaluation.ts";
import type { LaunchEntry, ResolveLaunch } from "./host/launches/launch-entry.ts";
import { functionName } from "./host/launches/launch-sites.ts";
import type { KernelResourcesOf } from "./host/memory/interpreter.ts";
import type { RunProgram } from "./host/run.ts";
import type { TemplateValue, Value } from "./host/values/model.ts";
import { int, integerOf, unknown } from "./host/values/values.ts";
import { type EngineLaunch, launchForEngine, type OpenLaunch } from "./launch-for-engine.ts";
import { type GlobalContent, lowerInstance } from "./lower-instance.ts";
import type { RunCommand } from "./makefile.ts";
import type { ProgramLinker, ProgramUnit } from "./program-linker.ts";
import { assumedTemplateArguments } from "./sema/assumed-templates.ts";
import type { Semantics } from "./sema/index.ts";
import { valueName } from "./sema/type-tools.ts";
import type { Substitution } from "./sema/types.ts";
import { unknownArguments } from "./unlaunched.ts";
import type { UserDirectives } from "./user-directives.ts";

export interface FileFacts {
  readonly own: ProgramUnit;
  readonly project: ProgramLinker;
  readonly settings: AnalysisSettings;
  readonly kernels: readonly KernelFact[];
  readonly directives: UserDirectives;
  /** Where the settings' `argv` comes from, where the user does not say it. */
  readonly run?: RunCommand;
  /** Asked while launches are found, and without a limit; lowering them, later, has work of its own. */
  readonly work?: Work;
}

/** In source order of the sites; launches without a site stand where their kernel does. Throws `Cancelled`. */
export function launchFacts(file: FileFacts): LaunchFact[] {
  const { own, project, directives } = file;
  const isOwn = (site: Expression) => own.reading.locate(site.start, site.end).file === 0;
  const hasMain = own.semantics.functions.some((fn) => functionName(fn) === "main");
  const main = hasMain || !own.sites.sites.some(isOwn) ? undefined : project.main();
  const evaluated = new FileEvaluation(
    programOf(file, own),
    directives.inputs,
    isOwn,
    main && { ...main, ...translation(own, main.unit) },
  ).launches();
  const used = new Map<string, number>();
  const facts = evaluated.map((launch) => siteFact(file, launch, nextOption(file, launch.entry.kernelName, used)));
  const launched = new Set(facts.map((fact) => fact.kernelName));
  const others = new OtherFiles(file);
  for (const kernel of file.kernels) {
    const options = directives.options(kernel.name).slice(used.get(kernel.name) ?? 0);
    if (launched.has(kernel.name)) {
      if ((used.get(kernel.name) ?? 0) > 0) for (const option of options) facts.push(factWithoutSite(file, kernel, option));
    } else if (options.length > 0) for (const option of options) facts.push(factWithoutSite(file, kernel, option));
    else if (kernel.at.file === 0) facts.push(...unlaunchedFacts(file, kernel, others));
  }
  return facts.sort((a, b) => a.at.file - b.at.file || a.at.start - b.at.start);
}

/** What instances of kernels take of an SM, each estimated once. */
function resourcesOf({ own, project, settings, work }: FileFacts): KernelResourcesOf {
  const known = new Map<FunctionDeclaration, Map<Substitution | undefined, KernelResources | undefined>>();
  return (kernel, substitution) => {
    const instances = known.get(kernel) ?? new Map<Substitution | undefined, KernelResources | undefined>();
    known.set(kernel, instances);
    if (!instances.has(substitution))
      instances.set(substitution, estimated(project.unitOf(kernel) ?? own, kernel, substitution, settings, work));
    return instances.get(substitution);
  };
}

function estimated(
  unit: ProgramUnit,
  kernel: FunctionDeclaration,
  substitution: Substitution | undefined,
  settings: AnalysisSettings,
  work: Work | undefined,
): KernelResources | undefined {
  try {
    const lowered = lowerInstance(unit, kernel, substitution, settings, (_name, initial) => initial, work);
    return stage("estimate resources", () => estimateResources(lowered, settings.computeCapability, work));
  } catch (error) {
    if (error instanceof Cancelled) throw error;
    // The launch itself says why the kernel cannot be simulated.
    return undefined;
  }
}

/** How launches of a file that includes the opened one are launches of the opened one. */
function translation(own: ProgramUnit, other: ProgramUnit): Pick<Elsewhere, "translate"> {
  if (!other.reading.files.includes(own.path)) return {};
  const key = ({ reading }: ProgramUnit, node: Node) => {
    const { file, start } = reading.locate(node.start, node.end);
    return `${reading.files[file]}:${start}`;
  };
  const sites = new Map(own.sites.sites.map((site) => [key(own, site), site]));
  const functions = new Map(own.semantics.functions.map((fn) => [key(own, fn.nameSpan), fn]));
  const translate = (launch: LaunchEntry): LaunchEntry => {
    const site = sites.get(key(other, launch.site));
    if (site === undefined) return launch;
    const kernel = launch.kernel === undefined ? undefined : functions.get(key(other, launch.kernel.nameSpan));
    if (kernel === undefined) return { ...launch, site };
    const values = launch.templateArguments.filter((value) => value !== undefined);
    const substitution = values.length === 0 ? undefined : own.semantics.substitutionFor(kernel, values);
    const { substitution: _, ...rest } = launch;
    return { ...rest, site, kernel, ...(substitution === undefined ? {} : { substitution }) };
  };
  return { translate };
}

/** A kernel this file does not launch: as another file of the project does, else as it might be. */
function unlaunchedFacts(file: FileFacts, kernel: KernelFact, others: OtherFiles): LaunchFact[] {
  const launches = others.launchesOf(kernel.name);
  return launches.length === 0 ? [factWithoutSite(file, kernel, undefined)] : launches.map((launch) => remoteFact(file, kernel, launch));
}

interface RemoteLaunch {
  readonly launch: EvaluatedLaunch;
  /** `main.cu:12` */
  readonly where: string;
}

/** Launches that other files make, each file evaluated once. */
class OtherFiles {
  readonly #file: FileFacts;
  readonly #evaluated = new Map<ProgramUnit, readonly EvaluatedLaunch[]>();

  constructor(file: FileFacts) {
    this.#file = file;
  }

  launchesOf(kernel: string): RemoteLaunch[] {
    const { project, directives } = this.#file;
    const unit = project.launcherOf(kernel);
    if (unit === undefined) return [];
    const known = this.#evaluated.get(unit);
    const evaluated = known ?? new FileEvaluation(programOf(this.#file, unit), directives.inputs, () => true).launches();
    this.#evaluated.set(unit, evaluated);
    return evaluated
      .filter(({ entry }) => entry.kernelName === kernel)
      .map((launch) => ({ launch, where: placeOf(unit, launch.entry.site) }));
  }
}

function placeOf({ reading }: ProgramUnit, site: Expression): string {
  const { file, start } = reading.locate(site.start, site.end);
  return `${(reading.files[file] ?? "").split("/").at(-1)}:${reading.position(file, start).line + 1}`;
}

function remoteFact(file: FileFacts, kernel: KernelFact, { launch, where }: RemoteLaunch): LaunchFact {
  const { own, settings, directives } = file;
  const { entry, assumed, executions } = launch;
  const values = entry.templateArguments.filter((value) => value !== undefined);
  const substitution = values.length === 0 ? undefined : own.semantics.substitutionFor(kernel.declaration, values);
  const directive = directives.directiveOfLaunch(kernel.name, kernel, undefined, undefined);
  const completed = launchForEngine(open(kernel.declaration, own.semantics, launch, substitution), directive, settings.device);
  const inputs = inputAssumptions(assumed);
  const elsewhere: Assumption = { what: "the launch", value: where, why: "no launch in this file; that one is in another" };
  return {
    ...fact(
      own,
      kernel.nameAt,
      kernel,
      completed,
      (work) => lowerInstance(own, kernel.declaration, substitution, settings, contentOfGlobals(launch), work),
      [elsewhere, ...argumentsOf(file, launch), ...inputs, ...successOf(launch)],
      inputs,
    ),
    kernelName: kernel.name,
    templateArguments: entry.templateArguments.map(templateText),
    ...(executions === undefined ? {} : { executions }),
    ...(directive.registers === undefined ? {} : { registers: directive.registers }),
  };
}

function inputAssumptions(assumed: EvaluatedLaunch["assumed"]): Assumption[] {
  return assumed.map(({ name, value, why }) => ({ what: name, value, why }));
}

/** What is taken of libraries that no file declares. */
function successOf({ succeeding }: EvaluatedLaunch): Assumption[] {
  const [first, ...others] = succeeding;
  if (first === undefined) return [];
  const what = others.length === 0 ? `\`${first}\`` : `\`${first}\` and ${others.length} more of its kind`;
  return [{ what, value: "success", why: "the library is not among the files that were found" }];
}

/** The program's arguments, where its own makefile or script gives them and a launch is one that `main` leads to. */
function argumentsOf({ run }: FileFacts, { wholeProgram }: EvaluatedLaunch): Assumption[] {
  if (run === undefined || !wholeProgram) return [];
  return [{ what: "the program's arguments", value: run.argv.join(" "), why: `as ${run.where} has them` }];
}

/** One `--launch` for several sites of a kernel holds for all; several are for the sites in order. */
function nextOption({ directives }: FileFacts, kernelName: string, used: Map<string, number>): Directive | undefined {
  const options = directives.options(kernelName);
  if (options.length === 0) return undefined;
  const index = options.length === 1 ? 0 : (used.get(kernelName) ?? 0);
  used.set(kernelName, Math.min(index + 1, options.length));
  return options[index];
}

function siteFact(file: FileFacts, launch: EvaluatedLaunch, option: Directive | undefined): LaunchFact {
  const { entry, executions, assumed, doubt } = launch;
  const { own, project, directives, settings } = file;
  const declaration = entry.kernel?.body === undefined ? undefined : entry.kernel;
  const kernel = file.kernels.find((fact) => fact.declaration === declaration);
  const unit = declaration === undefined ? undefined : (project.unitOf(declaration) ?? own);
  const at = own.reading.locate(entry.site.start, entry.site.end);
  const directive = directives.directiveOfLaunch(entry.kernelName, kernel, at, option);
  const inputs = inputAssumptions(assumed);
  const assumptions = [...argumentsOf(file, launch), ...inputs, ...successOf(launch)];
  const why = doubt ?? (entry.remoteness === 0 ? undefined : "a condition before it is false with the values that are known");
  if (why !== undefined) assumptions.push({ what: "the launch", value: "taken to be reached", why });
  const template =
    declaration && unit && entry.templateArguments.includes(undefined)
      ? assumedTemplateArguments(declaration, unit.semantics, entry.templateArguments)
      : undefined;
  if (template !== undefined) assumptions.push(...template.assumptions);
  const substitution = template === undefined ? entry.substitution : template.substitution;
  const completed: EngineLaunch =
    declaration === undefined || unit === undefined
      ? { reason: missingKernel(entry.kernelName, entry.kernel !== undefined), assumptions: [] }
      : launchForEngine(open(declaration, unit.semantics, launch, substitution), directive, settings.device);
  const lower =
    declaration === undefined || unit === undefined
      ? undefined
      : (work?: Work) => lowerInstance(unit, declaration, substitution, settings, contentOfGlobals(launch), work);
  return {
    ...fact(own, at, kernel, completed, lower, assumptions, inputs),
    kernelName: entry.kernelName,
    templateArguments: entry.templateArguments.map(templateText),
    expression: entry.site,
    blockKnown: launch.blockKnown,
    ...(executions === undefined ? {} : { executions }),
    ...(directive.registers === undefined ? {} : { registers: directive.registers }),
  };
}

function programOf(file: FileFacts, unit: ProgramUnit): Omit<RunProgram, "substitutions"> {
  const { settings, project, work } = file;
  return {
    unit,
    settings,
    linker: project,
    resources: resourcesOf(file),
    resolveLaunch: (entry, later) => resolveLaunch(file, entry, later),
    ...(work === undefined ? {} : { work }),
  };
}

/** A launch whose results another one uses, as the engine takes it. */
function resolveLaunch(
  { own, project, settings, directives, kernels }: FileFacts,
  entry: LaunchEntry,
  work?: Work,
): ReturnType<ResolveLaunch> {
  const { kernel: declaration, substitution, kernelName } = entry;
  if (declaration?.body === undefined) return undefined;
  const unit = project.unitOf(declaration) ?? own;
  const kernel = kernels.find((fact) => fact.declaration === declaration);
  const directive = directives.directiveOfLaunch(kernelName, kernel, undefined, undefined);
  const completed = launchForEngine(open(declaration, unit.semantics, { entry, assumed: [] }, substitution), directive, settings.device);
  if (!("launch" in completed)) return undefined;
  try {
    const contents: GlobalContent = (name, initial) => entry.globals.get(name) ?? initial;
    return { launch: completed.launch, kernel: lowerInstance(unit, declaration, substitution, settings, contents, work) };
  } catch (error) {
    if (error instanceof NotSimulated) return undefined;
    throw error;
  }
}

/** In a program that is seen whole, what the host stores nothing to is zero. */
function contentOfGlobals({ entry, wholeProgram }: EvaluatedLaunch): GlobalContent {
  return (name, initial) => entry.globals.get(name) ?? initial ?? (wholeProgram ? { kind: "zero" } : undefined);
}

function missingKernel(name: string, declared: boolean): string {
  return declared ? `\`${name}\` is declared here but defined in another file` : `which kernel \`${name}\` is is not known`;
}

function templateText(value: TemplateValue): string {
  return value === undefined ? "?" : valueName(value);
}

function open(
  kernel: FunctionDeclaration,
  semantics: Semantics,
  { entry, doubt, assumed }: Pick<EvaluatedLaunch, "entry" | "doubt" | "assumed">,
  substitution: Substitution | undefined,
): OpenLaunch {
  const doubtful = doubt !== undefined || entry.remoteness > 0 || entry.uncertain || assumed.length > 0;
  const { shared, captured } = entry;
  const [grid, block] = doubtful ? [sensible(entry.grid, mostBlocks), sensible(entry.block, mostThreads)] : [entry.grid, entry.block];
  const maxThreads = launchBound(kernel, semantics, substitution);
  const cluster = entry.cluster ?? clusterDimensions(kernel, semantics, substitution);
  return {
    kernel,
    grid,
    block,
    shared,
    captured,
    ...(cluster === undefined ? {} : { cluster }),
    ...(maxThreads === undefined ? {} : { maxThreads }),
  };
}

const mostBlocks = 2147483647;
const mostThreads = 1024;

/** Sides no launch can have, of one the program may not make just so, are not known. */
function sensible(sides: LaunchEntry["grid"], most: number): LaunchEntry["grid"] {
  const side = (value: Value): Value => {
    const count = integerOf(value);
    return count === undefined || (count >= 1 && count <= most) ? value : unknown(`it would be ${count} with the values that are known`);
  };
  return [side(sides[0]), side(sides[1]), side(sides[2])];
}

/** `__cluster_dims__(x, y, z)` */
function clusterDimensions(
  kernel: FunctionDeclaration,
  semantics: Semantics,
  substitution: Substitution | undefined,
): OpenLaunch["cluster"] {
  const sides = kernel.specifiers.clusterDims?.map((side) => semantics.constant(side, substitution));
  if (sides === undefined || sides.length === 0) return undefined;
  const [x, y, z] = [0, 1, 2].map((k) => (k < sides.length ? sides[k] : 1n));
  const value = (side: typeof x) => (typeof side === "bigint" ? int(side, "uint") : unknown("a cluster size that is not constant"));
  return [value(x), value(y), value(z)];
}

function launchBound(kernel: FunctionDeclaration, semantics: Semantics, substitution: Substitution | undefined): number | undefined {
  const [first] = kernel.specifiers.launchBounds ?? [];
  const value = first === undefined ? undefined : semantics.constant(first, substitution);
  const threads = typeof value === "bigint" ? Number(value) : undefined;
  return threads !== undefined && threads >= 1 && threads <= 1024 ? threads : undefined;
}

/** The launch of a kernel that no host code of the file launches. */
function factWithoutSite(file: FileFacts, kernel: KernelFact, option: Directive | undefined): LaunchFact {
  const { own, settings, directives } = file;
  const { semantics } = own;
  const { substitution, values, assumptions } = assumedTemplateArguments(kernel.declaration, semantics);
  const directive = directives.directiveOfLaunch(kernel.name, kernel, undefined, option);
  const maxThreads = launchBound(kernel.declaration, semantics, substitution);
  const captured = unknownArguments(kernel.declaration, semantics, substitution);
  const completed = launchForEngine(
    { kernel: kernel.declaration, captured, ...(maxThreads === undefined ? {} : { maxThreads }) },
    directive,
    settings.device,
  );
  return {
    ...fact(
      own,
      kernel.nameAt,
      kernel,
      completed,
      (work) => lowerInstance(own, kernel.declaration, substitution, settings, (_name, initial) => initial, work),
      assumptions,
      [],
    ),
    kernelName: kernel.name,
    templateArguments: values.map(valueName),
    ...(directive.registers === undefined ? {} : { registers: directive.registers }),
  };
}

type Common = Pick<LaunchFact, "kernel" | "at" | "line" | "launch" | "reason" | "assumptions" | "configuration" | "lower">;

const configurationParts: ReadonlySet<string> = new Set(["grid", "block", "dynamicSharedBytes"]);

/** `before`: what was assumed before the launch was completed; `inputs`: those of them its configuration depends on. */
function fact(
  { reading }: ProgramUnit,
  at: Place,
  kernel: KernelFact | undefined,
  completed: EngineLaunch,
  lower: ((work?: Work) => Kernel) | undefined,
  before: readonly Assumption[],
  inputs: readonly Assumption[],
): Common {
  const reason = "reason" in completed ? completed.reason : undefined;
  let lowered: Kernel | undefined;
  return {
    kernel,
    at,
    line: reading.position(at.file, at.start).line + 1,
    assumptions: [...before, ...completed.assumptions],
    configuration: [...inputs, ...completed.assumptions.filter(({ what }) => configurationParts.has(what))],
    ...("launch" in completed ? { launch: completed.launch } : { reason: completed.reason }),
    lower: (work) => {
      if (lower === undefined) throw new NotSimulated(reason ?? "the kernel is not known", at);
      lowered ??= lower(work);
      return lowered;
    },
  };
}
