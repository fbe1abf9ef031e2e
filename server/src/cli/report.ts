/** The public report, version 1, as a value. Scripts rely on what it holds: a change to it is a breaking change. */
import type { GpuModel, LaunchReport } from "@warplens/sim-engine";
import type { Diagnostic } from "../lint.ts";
import type { Input } from "./inputs.ts";
import type { Failure, FileSimulation, Names } from "./jobs/job.ts";
import type { Measured, MeasuredSite } from "./measured.ts";

export interface FileResult {
  readonly input: Input;
  /** Absent for files that could not be read, or are only included. */
  readonly names?: Names;
  readonly diagnostics: readonly Diagnostic[];
  /** Absent when nothing was to be simulated. */
  readonly simulation?: FileSimulation;
  /** The paths of other files in whose inspection its findings were found. */
  readonly toldBy?: ReadonlySet<string>;
  /** What failed inside; what it would have told is missing. */
  readonly failures: readonly Failure[];
}

/** All files, for one GPU. */
export interface Result {
  readonly gpu: GpuModel;
  readonly files: readonly FileResult[];
}

/** @param measured a report that it is held against */
export function reportOf(result: Result, version: string, nameOf: (path: string) => string, measured?: Measured): object {
  return {
    ...headOf(result, version),
    ...(measured ? { measured: measuredOf(measured) } : {}),
    files: result.files.map((file) => fileOf(file, nameOf, measured)),
  };
}

const measuredOf = ({ report: { name, devices, notes }, unmatched, elsewhere }: Measured): object => ({
  name,
  devices,
  unmatched,
  elsewhere,
  notes,
});

/** The report as JSON, in pieces: of many files it is longer than a text can be. */
export function* reportText(result: Result, version: string, nameOf: (path: string) => string): Generator<string> {
  yield JSON.stringify(headOf(result, version), null, 2).replace(/\n\}$/, ',\n  "files": [');
  for (const [index, file] of result.files.entries()) {
    const text = JSON.stringify(fileOf(file, nameOf), null, 2);
    yield `${index === 0 ? "" : ","}\n    ${text.replaceAll("\n", "\n    ")}`;
  }
  yield result.files.length > 0 ? "\n  ]\n}\n" : "]\n}\n";
}

const headOf = ({ gpu }: Result, version: string): object => ({
  version: 1,
  tool: { name: "warplens", version },
  gpu: { id: gpu.id, name: gpu.name, computeCapability: gpu.computeCapability },
});

const fileOf = (
  { input, diagnostics, simulation, failures }: FileResult,
  nameOf: (path: string) => string,
  measured?: Measured,
): object => ({
  path: input.name,
  diagnostics: diagnostics.map((diagnostic) => diagnosticOf(diagnostic, nameOf)),
  launches: (simulation?.launches ?? []).map(({ line, report }) => launchOf(report, line, nameOf, measured?.of.get(report))),
  notSimulated: simulation?.notSimulated ?? [],
  ...(simulation?.program ? { program: simulation.program } : {}),
  ...(failures.length > 0 ? { failures } : {}),
});

function diagnosticOf(
  { ruleId, severity, message, range, kernel, fixes, related, gain, assumed, witness, url }: Diagnostic,
  nameOf: (path: string) => string,
): object {
  return {
    ruleId,
    severity,
    message,
    range,
    ...(kernel === undefined ? {} : { kernel }),
    fixes,
    ...(related.length > 0 ? { related: related.map(({ path, ...place }) => ({ path: nameOf(path), ...place })) } : {}),
    ...(gain ? { gain } : {}),
    ...(assumed ? { assumed } : {}),
    ...(witness ? { witness } : {}),
    url,
  };
}

/** What the contract names, in its order. Accesses, branches and loops are the editor's: they are not promised. */
function launchOf(report: LaunchReport, line: number, nameOf: (path: string) => string, measured?: MeasuredSite): object {
  const {
    kernel,
    templateArguments,
    grid,
    block,
    dynamicSharedBytes,
    resources,
    occupancy,
    traffic,
    shared,
    instructions,
    time,
    lines,
    otherLines,
    assumptions,
    simulated,
  } = report;
  return {
    kernel,
    templateArguments,
    line,
    grid,
    block,
    dynamicSharedBytes,
    resources,
    occupancy,
    traffic,
    shared,
    instructions,
    ...(time ? { time } : {}),
    lines,
    otherLines: Object.fromEntries(Object.entries(otherLines).map(([path, counters]) => [nameOf(path), counters])),
    assumptions,
    simulated,
    ...(measured ? { measured: measuredSiteOf(measured) } : {}),
  };
}

/** Figures by name, each with its unit; lines by number. */
const measuredSiteOf = ({ launches, isShared, figures, lines }: MeasuredSite): object => ({
  launches,
  isShared,
  figures: Object.fromEntries(figures.map(({ name, unit, measured, estimated, error }) => [name, { unit, measured, estimated, error }])),
  ...(lines ?? {}),
});
