/**
 * What becomes of one file of real code: of each kernel whether it is simulated to the end, of each launch whether its
 * configuration is known, and the reasons where not.
 */
import { readFileSync } from "node:fs";
import { type GpuModel, type LaunchReport, simulate, Work } from "@warplens/sim-engine";
import { analyze } from "../analysis/analyze.ts";
import { type KernelFact, type LaunchFact, NotSimulated, type Program } from "../analysis/facts.ts";
import { diskFiles } from "../files.ts";
import { capabilityNumber, devicePropertiesOf } from "../simulate/device-properties.ts";
import { walk } from "../syntax/walk.ts";

export interface LaunchSurvey {
  readonly kernel: string;
  /** The kernel's definition, `path:offset`; absent where the file does not see one. */
  readonly definition?: string;
  readonly line: number;
  /** A launch in the source, not one made up for a kernel that nothing launches. */
  readonly isWritten: boolean;
  /** What of grid, block and shared bytes had to be assumed, and why. */
  readonly assumed: readonly string[];
  /** Block and dynamic shared memory are not, whatever the grid is. */
  readonly blockKnown: boolean;
  /** The program's arguments are those its makefile or a script runs it with. */
  readonly hasRunArguments: boolean;
  readonly simulated: boolean;
  /** Why it is not. */
  readonly reason?: string;
  /** A fault of this program: an exception's stack, or what is impossible in a report. */
  readonly fault?: string;
  readonly ms: number;
}

export interface FileSurvey {
  /** Definitions of the kernels in the file itself, as in `LaunchSurvey.definition`. */
  readonly kernels: readonly string[];
  /** Launches written in the file, whether or not they were understood. */
  readonly sites: number;
  /** Milliseconds until the launches were known. */
  readonly ms: number;
}

export interface SurveySettings {
  readonly gpu: GpuModel;
  readonly includeDirs: readonly string[];
  /** Milliseconds a launch may compute: what other work the machine has does not count. */
  readonly launchMs: number;
}

/** Calls back with each launch as it is done, so that what hangs can be told from what does not. */
export function surveyFile(path: string, settings: SurveySettings, onLaunch: (launch: LaunchSurvey) => void): FileSurvey {
  const { gpu } = settings;
  const started = cpuMs();
  const program = analyze(
    path,
    readFileSync(path, "utf8"),
    {
      computeCapability: capabilityNumber(gpu.computeCapability),
      defines: [],
      includeDirs: settings.includeDirs,
      launches: [],
      assume: [],
      argv: [],
      device: devicePropertiesOf(gpu),
    },
    diskFiles,
  );
  const launches = program.launches;
  const ms = cpuMs() - started;
  for (const fact of launches) onLaunch(surveyLaunch(program, fact, settings));
  return {
    kernels: program.kernels.filter(({ at }) => at.file === 0).map((kernel) => definitionOf(program, kernel)),
    sites: writtenLaunches(program),
    ms,
  };
}

const definitionOf = ({ reading }: Program, { nameAt }: KernelFact): string => `${reading.files[nameAt.file]}:${nameAt.start}`;

/** `<<<...>>>` in the file itself, expansions of its macros included. */
function writtenLaunches({ unit, reading }: Program): number {
  let count = 0;
  walk(unit, (node) => {
    if (node.kind === "call" && node.launch !== undefined && reading.locate(node.start, node.end).file === 0) count++;
    return true;
  });
  return count;
}

function surveyLaunch(program: Program, fact: LaunchFact, { gpu, launchMs }: SurveySettings): LaunchSurvey {
  const started = cpuMs();
  const outcome = tried(fact, gpu, () => cpuMs() - started > launchMs);
  return {
    kernel: fact.kernelName,
    ...(fact.kernel ? { definition: definitionOf(program, fact.kernel) } : {}),
    line: fact.line,
    isWritten: fact.expression !== undefined,
    assumed: fact.configuration.map(({ what, why }) => `${what}: ${why}`),
    blockKnown: fact.blockKnown === true,
    hasRunArguments: fact.assumptions.some(({ what }) => what === "the program's arguments"),
    simulated: false,
    ...outcome,
    ms: cpuMs() - started,
  };
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function tried(fact: LaunchFact, gpu: GpuModel, isCancelled: () => boolean): Partial<LaunchSurvey> {
  const { launch } = fact;
  if (launch === undefined) return { reason: fact.reason ?? "its configuration is not known" };
  try {
    const fault = impossible(simulate(fact.lower(), launch, gpu, { work: new Work(Number.POSITIVE_INFINITY, isCancelled) }));
    return fault === undefined ? { simulated: true } : { simulated: true, fault };
  } catch (error) {
    if (isCancelled()) return { reason: "it took too long" };
    if (error instanceof NotSimulated) return { reason: error.message };
    // The engine's own reasons are plain Errors.
    if (error instanceof Error && error.constructor === Error) return { reason: error.message };
    return { reason: "a fault", fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

/** A figure that no launch can have. */
function impossible(report: LaunchReport): string | undefined {
  const wrong = wrongNumber("report", report);
  if (wrong !== undefined) return wrong;
  if (report.instructions.warp < 1) return "no instruction was executed";
  // Both are rounded.
  if (report.instructions.thread > 32 * (report.instructions.warp + 1)) return "more than 32 threads a warp";
  for (const [line, counters] of Object.entries(report.lines)) {
    const { globalSectors, globalSectorsIdeal, sharedWavefronts, sharedWavefrontsIdeal } = counters;
    if (globalSectors + 1 < globalSectorsIdeal) return `line ${line}: ${globalSectors} sectors, fewer than the ideal ${globalSectorsIdeal}`;
    if (sharedWavefronts + 1 < sharedWavefrontsIdeal)
      return `line ${line}: ${sharedWavefronts} wavefronts, fewer than the ideal ${sharedWavefrontsIdeal}`;
  }
  return undefined;
}

/** The path of a number in a report that is not finite, or negative where only offsets may be. */
function wrongNumber(path: string, value: unknown): string | undefined {
  if (typeof value === "number")
    return Number.isFinite(value) && (value >= 0 || /(Stride|change)$/.test(path)) ? undefined : `${path} is ${value}`;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, each] of Object.entries(value)) {
    const wrong = wrongNumber(Array.isArray(value) ? path : `${path}.${key}`, each);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}
