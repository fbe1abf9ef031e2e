/** Values for inputs nobody knows, chosen so that a launch is a plausible one. */
import type { FunctionDeclaration } from "../../syntax/ast.ts";
import { kernelUse } from "../sema/kernel-use.ts";
import { tensorShape, tensorShapeReason } from "./assume-shapes.ts";
import type { LaunchEntry } from "./launches/launch-entry.ts";
import { isConfigured } from "./launches/launch-log.ts";
import type { AssumedInput, RunOptions, RunResult } from "./run.ts";
import type { Value } from "./values/model.ts";
import { inputsOf, integerOf } from "./values/values.ts";

/** One run, to be repeated with assumed inputs. */
export interface Run {
  readonly fn: FunctionDeclaration;
  readonly options: RunOptions;
  readonly result: RunResult;
}

/** Who can run a function again. */
export interface Repetition {
  again(fn: FunctionDeclaration, options: RunOptions): RunResult;
  /** No more runs: the budget is used up. */
  readonly tired: boolean;
  /** Bytes of shared memory a block of the GPU may have; undefined where it is not known which GPU that is. */
  readonly mostShared: number | undefined;
}

/** What sizes are tried, largest first: a vector, the side of a matrix, of a volume, ... */
const sizes = [1 << 20, 1 << 14, 1 << 10, 1 << 7, 1 << 5, 1 << 4] as const;
/** A launch of more threads than this is not typical of one that sizes alone determine. */
const mostThreads = 2 ** 24;
/** Memory such a launch's buffers take at most. */
const mostBytes = 2 ** 33;
/** Iterations of a loop in the kernel that an assumed size bounds. */
const mostTrips = 2 ** 14;
const smallest = sizes[sizes.length - 1];
const blockThreads = 256;
const mostRounds = 4;

export interface Assumed {
  readonly entry: LaunchEntry;
  readonly assumed: readonly AssumedInput[];
}

/** The entry, with inputs assumed where its configuration depends on any; undefined when it is not known even then. */
export function assumeInputs(
  repetition: Repetition,
  run: Run,
  entry: LaunchEntry,
  given: ReadonlyMap<string, number>,
): Assumed | undefined {
  if (openInputs(entry).size === 0) return isConfigured(entry) ? withDrawn(repetition, run, entry, given) : undefined;
  const most = mostCounted(entry);
  const shaped = [...openInputs(entry)].some((name) => tensorShape(name) !== undefined);
  const policies = [
    ...(shaped ? [{ size: mostOther, shaped: true }] : []),
    ...sizes.flatMap((size) => (size <= most || size === smallest ? { size, shaped: false } : [])),
  ];
  for (const policy of policies) {
    const found = withInputs(repetition, run, entry, given, policy);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The launch with numbers in the place of those that the program draws, where its arguments or the sizes of its buffers come of such. */
function withDrawn(repetition: Repetition, run: Run, entry: LaunchEntry, given: ReadonlyMap<string, number>): Assumed {
  const { drawn, reasons } = run.result;
  const { captured } = entry;
  const names = new Set([
    ...captured.arguments.flatMap(({ inputs }) => inputs),
    ...captured.buffers.flatMap(({ sizeInputs }) => sizeInputs),
  ]);
  const assumed = [...drawn].flatMap(([name, value]): AssumedInput[] =>
    names.has(name) && !given.has(name) ? [{ name, value, why: reasons.get(name) ?? "it is not known" }] : [],
  );
  if (assumed.length === 0 || repetition.tired) return { entry, assumed: [] };
  const again = repetition.again(run.fn, {
    ...run.options,
    assumed: new Map([...given, ...assumed.map(({ name, value }) => [name, Number(value)] as const)]),
  });
  const found = again.launches.find((other) => other.instance === entry.instance && other.turn === entry.turn);
  return found && isConfigured(found) ? { entry: found, assumed } : { entry, assumed: [] };
}

/** What inputs are given: all the same size, or those of a tensor's shape theirs. */
interface Policy {
  readonly size: number;
  readonly shaped: boolean;
}
/** The size of what is no extent of a tensor, beside those. */
const mostOther = 1 << 7;

/** The launch when every size is this one. What it leaves open may be inputs that mattered only now. */
function withInputs(
  repetition: Repetition,
  run: Run,
  entry: LaunchEntry,
  given: ReadonlyMap<string, number>,
  { size, shaped }: Policy,
): Assumed | undefined {
  const values = new Map(given);
  const assumed: AssumedInput[] = [];
  let { reasons, likely } = run.result;
  let current = entry;
  for (let round = 0; round < mostRounds && !repetition.tired; round++) {
    const block = inputNames(current.block);
    const grid = inputNames(current.grid);
    const open = openInputs(current);
    // Strides decide no grid, but have to go with the extents that do.
    if (shaped) for (const name of reasons.keys()) if (tensorShape(name) !== undefined && !values.has(name)) open.add(name);
    // What is probable comes first: what else is open may rest on it, and be known then.
    const probable = [...open].filter((name) => likely.has(name));
    for (const name of probable.length > 0 ? probable : open) {
      const ofBlock = block.has(name) && (!grid.has(name) || /thread|block|tile/i.test(name));
      const shape = shaped ? tensorShape(name) : undefined;
      const value = likely.get(name) ?? shape ?? (ofBlock ? blockSize(current) : size);
      values.set(name, value);
      const why = reasons.get(name) ?? "it is not known";
      assumed.push({ name, value, why: shape === undefined ? why : `${why}; ${tensorShapeReason}` });
    }
    const again = repetition.again(run.fn, { ...run.options, assumed: values });
    const found = again.launches.find((other) => other.instance === entry.instance && other.turn === entry.turn);
    if (found === undefined) return undefined;
    if (isConfigured(found))
      return isPlausible(found, repetition) || (size === smallest && fitsGpu(found, repetition)) ? { entry: found, assumed } : undefined;
    if ([...openInputs(found)].every((name) => values.has(name))) return undefined;
    ({ reasons, likely } = again);
    current = found;
  }
  return undefined;
}

function openInputs({ grid, block, shared }: LaunchEntry): Set<string> {
  return inputNames([...grid, ...block, shared]);
}

function inputNames(values: readonly Value[]): Set<string> {
  return new Set(values.flatMap((value) => inputsOf(value)));
}

/** The side of a block of which `n` sides are not known. */
function blockSize(entry: LaunchEntry): number {
  const open = entry.block.filter((value) => integerOf(value) === undefined).length;
  return open >= 3 ? 8 : open === 2 ? 16 : blockThreads;
}

/** A launch of a typical size, over buffers and loops of typical sizes. */
function isPlausible(entry: LaunchEntry, gpu: Pick<Repetition, "mostShared">): boolean {
  const threads = [...entry.grid, ...entry.block].reduce((product, side) => product * (integerOf(side) ?? 0), 1);
  return threads <= mostThreads && fitsGpu(entry, gpu) && fitsMemory(entry) && hasShortLoops(entry);
}

/**
 * What the device counts for a later turn of the host's loop lies between one and the elements of its buffers, those aside that hold a count or a
 * flag: as many times the one as the other is it.
 */
function mostCounted({ turn, captured }: LaunchEntry): number {
  if (turn === 0) return Number.POSITIVE_INFINITY;
  const bytes = captured.buffers.flatMap(({ buffer }) => (buffer.bytes !== undefined && buffer.bytes > fewBytes ? [buffer.bytes] : []));
  return Math.sqrt(Math.min(...bytes) / elementBytes);
}
const fewBytes = 64;
const elementBytes = 4;

/** A grid and a block that can be launched at all. */
function fitsGpu(entry: LaunchEntry, { mostShared = Number.POSITIVE_INFINITY }: Pick<Repetition, "mostShared">): boolean {
  const sides = [...entry.grid, ...entry.block].map((side) => integerOf(side) ?? 0);
  const [x = 0, y = 0, z = 0, ...block] = sides;
  const shared = integerOf(entry.shared);
  return (
    sides.every((side) => side >= 1) &&
    x <= 2147483647 &&
    y <= 65535 &&
    z <= 65535 &&
    block.reduce((product, side) => product * side, 1) <= 1024 &&
    (shared === undefined || (shared >= 0 && shared <= mostShared))
  );
}

function fitsMemory({ captured }: LaunchEntry): boolean {
  return captured.buffers.reduce((sum, { buffer }) => sum + (buffer.bytes ?? 0), 0) <= mostBytes;
}

function hasShortLoops({ kernel, captured }: LaunchEntry): boolean {
  if (kernel === undefined) return true;
  const { roles } = kernelUse(kernel);
  return captured.arguments.every(
    ({ name, argument }) =>
      roles.get(name)?.kind !== "trips" || argument.kind !== "scalar" || Math.abs(Number(argument.value)) <= mostTrips,
  );
}
