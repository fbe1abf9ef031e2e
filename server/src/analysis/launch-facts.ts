/** The launches of a file as facts: those of its host code, those the user adds, and one for each kernel that has none. */
import type { Assumption, Content, Kernel } from "@warplens/sim-engine";
import type { FunctionDeclaration, TranslationUnit } from "../syntax/ast.ts";
import type { Place, Reading } from "../syntax/reading.ts";
import { type Completed, completeLaunch, type OpenLaunch } from "./complete-launch.ts";
import type { Directive } from "./directives.ts";
import { type AnalysisSettings, type KernelFact, type LaunchFact, NotSimulated } from "./facts.ts";
import { type EvaluatedLaunch, FileEvaluation } from "./host/evaluate.ts";
import type { TemplateValue } from "./host/model.ts";
import { hostProgram } from "./host/run.ts";
import type { Semantics } from "./sema/index.ts";
import { valueName } from "./sema/type-tools.ts";
import type { Substitution } from "./sema/types.ts";
import { assumedTemplateArguments } from "./template-arguments.ts";
import { unknownArguments } from "./unlaunched.ts";
import type { UserDirectives } from "./user-directives.ts";

/** What a `__constant__` or `__device__` variable holds at the launch; `initial` is what its initialiser gives. */
export type GlobalContent = (name: string, initial: Content | undefined) => Content | undefined;

/** Lowers one instance of a kernel. Throws `NotSimulated`. */
export type Lower = (kernel: FunctionDeclaration, substitution: Substitution | undefined, globals: GlobalContent) => Kernel;

export interface FileFacts {
  readonly reading: Reading;
  readonly unit: TranslationUnit;
  readonly semantics: Semantics;
  readonly settings: AnalysisSettings;
  readonly kernels: readonly KernelFact[];
  readonly directives: UserDirectives;
  readonly lower: Lower;
}

/** In source order of the sites; launches without a site stand where their kernel does. */
export function launchFacts(file: FileFacts): LaunchFact[] {
  const { unit, reading, semantics, settings, directives } = file;
  const evaluation = new FileEvaluation(
    hostProgram(unit, semantics, settings, reading.text),
    directives.inputs,
    (site) => reading.locate(site.start, site.end).file === 0,
  );
  const evaluated = evaluation.launches();
  const used = new Map<string, number>();
  const facts = evaluated.map((launch) => siteFact(file, launch, nextOption(file, launch.entry.kernelName, used)));
  const launched = new Set(facts.map((fact) => fact.kernelName));
  for (const kernel of file.kernels) {
    const options = directives.options(kernel.name).slice(used.get(kernel.name) ?? 0);
    if (launched.has(kernel.name)) {
      if ((used.get(kernel.name) ?? 0) > 0) for (const option of options) facts.push(kernelFact(file, kernel, option));
      continue;
    }
    if (kernel.at.file !== 0 && options.length === 0) continue;
    for (const option of options.length === 0 ? [undefined] : options) facts.push(kernelFact(file, kernel, option));
  }
  return facts.sort((a, b) => a.at.file - b.at.file || a.at.start - b.at.start);
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
  const { reading, directives, settings } = file;
  const kernel = entry.kernel === undefined ? undefined : file.kernels.find((fact) => fact.declaration === entry.kernel);
  const at = reading.locate(entry.site.start, entry.site.end);
  const directive = directives.directiveOfLaunch(entry.kernelName, kernel, at, option);
  const assumptions: Assumption[] = assumed.map(({ name, value, why }) => ({ what: name, value, why }));
  if (doubt !== undefined) assumptions.push({ what: "the launch", value: "taken to be reached", why: doubt });
  else if (!entry.reached)
    assumptions.push({
      what: "the launch",
      value: "taken to be reached",
      why: "a condition before it is false with the values that are known",
    });
  const completed =
    kernel === undefined
      ? { reason: missingKernel(entry.kernelName, entry.kernel !== undefined), assumptions: [] }
      : completeLaunch(open(kernel, entry, file), directive, settings.device);
  const lower = kernel === undefined ? undefined : () => file.lower(kernel.declaration, entry.substitution, contentOfGlobals(launch));
  return {
    ...fact(file, at, kernel, completed, lower, assumptions),
    kernelName: entry.kernelName,
    templateArguments: entry.templateArguments.map(templateText),
    expression: entry.site,
    ...(executions === undefined ? {} : { executions }),
    ...(directive.registers === undefined ? {} : { registers: directive.registers }),
  };
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

function open(kernel: KernelFact, entry: EvaluatedLaunch["entry"], file: FileFacts): OpenLaunch {
  const maxThreads = launchBound(kernel.declaration, file.semantics, entry.substitution);
  return {
    kernel: kernel.declaration,
    grid: entry.grid,
    block: entry.block,
    shared: entry.shared,
    captured: entry.captured,
    ...(entry.cluster === undefined ? {} : { cluster: entry.cluster }),
    ...(maxThreads === undefined ? {} : { maxThreads }),
  };
}

function launchBound(kernel: FunctionDeclaration, semantics: Semantics, substitution: Substitution | undefined): number | undefined {
  const [first] = kernel.specifiers.launchBounds ?? [];
  const value = first === undefined ? undefined : semantics.constant(first, substitution);
  const threads = typeof value === "bigint" ? Number(value) : undefined;
  return threads !== undefined && threads >= 1 && threads <= 1024 ? threads : undefined;
}

/** The launch of a kernel that no host code of the file launches. */
function kernelFact(file: FileFacts, kernel: KernelFact, option: Directive | undefined): LaunchFact {
  const { semantics, settings, directives } = file;
  const { substitution, values, assumptions } = assumedTemplateArguments(kernel.declaration, semantics);
  const directive = directives.directiveOfLaunch(kernel.name, kernel, undefined, option);
  const maxThreads = launchBound(kernel.declaration, semantics, substitution);
  const captured = unknownArguments(kernel.declaration, semantics, substitution);
  const completed = completeLaunch(
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
      () => file.lower(kernel.declaration, substitution, (_name, initial) => initial),
      assumptions,
    ),
    kernelName: kernel.name,
    templateArguments: values.map(valueName),
    ...(directive.registers === undefined ? {} : { registers: directive.registers }),
  };
}

type Common = Pick<LaunchFact, "kernel" | "at" | "line" | "launch" | "reason" | "assumptions" | "lower">;

function fact(
  { reading }: FileFacts,
  at: Place,
  kernel: KernelFact | undefined,
  completed: Completed,
  lower: (() => Kernel) | undefined,
  before: readonly Assumption[],
): Common {
  const reason = "reason" in completed ? completed.reason : undefined;
  let lowered: Kernel | undefined;
  return {
    kernel,
    at,
    line: reading.position(at.file, at.start).line + 1,
    assumptions: [...before, ...completed.assumptions],
    ...("launch" in completed ? { launch: completed.launch } : { reason: completed.reason }),
    lower: () => {
      if (lower === undefined) throw new NotSimulated(reason ?? "the kernel is not known", at);
      lowered ??= lower();
      return lowered;
    },
  };
}
