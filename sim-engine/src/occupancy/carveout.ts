/** How shared memory and the L1 divide their storage while a kernel runs. */
import type { GpuValues } from "../gpus/figures.ts";
import { configurationFor, type Occupancy, type OccupancyInput, preferredShared } from "./occupancy.ts";

export interface Carveout {
  /** Bytes of the SM given to shared memory. */
  readonly sharedBytes: number;
  /** Bytes left to the L1. */
  readonly l1Bytes: number;
}

/**
 * What shared memory is given by default, as launches on an H200 show it: room for more than the resident blocks where that takes no
 * more than part of the storage, else just enough for them. Registers are not looked at. Of the largest blocks, of which two fill an
 * SM, nothing more.
 */
function defaultShared(gpu: GpuValues, storage: number, blockSize: number, perBlock: number): number {
  const warps = Math.ceil(blockSize / 32);
  const bySlots = Math.min(gpu.maxBlocksPerSm, Math.floor(gpu.maxThreadsPerSm / 32 / warps));
  const resident = Math.max(1, Math.min(bySlots, perBlock > 0 ? Math.floor(gpu.sharedPerSm / perBlock) : bySlots));
  const exact = resident * perBlock;
  const unused = perBlock <= gpu.sharedReservedPerBlock;
  const roomy = unused ? gpu.carveoutRoomUnused : bySlots > 2 ? gpu.carveoutRoom : 1;
  const wanted = Math.min(resident * roomy, gpu.maxBlocksPerSm) * perBlock;
  return Math.max(exact, Math.min(wanted, gpu.carveoutRoomShare * storage));
}

/**
 * The division the driver chooses for a kernel: with a preferred carveout (0 to 100) that one, as long as a block fits; else what
 * suits the blocks that can be resident. Where shared memory has storage of its own, that and the L1's.
 */
export function carveoutFor(gpu: GpuValues, { blockSize, carveout = -1 }: OccupancyInput, { sharedPerBlock }: Occupancy): Carveout {
  const storage = gpu.l1AndSharedPerSm;
  if (storage === undefined) return { sharedBytes: gpu.sharedPerSm, l1Bytes: gpu.l1PerSm ?? 0 };
  const needed =
    carveout < 0 ? defaultShared(gpu, storage, blockSize, sharedPerBlock) : Math.max(preferredShared(gpu, carveout), sharedPerBlock);
  const sharedBytes = configurationFor(gpu, needed) ?? gpu.sharedPerSm;
  return { sharedBytes, l1Bytes: storage - sharedBytes };
}
