/** Thread block clusters (compute capability 9.0 and later): how many can be resident at once. */
import type { GpuValues } from "../gpus/figures.ts";

/** SMs by graphics processing cluster: as measured, else in pairs, spread as evenly as can be. */
function layoutOf({ smsByGpc, smCount, gpcs }: GpuValues): readonly number[] | undefined {
  if (smsByGpc !== undefined || gpcs === undefined) return smsByGpc;
  const pairs = Math.floor(smCount / 2);
  return Array.from({ length: gpcs }, (_, g) => 2 * (Math.floor(pairs / gpcs) + (g < pairs % gpcs ? 1 : 0)));
}

/**
 * Clusters of `size` blocks that can be resident on the GPU, when `blocksPerSm` blocks can on an SM: all blocks of a cluster run in
 * one graphics processing cluster, which takes clusters of up to as many blocks as it has SMs. Equal to
 * cudaOccupancyMaxActiveClusters on the H200 whose layout was measured (`sim-engine/validation/microbenchmarks`); which SMs are
 * disabled differs from card to card. 0 when the size is not allowed; undefined where clusters do not exist or the layout is not known.
 */
export function maxActiveClusters(gpu: GpuValues, blocksPerSm: number, size: number): number | undefined {
  const layout = layoutOf(gpu);
  if (gpu.maxBlocksPerCluster === undefined || layout === undefined) return undefined;
  if (!Number.isInteger(size) || size < 1 || size > (gpu.maxBlocksPerClusterOptIn ?? gpu.maxBlocksPerCluster)) return 0;
  const blocks = Math.min(blocksPerSm, gpu.clusterBlocksPerSm);
  return layout.reduce((sum, sms) => sum + (sms >= size ? Math.floor((sms * blocks) / size) : 0), 0);
}
