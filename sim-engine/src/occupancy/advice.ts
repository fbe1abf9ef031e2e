/** What would change a launch's occupancy: the cliffs on both sides of its registers, shared memory and block size. */
import type { GpuValues } from "../gpus/figures.ts";
import { type Occupancy, type OccupancyInput, occupancy } from "./occupancy.ts";

/** The nearest value of one resource at which occupancy changes. */
export interface Cliff {
  readonly resource: "registers" | "shared" | "block";
  /** Registers a thread, bytes a block, threads a block: there. */
  readonly value: number;
  /** The same, relative to the launch. */
  readonly change: number;
  readonly occupancyPct: number;
  readonly blocksPerSm: number;
  /** Such as "6 fewer registers a thread: 75 %". */
  readonly words: string;
}

export interface BlockSizeChoice {
  readonly blockSize: number;
  readonly blocksPerSm: number;
  readonly occupancyPct: number;
}

export interface OccupancyAdvice {
  readonly now: Occupancy;
  /** Changes that give more warps, nearest first within each resource. Empty at full occupancy. */
  readonly gains: readonly Cliff[];
  /** Changes that cost warps: how much room there is. */
  readonly losses: readonly Cliff[];
  /** Block sizes with the highest occupancy, the largest first. */
  readonly best: readonly BlockSizeChoice[];
  /** One sentence: the smallest change that helps. Absent when nothing does. */
  readonly nextStep?: string;
}

const warp = 32;
const number = (value: number): string => value.toLocaleString("en-US");
const percent = (value: number): string => `${Math.round(value)} %`;

function words(resource: Cliff["resource"], value: number, change: number, pct: number): string {
  const more = change > 0 ? "more" : "fewer";
  const by = number(Math.abs(change));
  if (resource === "registers") return `${by} ${more} register${Math.abs(change) === 1 ? "" : "s"} a thread: ${percent(pct)}`;
  if (resource === "shared") return `${by} ${more} byte${Math.abs(change) === 1 ? "" : "s"} of shared memory a block: ${percent(pct)}`;
  return `blocks of ${number(value)} threads: ${percent(pct)}`;
}

/** The input with `value` for one resource. Shared memory is taken from and added to the dynamic part while there is any. */
function changed(input: OccupancyInput, resource: Cliff["resource"], value: number): OccupancyInput {
  if (resource === "registers") return { ...input, registers: value };
  if (resource === "block") return { ...input, blockSize: value };
  const dynamic = value - input.staticShared;
  return dynamic >= 0 ? { ...input, dynamicShared: dynamic } : { ...input, staticShared: value, dynamicShared: 0 };
}

/** The first value beyond the launch's, going by `step` to `end`, whose warps differ in the wanted direction. */
function cliff(
  gpu: GpuValues,
  input: OccupancyInput,
  resource: Cliff["resource"],
  now: Occupancy,
  values: Iterable<number>,
  gain: boolean,
): Cliff | undefined {
  const current =
    resource === "registers" ? input.registers : resource === "block" ? input.blockSize : input.staticShared + input.dynamicShared;
  for (const value of values) {
    const there = occupancy(gpu, changed(input, resource, value));
    const better = there.activeWarpsPerSm > now.activeWarpsPerSm;
    if (gain ? !better : there.activeWarpsPerSm >= now.activeWarpsPerSm) continue;
    const change = value - current;
    const { occupancyPct, blocksPerSm } = there;
    return { resource, value, change, occupancyPct, blocksPerSm, words: words(resource, value, change, occupancyPct) };
  }
  return undefined;
}

function* down(from: number, to: number, step = 1): Generator<number> {
  for (let value = from; value >= to; value -= step) yield value;
}
function* up(from: number, to: number, step = 1): Generator<number> {
  for (let value = from; value <= to; value += step) yield value;
}

/** Values down from a launch's own. Those beyond what the GPU allows are left out: with them nothing is resident. */
const less = (own: number, most: number, to: number, step = 1): Generator<number> => down(Math.min(own, most), to, step);

/** Shared sizes at which the allocation changes: multiples of the unit, less the driver's reserve. */
const sharedSteps = (gpu: GpuValues, from: number): { below: number; above: number } => {
  const unit = gpu.sharedUnit;
  const reserve = gpu.sharedReservedPerBlock % unit;
  const below = Math.floor((from + reserve) / unit) * unit - reserve;
  return { below: below === from ? from - unit : below, above: below + 1 };
};

/** A block's shared memory, or the first size beyond what any block has. */
const sharedOf = (gpu: GpuValues, { staticShared, dynamicShared }: OccupancyInput): number =>
  Math.min(staticShared + dynamicShared, Math.max(gpu.sharedPerBlock, gpu.sharedPerBlockOptIn) + gpu.sharedUnit);

/** The block size that `cudaOccupancyMaxPotentialBlockSize` gives: the largest of those with most threads on an SM. */
export function maxPotentialBlockSize(
  gpu: GpuValues,
  input: Omit<OccupancyInput, "blockSize">,
  maxThreads = gpu.maxThreadsPerBlock,
): BlockSizeChoice {
  let best: BlockSizeChoice = { blockSize: 0, blocksPerSm: 0, occupancyPct: 0 };
  const limit = Math.min(maxThreads, gpu.maxThreadsPerBlock);
  for (let aligned = Math.ceil(limit / warp) * warp; aligned > 0; aligned -= warp) {
    const blockSize = Math.min(limit, aligned);
    const { blocksPerSm, occupancyPct } = occupancy(gpu, { ...input, blockSize });
    if (blockSize * blocksPerSm > best.blockSize * best.blocksPerSm) best = { blockSize, blocksPerSm, occupancyPct };
    if (best.blockSize * best.blocksPerSm === gpu.maxThreadsPerSm) break;
  }
  return best;
}

/** All block sizes that reach the highest occupancy, the largest first. */
function bestBlockSizes(gpu: GpuValues, input: OccupancyInput): BlockSizeChoice[] {
  const choices = [...down(gpu.maxThreadsPerBlock, warp, warp)].map((blockSize) => {
    const { blocksPerSm, occupancyPct } = occupancy(gpu, { ...input, blockSize });
    return { blockSize, blocksPerSm, occupancyPct };
  });
  const most = Math.max(...choices.map((choice) => choice.occupancyPct));
  return most > 0 ? choices.filter((choice) => choice.occupancyPct === most) : [];
}

/** Registers and shared memory together, where either alone changes nothing. */
function both(gpu: GpuValues, input: OccupancyInput, now: Occupancy): string | undefined {
  const shared = sharedOf(gpu, input);
  for (const registers of less(input.registers - 1, gpu.registerLimitOfCalculator, 16)) {
    if (Math.min(occupancy(gpu, { ...input, registers }).limits.registers, now.limits.blocks, now.limits.warps) <= now.blocksPerSm)
      continue;
    const eased = { ...input, registers };
    const shrunk = cliff(gpu, eased, "shared", now, down(sharedSteps(gpu, shared).below, 0, gpu.sharedUnit), true);
    if (!shrunk) return undefined;
    return `${number(input.registers - registers)} fewer registers a thread and ${shrunk.words}`;
  }
  return undefined;
}

/**
 * Cliffs and choices for one launch. Block sizes are tried with the same registers and shared memory, as the runtime's own
 * functions do.
 */
export function adviseOccupancy(gpu: GpuValues, input: OccupancyInput): OccupancyAdvice {
  const now = occupancy(gpu, input);
  const mostShared = (input.optIn ?? true) ? gpu.sharedPerBlockOptIn : gpu.sharedPerBlock;
  const steps = sharedSteps(gpu, sharedOf(gpu, input));
  const warps = Math.ceil(input.blockSize / warp);
  const mostBlock = Math.ceil(gpu.maxThreadsPerBlock / warp) * warp;
  const found = (candidates: (Cliff | undefined)[]): Cliff[] => candidates.filter((candidate) => candidate !== undefined);
  const gains = found([
    cliff(gpu, input, "registers", now, less(input.registers - 1, gpu.registerLimitOfCalculator, 16), true),
    cliff(gpu, input, "shared", now, down(steps.below, 0, gpu.sharedUnit), true),
    cliff(gpu, input, "block", now, less((warps - 1) * warp, mostBlock, warp, warp), true),
    cliff(gpu, input, "block", now, up((warps + 1) * warp, gpu.maxThreadsPerBlock, warp), true),
  ]);
  const losses = found([
    cliff(gpu, input, "registers", now, up(input.registers + 1, gpu.maxRegistersPerThread), false),
    cliff(gpu, input, "shared", now, up(steps.above, mostShared, gpu.sharedUnit), false),
    cliff(gpu, input, "block", now, less((warps - 1) * warp, mostBlock, warp, warp), false),
    cliff(gpu, input, "block", now, up((warps + 1) * warp, gpu.maxThreadsPerBlock, warp), false),
  ]);
  // The limiting resource first: what limits is what a step must change.
  const order: Cliff["resource"][] = now.limiters.includes("registers")
    ? ["registers", "shared", "block"]
    : now.limiters.includes("shared_mem")
      ? ["shared", "registers", "block"]
      : ["block", "registers", "shared"];
  const nearest = order.map((resource) => gains.filter((gain) => gain.resource === resource)).find((list) => list.length > 0);
  const resourceStep = nearest && nearest[0]!.resource !== "block" ? nearest[0]!.words : both(gpu, input, now);
  const nextStep =
    now.activeWarpsPerSm * warp >= gpu.maxThreadsPerSm
      ? undefined
      : (resourceStep ?? nearest?.toSorted((a, b) => b.occupancyPct - a.occupancyPct)[0]?.words);
  return { now, gains, losses, best: bestBlockSizes(gpu, input), ...(nextStep === undefined ? {} : { nextStep }) };
}
