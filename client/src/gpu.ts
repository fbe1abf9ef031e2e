/** GPU figures in words. */
import type { GpuSummary } from "@warplens/server/protocol";

const gib = 2 ** 30;
const mib = 2 ** 20;

/** `132 SMs · 4,800 GB/s · 141 GB · 50 MB L2 · cc 9.0`, less what is not known. */
export function describeGpu(gpu: GpuSummary): string {
  const figures = [
    gpu.multiprocessors && `${gpu.multiprocessors} SMs`,
    gpu.dramGBs && `${Math.round(gpu.dramGBs).toLocaleString("en")} GB/s`,
    gpu.memoryBytes && `${Math.round(gpu.memoryBytes / gib)} GiB`,
    gpu.l2Bytes && `${Number((gpu.l2Bytes / mib).toFixed(1))} MiB L2`,
    `compute capability ${gpu.computeCapability}`,
  ];
  return figures.filter(Boolean).join(" · ");
}
