/** How shared memory and the L1 divide their storage while a kernel runs. */
import type { GpuValues } from "../gpus/figures.ts";
import { configurationFor, type Occupancy, preferredShared } from "./occupancy.ts";

export interface Carveout {
  /** Bytes of the SM given to shared memory. */
  readonly sharedBytes: number;
  /** Bytes left to the L1. */
  readonly l1Bytes: number;
}

/**
 * The division the driver chooses: with a preferred carveout (0 to 100) that one, as long as a block fits; else the smallest
 * configuration that holds the resident blocks. Where shared memory has storage of its own, that and the L1's.
 */
export function carveoutFor(gpu: GpuValues, resident: Occupancy, carveout = -1): Carveout {
  if (gpu.l1AndSharedPerSm === undefined) return { sharedBytes: gpu.sharedPerSm, l1Bytes: gpu.l1PerSm ?? 0 };
  const needed = Math.max(resident.blocksPerSm, 1) * resident.sharedPerBlock;
  const preferred = carveout < 0 ? 0 : preferredShared(gpu, carveout);
  const sharedBytes = configurationFor(gpu, carveout < 0 ? needed : Math.max(preferred, resident.sharedPerBlock)) ?? gpu.sharedPerSm;
  return { sharedBytes, l1Bytes: gpu.l1AndSharedPerSm - sharedBytes };
}
