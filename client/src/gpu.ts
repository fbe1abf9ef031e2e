/** GPU figures in words. */
import type { GpuSummary } from "@warplens/server/protocol";
import { formatBandwidth, formatCapacity, formatTraffic } from "@warplens/server/units";

/** `132 SMs · 4.92 TB/s · 141 GB · 60 MB L2 · compute capability 9.0`, less what is not known. */
export function describeGpu(gpu: GpuSummary): string {
  const figures = [
    gpu.multiprocessors && `${gpu.multiprocessors} SMs`,
    gpu.dramGBs && formatBandwidth(gpu.dramGBs),
    gpu.memoryBytes && formatMemory(gpu.memoryBytes),
    gpu.l2Bytes && `${formatCapacity(gpu.l2Bytes)} L2`,
    `compute capability ${gpu.computeCapability}`,
  ];
  return figures.filter(Boolean).join(" · ");
}

/** As its maker states it: HBM3 in decimal gigabytes, what came before in binary ones, less what is set aside for error correction. */
const formatMemory = (bytes: number): string => (bytes % 1e9 === 0 ? formatTraffic(bytes) : `${Math.round(bytes / 2 ** 30)} GB`);
