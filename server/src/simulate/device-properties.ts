import type { GpuModel } from "@warplens/sim-engine";
import type { DeviceProperties } from "../analysis/settings.ts";

/** What `cudaGetDeviceProperties` would tell host code of a GPU. */
export function devicePropertiesOf({ name, computeCapability, values }: GpuModel): DeviceProperties {
  const [major = 0, minor = 0] = computeCapability.split(".").map(Number);
  return {
    name,
    multiProcessorCount: values.smCount,
    major,
    minor,
    maxThreadsPerMultiProcessor: values.maxThreadsPerSm,
    sharedMemPerBlock: values.sharedPerBlock,
    sharedMemPerMultiprocessor: values.sharedPerSm,
    sharedMemPerBlockOptin: values.sharedPerBlockOptIn,
    l2CacheSize: values.l2Bytes,
    clockRateKHz: Math.round(values.clock * 1000),
    totalGlobalMem: values.dramBytes,
    occupancy: values,
  };
}

/** A compute capability as `AnalysisSettings` wants it: "9.0" is 90. */
export const capabilityNumber = (computeCapability: string): number => Math.round(Number(computeCapability) * 10);
