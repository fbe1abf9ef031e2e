/** GPU models as the client lists them. */
import { type GpuModel, gpus } from "@warplens/sim-engine";
import type { GpuSummary } from "./protocol.ts";

export function gpuSummary({ id, name, computeCapability, values, own }: GpuModel): GpuSummary {
  return {
    id,
    name,
    computeCapability,
    multiprocessors: values.smCount,
    memoryBytes: values.dramBytes,
    dramGBs: values.dramBandwidth,
    l2Bytes: values.l2Bytes,
    l2GBs: values.l2Bandwidth,
    ...(own ? { own: true } : {}),
  };
}

/** The user's own, then the newest first. */
export const gpuSummaries = (own: readonly GpuModel[]): GpuSummary[] => [...own, ...[...gpus].reverse()].map(gpuSummary);
