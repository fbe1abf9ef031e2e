/**
 * Theoretical occupancy, as NVIDIA's `cuda_occupancy.h` (CUDA 13.0) computes it; equal to it on a recorded table
 * (`sim-engine/validation/occupancy`).
 */
import type { GpuValues } from "../gpus/figures.ts";

/** What can keep more blocks from becoming resident, in the header's order. */
export type Limiter = "warps" | "registers" | "shared_mem" | "blocks" | "barriers";

export interface OccupancyInput {
  /** Registers a thread. */
  readonly registers: number;
  /** Bytes a block. */
  readonly staticShared: number;
  readonly dynamicShared: number;
  /** Threads a block. */
  readonly blockSize: number;
  /** Preferred share of the SM's shared memory, 0 to 100 percent; absent or -1 for the default. */
  readonly carveout?: number;
  /** The kernel may use more dynamic shared memory than 48 KB: cudaFuncSetAttribute was called. Default true. */
  readonly optIn?: boolean;
  /** Block barriers the kernel uses. Default 1. */
  readonly barriers?: number;
  /** Caching of global loads in half an SM's L1 (compute capability 5.2, 5.3, 6.1, 6.2). Default off. */
  readonly partitionedCaching?: "off" | "on" | "strict";
}

export interface Occupancy {
  readonly blocksPerSm: number;
  readonly activeWarpsPerSm: number;
  readonly occupancyPct: number;
  readonly limiters: readonly Limiter[];
  /** Blocks that each resource would allow; Infinity where it is not used. */
  readonly limits: Readonly<Record<Limiter, number>>;
  readonly registersPerBlock: number;
  /** Shared memory a block is given, reserve and rounding included. */
  readonly sharedPerBlock: number;
  /** Partitioned caching as it would really be. */
  readonly partitionedCaching: "off" | "on" | "strict";
}

const warpSize = 32;
const roundUp = (value: number, unit: number): number => Math.ceil(value / unit) * unit;

/** The smallest size shared memory can be given that holds `bytes`; undefined when none does. */
export const configurationFor = (gpu: GpuValues, bytes: number): number | undefined =>
  gpu.sharedConfigurations?.find((size) => size >= bytes);

/** Shared memory is carved out of the storage of the L1, and how much can be chosen. */
const hasCarveout = (gpu: GpuValues): boolean => gpu.sharedConfigurations !== undefined;

/** Shared memory of an SM under a preferred carveout; the SM's maximum where there is no choice. */
export function preferredShared(gpu: GpuValues, carveout: number): number {
  if (!hasCarveout(gpu) || carveout < 0) return gpu.sharedPerSm;
  return configurationFor(gpu, Math.floor((carveout * gpu.sharedPerSm) / 100)) ?? gpu.sharedPerSm;
}

function registerLimit(
  gpu: GpuValues,
  input: OccupancyInput,
  warps: number,
  partitions: number,
  caching: "off" | "on" | "strict",
): { blocks: number; caching: "off" | "on" | "strict" } {
  const perWarp = roundUp(input.registers * warpSize, gpu.registerUnitPerWarp);
  // The hardware checks a block as if its warps filled all partitions evenly.
  const assumed = perWarp * roundUp(warps, partitions);
  if (gpu.registersPerBlock < assumed || input.registers > gpu.registerLimitOfCalculator) return { blocks: 0, caching };
  if (perWarp === 0) return { blocks: Number.POSITIVE_INFINITY, caching };
  const warpsPerPartition = Math.floor(Math.floor(gpu.registersPerSm / partitions) / perWarp);
  let blocks = 0;
  // With partitioned caching a block lives in half an SM.
  if (caching !== "off") blocks = Math.floor((warpsPerPartition * (partitions / 2)) / warps) * 2;
  if (blocks > 0 || caching === "strict") return { blocks, caching };
  // Where no block fits so, the device turns the caching off.
  return { blocks: Math.floor((warpsPerPartition * partitions) / warps), caching: "off" };
}

function sharedLimit(gpu: GpuValues, input: OccupancyInput, perBlock: number): number {
  const optIn = (input.optIn ?? true) && gpu.sharedPerBlockOptIn > gpu.sharedPerBlock;
  const used = input.staticShared + gpu.sharedReservedPerBlock + input.dynamicShared;
  const most = (optIn && used > gpu.sharedPerBlock ? gpu.sharedPerBlockOptIn : gpu.sharedPerBlock) + gpu.sharedReservedPerBlock;
  if (perBlock > most) return 0;
  if (perBlock === 0) return Number.POSITIVE_INFINITY;
  const preferred = preferredShared(gpu, input.carveout ?? -1);
  // A preference too small for one block is overruled, by as little as possible.
  const shared = preferred >= perBlock ? preferred : hasCarveout(gpu) ? (configurationFor(gpu, perBlock) ?? 0) : gpu.sharedPerSm;
  return Math.floor(shared / perBlock);
}

/** What the runtime's functions can be asked for: an `int`. */
const mostAsked = 2 ** 31 - 1;

/** What is wrong with an input, in words that name the field; undefined when nothing is. What is too much for the GPU alone is answered: with 0 blocks. */
export function occupancyProblem(input: OccupancyInput, gpu: GpuValues): string | undefined {
  const { maxThreadsPerBlock, maxRegistersPerThread, sharedPerBlockOptIn, maxBlocksPerSm, barriersPerBlockSlot } = gpu;
  return (
    sizeProblem("blockSize", input.blockSize, 1, "threads", maxThreadsPerBlock) ??
    sizeProblem("registers", input.registers, 0, "registers", maxRegistersPerThread) ??
    sizeProblem("staticShared", input.staticShared, 0, "bytes", sharedPerBlockOptIn) ??
    sizeProblem("dynamicShared", input.dynamicShared, 0, "bytes", sharedPerBlockOptIn) ??
    sizeProblem("barriers", input.barriers ?? 0, 0, "barriers", maxBlocksPerSm * (barriersPerBlockSlot ?? 1)) ??
    carveoutProblem(input.carveout ?? -1)
  );
}

function sizeProblem(field: string, value: number, least: number, unit: string, allowed: number): string | undefined {
  if (Number.isInteger(value) && value >= least && value <= mostAsked) return undefined;
  const range = value > mostAsked ? `the GPU allows ${allowed.toLocaleString("en-US")}` : least === 0 ? "0 or more" : `at least ${least}`;
  return `${field} must be a whole number of ${unit}, ${range}`;
}

const carveoutProblem = (carveout: number): string | undefined =>
  Number.isInteger(carveout) && carveout >= -1 && carveout <= 100
    ? undefined
    : "carveout must be a whole percentage from 0 to 100, or -1 for the default";

/**
 * Blocks and warps resident on an SM of `gpu` (a model's or a capability's values), and what limits them.
 * Throws a RangeError on input that `occupancyProblem` objects to.
 */
export function occupancy(gpu: GpuValues, input: OccupancyInput): Occupancy {
  const problem = occupancyProblem(input, gpu);
  if (problem) throw new RangeError(problem);
  const warps = Math.ceil(input.blockSize / warpSize);
  const warpSlots = gpu.maxThreadsPerSm / warpSize;
  const asked = gpu.partitionedCaching === 1 ? (input.partitionedCaching ?? "off") : "off";

  const registers = registerLimit(gpu, input, warps, gpu.registerPartitions, asked);
  const caching = registers.caching;
  // GP100 has two partitions; what could not run on the rest of its family, with four, is not let run on it either.
  if (gpu.registerPartitions === 2 && registerLimit(gpu, input, warps, 4, asked).blocks === 0) registers.blocks = 0;

  const fitting = caching === "off" ? Math.floor(warpSlots / warps) : Math.floor(Math.floor(warpSlots / 2) / warps) * 2;
  const perBlock = roundUp(input.staticShared + gpu.sharedReservedPerBlock + input.dynamicShared, gpu.sharedUnit);
  const barriers = input.barriers ?? 1;
  const limits: Record<Limiter, number> = {
    warps: input.blockSize > gpu.maxThreadsPerBlock ? 0 : fitting,
    registers: registers.blocks,
    shared_mem: sharedLimit(gpu, input, perBlock),
    blocks: gpu.maxBlocksPerSm,
    barriers:
      gpu.barriersPerBlockSlot !== undefined && barriers > 0
        ? Math.floor((gpu.maxBlocksPerSm * gpu.barriersPerBlockSlot) / barriers)
        : Number.POSITIVE_INFINITY,
  };
  const withoutBarriers = Math.min(limits.warps, limits.registers, limits.shared_mem, limits.blocks);
  const blocksPerSm = Math.min(withoutBarriers, limits.barriers);
  const limiters = (["warps", "registers", "shared_mem", "blocks"] as Limiter[]).filter((name) => limits[name] === withoutBarriers);
  if (limits.barriers === blocksPerSm) limiters.push("barriers");
  return {
    blocksPerSm,
    activeWarpsPerSm: blocksPerSm * warps,
    occupancyPct: (100 * blocksPerSm * warps) / warpSlots,
    limiters,
    limits,
    registersPerBlock: roundUp(input.registers * warpSize, gpu.registerUnitPerWarp) * warps,
    sharedPerBlock: perBlock,
    partitionedCaching: caching,
  };
}
