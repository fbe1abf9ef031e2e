/**
 * What host code launches: that of the file, and that of other files where they launch its kernels. It stands while host code and
 * what it is told stand, whatever happens to the bodies of kernels.
 */
import { Cancelled, estimateResources, type KernelResources, type Work } from "@warplens/sim-engine";
import type { Expression, FunctionDeclaration, Node } from "../syntax/ast.ts";
import { stage } from "../trace.ts";
import type { DeviceProgram } from "./device-events.ts";
import type { HostFault } from "./facts.ts";
import { type Elsewhere, type EvaluatedLaunch, FileEvaluation } from "./host/file-evaluation.ts";
import type { LaunchEntry, ResolveLaunch } from "./host/launches/launch-entry.ts";
import { functionName } from "./host/launches/launch-sites.ts";
import type { KernelResourcesOf } from "./host/memory/interpreter.ts";
import type { RunProgram } from "./host/run.ts";
import { lowerInstance } from "./lower-instance.ts";
import type { ProgramLinker, ProgramUnit } from "./program-linker.ts";
import type { Substitution } from "./sema/types.ts";
import type { AnalysisSettings } from "./settings.ts";

export interface HostCode {
  readonly own: ProgramUnit;
  readonly linker: ProgramLinker;
  readonly settings: AnalysisSettings;
  /** Values of inputs by name that the user says. */
  readonly inputs: ReadonlyMap<string, number>;
  /** Kernels that the user gives launches for by option. */
  readonly given: ReadonlySet<string>;
  readonly resolveLaunch: ResolveLaunch;
  /** Told when what a kernel takes of an SM is asked for: then launches depend on kernels' bodies after all. */
  onResources(): void;
  /** Of finding the launches; lowering them, later, has work of its own. */
  readonly work?: Work;
}

export interface HostLaunches {
  /** In the order of the sites. */
  readonly own: readonly EvaluatedLaunch[];
  /** Of kernels that this file does not launch, by name. */
  readonly elsewhere: ReadonlyMap<string, { readonly unit: ProgramUnit; readonly launches: readonly EvaluatedLaunch[] }>;
  /** What the program does wrong with memory, of this file's host code. */
  readonly faults: readonly HostFault[];
  /** What it has the device do, where this file has a `main`. */
  readonly device: DeviceProgram | undefined;
  readonly linker: ProgramLinker;
}

/** Throws `Cancelled`. */
export function hostLaunches(code: HostCode): HostLaunches {
  const { own, linker, inputs } = code;
  const isOwn = (node: Node) => own.reading.locate(node.start, node.end).file === 0;
  const hasMain = own.semantics.functions.some((fn) => functionName(fn) === "main");
  const main = hasMain || !own.sites.sites.some(isOwn) ? undefined : linker.main();
  const elsewhere = main && { ...main, ...translation(own, main.unit) };
  const evaluation = new FileEvaluation(programOf(code, own), inputs, isOwn, elsewhere);
  const launches = evaluation.launches();
  const launched = new Set(launches.map(({ entry }) => entry.kernelName));
  return {
    own: launches,
    elsewhere: launchesElsewhere(code, launched, isOwn),
    faults: evaluation.faults,
    device: evaluation.device,
    linker,
  };
}

/** Each other file is evaluated once. */
function launchesElsewhere(
  code: HostCode,
  launched: ReadonlySet<string>,
  isOwn: (node: Node) => boolean,
): Map<string, { readonly unit: ProgramUnit; readonly launches: readonly EvaluatedLaunch[] }> {
  const { own, linker, inputs, given } = code;
  const found = new Map<string, { readonly unit: ProgramUnit; readonly launches: readonly EvaluatedLaunch[] }>();
  const evaluated = new Map<ProgramUnit, readonly EvaluatedLaunch[]>();
  for (const fn of own.semantics.functions) {
    const name = functionName(fn);
    if (!fn.specifiers.global || launched.has(name) || given.has(name) || found.has(name) || !isOwn(fn)) continue;
    const unit = linker.launcherOf(name);
    if (unit === undefined) continue;
    const all = evaluated.get(unit) ?? new FileEvaluation(programOf(code, unit), inputs, () => true).launches();
    evaluated.set(unit, all);
    found.set(name, { unit, launches: all.filter(({ entry }) => entry.kernelName === name) });
  }
  return found;
}

function programOf(code: HostCode, unit: ProgramUnit): Omit<RunProgram, "substitutions"> {
  const { settings, linker, work, resolveLaunch } = code;
  return { unit, settings, linker, resources: resourcesOf(code), resolveLaunch, ...(work === undefined ? {} : { work }) };
}

/** What instances of kernels take of an SM, each estimated once. */
function resourcesOf({ own, linker, settings, work, onResources }: HostCode): KernelResourcesOf {
  const known = new Map<FunctionDeclaration, Map<Substitution | undefined, KernelResources | undefined>>();
  return (kernel, substitution) => {
    onResources();
    const instances = known.get(kernel) ?? new Map<Substitution | undefined, KernelResources | undefined>();
    known.set(kernel, instances);
    if (!instances.has(substitution))
      instances.set(substitution, estimated(linker.unitOf(kernel) ?? own, kernel, substitution, settings, work));
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
  const sites = new Map<string, Expression>(own.sites.sites.map((site) => [key(own, site), site]));
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
