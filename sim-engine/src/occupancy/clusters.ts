/** Thread block clusters (compute capability 9.0 and later): how many can be resident at once. */
import type { GpuValues } from "../gpus/figures.ts";

/** SMs come in pairs, spread over the graphics processing clusters as evenly as can be. */
function smsByGpc(gpu: GpuValues, gpcs: number): number[] {
  const pairs = Math.floor(gpu.smCount / 2);
  return Array.from({ length: gpcs }, (_, g) => 2 * (Math.floor(pairs / gpcs) + (g < pairs % gpcs ? 1 : 0)));
}

/**
 * Clusters of `size` blocks that can be resident on the GPU, when `blocksPerSm` blocks can on an SM: all blocks of a cluster run in
 * one graphics processing cluster. 0 when the size is not allowed; undefined where clusters do not exist or the chip's layout is
 * not known. Which SMs of a chip are disabled differs from card to card: cudaOccupancyMaxActiveClusters may answer a little less.
 */
export function maxActiveClusters(gpu: GpuValues, blocksPerSm: number, size: number): number | undefined {
  if (gpu.maxBlocksPerCluster === undefined || gpu.gpcs === undefined) return undefined;
  if (!Number.isInteger(size) || size < 1 || size > (gpu.maxBlocksPerClusterOptIn ?? gpu.maxBlocksPerCluster)) return 0;
  return smsByGpc(gpu, gpu.gpcs).reduce((sum, sms) => sum + Math.floor((sms * blocksPerSm) / size), 0);
}
