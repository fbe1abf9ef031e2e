/** The launches of a file as facts: those of its host code, those the user adds, and one for each kernel that has none. */
import type { Assumption, Content, EarlierLaunch, Kernel, Launch, Work } from "@warplens/sim-engine";
import type { Expression, FunctionDeclaration } from "../syntax/ast.ts";
import type { Place } from "../syntax/reading.ts";
import { sameMembers } from "./database/database.ts";
import { type Directive, mergeDirectives } from "./directives.ts";
import { type KernelFact, type LaunchFact, NotSimulated } from "./facts.ts";
import type { EvaluatedLaunch } from "./host/file-evaluation.ts";
import type { LaunchEntry, ResolveLaunch } from "./host/launches/launch-entry.ts";
import { LaunchRecord } from "./host/launches/launch-log.ts";
import type { Value } from "./host/values/model.ts";
import { int, integerOf, unknown } from "./host/values/values.ts";
import type { HostLaunches } from "./host-launches.ts";
import { type EngineLaunch, launchForEngine, type OpenLaunch } from "./launch-for-engine.ts";
import { bankLayout } from "./lower/constant-bank.ts";
import { type GlobalContent, lowerInstance } from "./lower-instance.ts";
import type { RunCommand } from "./makefile.ts";
import type { ProgramUnit } from "./program-linker.ts";
import { assumedTemplateArguments } from "./sema/assumed-templates.ts";
import type { Semantics } from "./sema/index.ts";
import { launchBoundsOf } from "./sema/launch-bounds.ts";
import { templateText, valueName } from "./sema/type-tools.ts";
import type { Substitution } from "./sema/types.ts";
import type { AnalysisSettings } from "./settings.ts";
import { unknownArguments } from "./unlaunched.ts";
import type { UserDirectives } from "./user-directives.ts";

export interface FileFacts {
  readonly own: ProgramUnit;
  readonly launches: HostLaunches;
  readonly settings: AnalysisSettings;
  readonly kernels: readonly KernelFact[];
  readonly directives: UserDirectives;
  /** Where the settings' `argv` comes from, where the user does not say it. */
  readonly run?: RunCommand;
}

/** In source order of the sites; launches without a site stand where their kernel does. */
export function launchFacts(file: FileFacts): LaunchFact[] {
  const { directives, launches } = file;
  const used = new Map<string, number>();
  const reached = new Set(launches.own.filter(isReached).map(({ entry }) => entry.kernelName));
  let option: Directive | undefined;
  const facts = launches.own.flatMap((launch) => {
    const { turn, kernelName } = launch.entry;
    if (turn === 0) option = nextOption(file, kernelName, used);
    const fact = siteFact(file, launch, option, reached);
    // What the user says of grid, block and shared memory holds for the launch, however the host goes on to change them.
    return turn > 0 && !keepsConfiguration(launch, fact) ? [] : fact;
  });
  const launched = new Set(facts.map((fact) => fact.kernelName));
  for (const kernel of file.kernels) {
    const options = directives.options(kernel.name).slice(used.get(kernel.name) ?? 0);
    if (launched.has(kernel.name)) {
      if ((used.get(kernel.name) ?? 0) > 0) for (const option of options) facts.push(factWithoutSite(file, kernel, option));
    } else if (options.length > 0) for (const option of options) facts.push(factWithoutSite(file, kernel, option));
    else if (kernel.at.file === 0) facts.push(...unlaunchedFacts(file, kernel));
  }
  return facts.sort((a, b) => a.at.file - b.at.file || a.at.start - b.at.start);
}

/** Whether a launch is made as the host's code has it, with nothing of it said otherwise. */
function keepsConfiguration({ entry }: EvaluatedLaunch, { launch }: LaunchFact): boolean {
  if (launch === undefined) return false;
  const made = [...launch.grid, ...launch.block, launch.dynamicSharedBytes];
  return [...entry.grid, ...entry.block, entry.shared].every((value, k) => integerOf(value) === made[k]);
}

/** A launch whose results another one uses, as the engine takes it. Made again where the kernel or what is said of it has changed. */
export function resolveLaunch(file: FileFacts, entry: LaunchEntry, work?: Work): ReturnType<ResolveLaunch> {
  const { launches, own, settings, directives, kernels } = file;
  const { kernel: declaration, substitution, kernelName } = entry;
  if (declaration?.body === undefined) return undefined;
  const unit = launches.linker.unitOf(declaration) ?? own;
  const kernel = kernels.find((fact) => fact.declaration === declaration);
  const directive = directives.directiveOfLaunch(kernelName, kernel, undefined, undefined);
  const stamp = stampOf(file, unit, declaration, directive);
  const known = resolved.get(entry);
  if (known && sameMembers(known.stamp, stamp)) return known.value;
  const value = ((): ReturnType<ResolveLaunch> => {
    const completed = launchForEngine(open(declaration, unit.semantics, { entry, assumed: [] }, substitution), directive, settings.device);
    if (!("launch" in completed)) return undefined;
    try {
      const contents: GlobalContent = (name, initial) => entry.globals.get(name) ?? initial;
      return { launch: completed.launch, kernel: lowerInstance(unit, declaration, substitution, settings, contents, work) };
    } catch (error) {
      if (error instanceof NotSimulated) return undefined;
      throw error;
    }
  })();
  resolved.set(entry, { stamp, value });
  return value;
}

const resolved = new WeakMap<LaunchEntry, { readonly stamp: readonly unknown[]; readonly value: ReturnType<ResolveLaunch> }>();

/** What a kernel's code, as the engine takes it, and its launch depend on besides the host code's values. */
function stampOf({ settings }: FileFacts, unit: ProgramUnit, kernel: FunctionDeclaration, directive: Directive): readonly unknown[] {
  const { computeCapability, device = null } = settings;
  const bank = bankLayout(unit.semantics.context);
  const said = JSON.stringify([computeCapability, device, unit.code, directive, [...directive.parameters], bank]);
  return [said, ...unit.bodiesBehind(kernel)];
}

/** The same for the launches that wrote what a launch finds in its buffers, in whichever turn of the host's loop. */
function earlierStamps(file: FileFacts, launch: Launch, seen: Set<EarlierLaunch>): unknown[] {
  const stamps: unknown[] = [];
  const visit = (content: Content): void => {
    if (content.kind === "parts") for (const part of content.parts) visit(part.content);
    if (content.kind !== "written" || seen.has(content.by) || !(content.by instanceof LaunchRecord)) return;
    seen.add(content.by);
    const { entry } = content.by;
    const { kernel } = entry;
    if (!kernel?.body) return;
    const unit = file.launches.linker.unitOf(kernel) ?? file.own;
    const fact = file.kernels.find((each) => each.declaration === kernel);
    stamps.push(...stampOf(file, unit, kernel, file.directives.directiveOfLaunch(entry.kernelName, fact, undefined, undefined)));
    for (const { buffer } of entry.captured.buffers) visit(buffer.content);
  };
  for (const { buffers } of [launch, ...(launch.later ?? [])]) for (const { content } of buffers) visit(content);
  return stamps;
}

/** A kernel this file does not launch: as another file of the program does, else as it might be. */
function unlaunchedFacts(file: FileFacts, kernel: KernelFact): LaunchFact[] {
  const remote = file.launches.elsewhere.get(kernel.name);
  if (remote === undefined || remote.launches.length === 0) return [factWithoutSite(file, kernel, undefined)];
  return remote.launches.map((launch) => remoteFact(file, kernel, launch, placeOf(remote.unit, launch.entry.site)));
}

/** `main.cu:12` */
function placeOf({ reading }: ProgramUnit, site: Expression): string {
  const { file, start } = reading.locate(site.start, site.end);
  return `${(reading.files[file] ?? "").split("/").at(-1)}:${reading.position(file, start).line + 1}`;
}

/** @param said of the launch besides: it goes before all that the user says */
function remoteFact(file: FileFacts, kernel: KernelFact, launch: EvaluatedLaunch, where: string, said?: Directive): LaunchFact {
  const { own, settings, directives } = file;
  const { entry, assumed, executions } = launch;
  const values = entry.templateArguments.filter((value) => value !== undefined);
  const substitution = values.length === 0 ? undefined : own.semantics.substitutionFor(kernel.declaration, values);
  const directive = withSaid(directives.directiveOfLaunch(kernel.name, kernel, undefined, undefined), said);
  const completed = launchForEngine(open(kernel.declaration, own.semantics, launch, substitution), directive, settings.device);
  const inputs = inputAssumptions(assumed);
  const elsewhere: Assumption = { what: "the launch", value: where, why: "no launch in this file; that one is in another" };
  return {
    ...fact(
      file,
      kernel.nameAt,
      kernel,
      completed,
      (work) => lowerInstance(own, kernel.declaration, substitution, settings, contentOfGlobals(launch), work),
      [elsewhere, ...argumentsOf(file, launch), ...inputs, ...successOf(launch)],
      inputs,
      { unit: own, declaration: kernel.declaration, directive, launch },
    ),
    kernelName: kernel.name,
    having: (other) => remoteFact(file, kernel, launch, where, other),
    templateArguments: entry.templateArguments.map(templateText),
    ...(entry.given === undefined ? {} : { given: entry.given }),
    ...(executions === undefined ? {} : { executions }),
    ...(directive.registers === undefined ? {} : { registers: directive.registers }),
  };
}

const withSaid = (directive: Directive, said: Directive | undefined): Directive =>
  said === undefined ? directive : mergeDirectives([directive, said]);

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

/** The program makes it, as far as can be told. */
const isReached = ({ entry, doubt }: EvaluatedLaunch): boolean => entry.remoteness === 0 && doubt === undefined;

/** The program, whose `main` was followed with nothing assumed, does not make it. */
const isPassedBy = ({ entry, doubt, wholeProgram, assumed }: EvaluatedLaunch): boolean =>
  entry.remoteness > 0 && doubt === undefined && wholeProgram && assumed.length === 0;

const notReached = "a condition before it is false with the values that are known";

/** @param reached kernels that the program launches, here or elsewhere @param said as for `remoteFact` */
function siteFact(
  file: FileFacts,
  launch: EvaluatedLaunch,
  option: Directive | undefined,
  reached: ReadonlySet<string>,
  said?: Directive,
): LaunchFact {
  const { entry, executions, assumed, doubt } = launch;
  const { own, launches, directives, settings } = file;
  const declaration = entry.kernel?.body === undefined ? undefined : entry.kernel;
  const kernel = file.kernels.find((fact) => fact.declaration === declaration);
  const unit = declaration === undefined ? undefined : (launches.linker.unitOf(declaration) ?? own);
  const at = own.reading.locate(entry.site.start, entry.site.end);
  const directive = withSaid(directives.directiveOfLaunch(entry.kernelName, kernel, at, option), said);
  const inputs = inputAssumptions(assumed);
  const assumptions = [...argumentsOf(file, launch), ...inputs, ...successOf(launch)];
  const why = doubt ?? (entry.remoteness === 0 ? undefined : notReached);
  if (why !== undefined) assumptions.push({ what: "the launch", value: "taken to be reached", why });
  if (launch.besides > 0 && entry.turn === 0)
    assumptions.push({ what: "other configurations", value: launch.besides, why: "the host launches it with too many to simulate each" });
  const template =
    declaration && unit && entry.templateArguments.includes(undefined)
      ? assumedTemplateArguments(declaration, unit.semantics, entry.templateArguments)
      : undefined;
  if (template !== undefined) assumptions.push(...template.assumptions);
  const substitution = template === undefined ? entry.substitution : template.substitution;
  const passedBy = reached.has(entry.kernelName) && isPassedBy(launch) && !directive.grid && !directive.block;
  const completed: EngineLaunch =
    declaration === undefined || unit === undefined
      ? { reason: missingKernel(entry.kernelName, entry.kernel !== undefined), assumptions: [] }
      : withLater(open(declaration, unit.semantics, launch, substitution), entry, directive, settings.device);
  const lower =
    declaration === undefined || unit === undefined
      ? undefined
      : (work?: Work) => lowerInstance(unit, declaration, substitution, settings, contentOfGlobals(launch), work);
  return {
    ...fact(file, at, kernel, completed, lower, assumptions, inputs, declaration && unit && { unit, declaration, directive, launch }),
    kernelName: entry.kernelName,
    having: (other) => siteFact(file, launch, option, reached, other),
    templateArguments: entry.templateArguments.map(templateText),
    ...(substitution === undefined ? {} : { substitution }),
    expression: entry.site,
    allocations: allocationsOf(own, entry),
    blockKnown: launch.blockKnown,
    ...(entry.given === undefined ? {} : { given: entry.given }),
    ...(executions === undefined ? {} : { executions }),
    ...(passedBy ? { passedBy: true } : {}),
    ...(directive.registers === undefined ? {} : { registers: directive.registers }),
  };
}

/** With what later executions are given, where no more has to be assumed for them. */
function withLater(
  opened: OpenLaunch,
  { later = [] }: LaunchEntry,
  directive: Directive,
  device: AnalysisSettings["device"],
): EngineLaunch {
  const completed = launchForEngine(opened, directive, device);
  if (!("launch" in completed)) return completed;
  const others = later.flatMap((captured) => {
    const again = launchForEngine({ ...opened, captured }, directive, device);
    const isAsKnown = "launch" in again && JSON.stringify(again.assumptions) === JSON.stringify(completed.assumptions);
    return isAsKnown ? [{ arguments: again.launch.arguments, buffers: again.launch.buffers }] : [];
  });
  return others.length === 0 ? completed : { ...completed, launch: { ...completed.launch, later: others } };
}

/** By name; not of names that several buffers have. */
function allocationsOf({ reading }: ProgramUnit, { captured }: LaunchEntry): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  const seen = new Set<string>();
  for (const { buffer, allocated } of captured.buffers) {
    if (seen.has(buffer.name)) places.delete(buffer.name);
    else if (allocated) places.set(buffer.name, reading.locate(allocated.start, allocated.end));
    seen.add(buffer.name);
  }
  return places;
}

/** In a program that is seen whole, what the host stores nothing to is zero. */
function contentOfGlobals({ entry, wholeProgram }: EvaluatedLaunch): GlobalContent {
  return (name, initial) => entry.globals.get(name) ?? initial ?? (wholeProgram ? { kind: "zero" } : undefined);
}

function missingKernel(name: string, declared: boolean): string {
  return declared ? `\`${name}\` is declared here but defined in another file` : `which kernel \`${name}\` is is not known`;
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
  const [first] = launchBoundsOf(semantics.context, kernel);
  const value = first === undefined ? undefined : semantics.constant(first, substitution);
  const threads = typeof value === "bigint" ? Number(value) : undefined;
  return threads !== undefined && threads >= 1 && threads <= 1024 ? threads : undefined;
}

/** The launch of a kernel that no host code of the file launches. @param said as for `remoteFact` */
function factWithoutSite(file: FileFacts, kernel: KernelFact, option: Directive | undefined, said?: Directive): LaunchFact {
  const { own, settings, directives } = file;
  const { semantics } = own;
  const { substitution, values, assumptions } = assumedTemplateArguments(kernel.declaration, semantics);
  const directive = withSaid(directives.directiveOfLaunch(kernel.name, kernel, undefined, option), said);
  const maxThreads = launchBound(kernel.declaration, semantics, substitution);
  const captured = unknownArguments(kernel.declaration, semantics, substitution);
  const completed = launchForEngine(
    { kernel: kernel.declaration, captured, ...(maxThreads === undefined ? {} : { maxThreads }) },
    directive,
    settings.device,
  );
  return {
    ...fact(
      file,
      kernel.nameAt,
      kernel,
      completed,
      (work) => lowerInstance(own, kernel.declaration, substitution, settings, (_name, initial) => initial, work),
      assumptions,
      [],
      { unit: own, declaration: kernel.declaration, directive, launch: undefined },
    ),
    kernelName: kernel.name,
    having: (other) => factWithoutSite(file, kernel, option, other),
    templateArguments: values.map(valueName),
    ...(directive.registers === undefined ? {} : { registers: directive.registers }),
  };
}

type Common = Pick<
  LaunchFact,
  | "kernel"
  | "at"
  | "line"
  | "launch"
  | "reason"
  | "refused"
  | "empty"
  | "assumptions"
  | "configuration"
  | "lower"
  | "stamp"
  | "kernelReading"
>;

const configurationParts: ReadonlySet<string> = new Set(["grid", "block", "dynamicSharedBytes"]);

/** What a launch is made of: the kernel, what is said of it, what host code gives. */
interface Ingredients {
  readonly unit: ProgramUnit;
  readonly declaration: FunctionDeclaration;
  readonly directive: Directive;
  readonly launch: EvaluatedLaunch | undefined;
}

/** `before`: what was assumed before the launch was completed; `inputs`: those of them its configuration depends on. */
function fact(
  file: FileFacts,
  at: Place,
  kernel: KernelFact | undefined,
  completed: EngineLaunch,
  lower: ((work?: Work) => Kernel) | undefined,
  before: readonly Assumption[],
  inputs: readonly Assumption[],
  ingredients: Ingredients | undefined,
): Common {
  const { reading } = file.own;
  const launch = "launch" in completed ? completed.launch : undefined;
  const reason = "reason" in completed ? completed.reason : undefined;
  let lowered: Kernel | undefined;
  return {
    kernel,
    at,
    line: reading.position(at.file, at.start).line + 1,
    assumptions: [...before, ...completed.assumptions, ...(ingredients?.unit.code.assumptions ?? [])],
    configuration: [...inputs, ...completed.assumptions.filter(({ what }) => configurationParts.has(what))],
    ...("refused" in completed ? { refused: true as const } : {}),
    ...("empty" in completed ? { empty: true as const } : {}),
    ...(launch ? { launch } : { reason: reason ?? "its launch configuration is not known" }),
    ...(ingredients ? { kernelReading: ingredients.unit.reading } : {}),
    stamp: ingredients &&
      launch && [
        ingredients.launch,
        reading.files.join(),
        ...stampOf(file, ingredients.unit, ingredients.declaration, ingredients.directive),
        ...earlierStamps(file, launch, new Set()),
      ],
    lower: (work) => {
      if (lower === undefined) throw new NotSimulated(reason ?? "the kernel is not known", at);
      lowered ??= lower(work);
      return lowered;
    },
  };
}
