/** Limits of an SM that contradict each other, whoever stated them. */
import type { GpuValues } from "./figures.ts";

/** One sentence for each contradiction; none when the limits are sound. */
export function* contradictions(values: GpuValues): Generator<string> {
  const { sharedConfigurations: configurations, l1AndSharedPerSm, sharedPerSm } = values;
  if (values.maxThreadsPerSm % 32 !== 0) yield "threads an SM are no whole number of warps";
  if (values.registersPerBlock > values.registersPerSm) yield "a block has more registers than an SM";
  if (values.sharedPerBlockOptIn + values.sharedReservedPerBlock > sharedPerSm) yield "a block has more shared memory than an SM";
  if (configurations === undefined) {
    if (values.l1PerSm === undefined) yield "neither an L1 of its own nor one shared with shared memory";
    return;
  }
  if (configurations.some((bytes, i) => i > 0 && bytes <= (configurations[i - 1] ?? 0))) yield "shared configurations are not ascending";
  if (configurations.at(-1) !== sharedPerSm) yield "the largest shared configuration is not the SM's shared memory";
  if (l1AndSharedPerSm === undefined || l1AndSharedPerSm <= sharedPerSm) yield "no L1 is left beside the largest shared configuration";
}
