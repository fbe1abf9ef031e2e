/** What the editor shows of a program's kernels and launches, as plain data. */
import type { Kernel } from "@warplens/sim-engine";
import type { KernelFact, LaunchFact, Program } from "../analysis/facts.ts";
import type { Diagnostic, PositionRange } from "../lint.ts";
import { type Outcome, unlaunchedKernels } from "../simulate.ts";
import type { FileDiagnostic, KernelPlace, LaunchPlace, LaunchResult, OffsetRange, SharedArrayFact } from "./messages.ts";

const inFile = ({ at }: KernelFact): boolean => at.file === 0;

const offsets = ({ start, end }: OffsetRange): OffsetRange => ({ start, end });

/** The kernels that stand in the opened file. */
export const kernelPlaces = (program: Program): KernelPlace[] => program.kernels.filter(inFile).map((fact) => kernelPlace(fact, program));

function kernelPlace({ name, nameAt, at, declaration }: KernelFact, { reading, unit }: Program): KernelPlace {
  const bounds = declaration.specifiers.launchBounds ?? [];
  const [first, last] = [bounds[0], bounds.at(-1)];
  const [from, to] = [reading.order(declaration.start), reading.order(declaration.end - 1) + 1];
  return {
    name,
    nameAt: offsets(nameAt),
    at: offsets(at),
    ...(first && last ? { launchBounds: offsets(reading.locate(first.start, last.end)) } : {}),
    parameters: declaration.parameters.flatMap(({ name, nameSpan }) => {
      const span = nameSpan && reading.locate(nameSpan.start, nameSpan.end);
      return name !== undefined && span?.file === 0 ? [{ name, at: offsets(span) }] : [];
    }),
    syntaxErrors: unit.errors.filter(({ start, end }) => from <= start && end <= to).length,
  };
}

/** How often the parser could not make sense of the opened file: what is not closed there may show from the first header on. */
export const syntaxErrors = ({ reading: { preprocessed }, unit }: Program): number =>
  unit.errors.filter(({ start, end }) => [start, Math.max(start, end - 1)].some((at) => preprocessed.locate(at, at).file === 0)).length;

/** Findings with their places in the opened file's text. */
export function withPlaces(diagnostics: readonly Diagnostic[], path: string, text: string): FileDiagnostic[] {
  const own = diagnostics.some((diagnostic) => diagnostic.path === path);
  const lines = own ? lineStarts(text) : [];
  const offset = ({ line, character }: PositionRange["start"]): number => Math.min((lines[line] ?? text.length) + character, text.length);
  return diagnostics.map((diagnostic) => {
    if (diagnostic.path !== path) return diagnostic;
    const { start, end } = diagnostic.range;
    return { ...diagnostic, place: { start: offset(start), end: offset(end) } };
  });
}

/** Where each line begins: after \\n, \\r\\n or \\r, as in the language server protocol. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (const { index, 0: end } of text.matchAll(/\r\n|\r|\n/g)) starts.push(index + end.length);
  return starts;
}

/** Kernels and launches as the first message tells them, and which of the launches an outcome is of. */
export function launchPlaces(program: Program): {
  readonly kernels: readonly KernelPlace[];
  readonly launches: readonly LaunchPlace[];
  indexOf(outcome: Outcome): number;
} {
  const own = program.kernels.filter(inFile);
  const entries: { readonly key: LaunchFact | KernelFact; readonly place: LaunchPlace }[] = [
    ...program.launches.map((fact) => ({ key: fact, place: launchPlace(fact, own) })),
    ...unlaunchedKernels(program).map((kernel) => ({ key: kernel, place: unlaunched(kernel, program, own) })),
  ].sort((a, b) => a.place.line - b.place.line);
  const index = new Map(entries.map(({ key }, at) => [key, at]));
  return {
    kernels: kernelPlaces(program),
    launches: entries.map(({ place }) => place),
    indexOf(outcome) {
      const at = index.get("simulated" in outcome ? outcome.simulated.fact : outcome.notSimulated.of);
      if (at === undefined) throw new Error("an outcome of no launch");
      return at;
    },
  };
}

function launchPlace(fact: LaunchFact, own: readonly KernelFact[]): LaunchPlace {
  const { kernelName, templateArguments, line, expression, at } = fact;
  const kernel = own.findIndex((candidate) => candidate === fact.kernel || (!fact.kernel && candidate.name === kernelName));
  return {
    kernelName,
    templateArguments,
    line,
    ...(kernel >= 0 ? { kernel } : {}),
    ...(expression && at.file === 0 ? { at: offsets(at) } : {}),
  };
}

const unlaunched = (kernel: KernelFact, { reading }: Program, own: readonly KernelFact[]): LaunchPlace => ({
  kernelName: kernel.name,
  templateArguments: [],
  line: reading.position(kernel.nameAt.file, kernel.nameAt.start).line + 1,
  kernel: own.indexOf(kernel),
});

export function resultOf(outcome: Outcome): LaunchResult {
  if ("simulated" in outcome) {
    const { kernel, report } = outcome.simulated;
    return { templateArguments: report.templateArguments, report, sharedArrays: sharedArrays(kernel) };
  }
  const { reason, of } = outcome.notSimulated;
  return { templateArguments: "templateArguments" in of ? of.templateArguments : [], reason, sharedArrays: [] };
}

const sharedArrays = ({ shared }: Kernel): SharedArrayFact[] =>
  shared.flatMap(({ name, bytes, span }) => (bytes === undefined || span.file !== 0 ? [] : [{ name, bytes, ...offsets(span) }]));
