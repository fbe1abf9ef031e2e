/** What a kernel takes of an SM, estimated without a launch: what the runtime's occupancy calculator knows of compiled code. */
import { cloneKernel } from "./ir/builder.ts";
import type { Kernel } from "./ir/kernel.ts";
import { select } from "./machine/index.ts";
import { optimise } from "./passes/index.ts";

export interface KernelResources {
  /** A thread; the estimate and the interval it is likely to lie in. */
  readonly registers: { readonly value: number; readonly low: number; readonly high: number };
  /** Bytes a block. */
  readonly staticSharedBytes: number;
  /** The most threads a block may have by `__launch_bounds__`. */
  readonly maxThreads?: number;
}

/** `computeCapability` such as 90. The kernel is left as it is. Throws an Error with a reason where it cannot be compiled. */
export function estimateResources(kernel: Kernel, computeCapability: number): KernelResources {
  const optimised = cloneKernel(kernel);
  optimise(optimised);
  const { value, low, high } = select(optimised, computeCapability).registers;
  let staticSharedBytes = 0;
  for (const { bytes, align } of optimised.shared)
    if (bytes !== undefined) staticSharedBytes = Math.ceil(staticSharedBytes / align) * align + bytes;
  const maxThreads = kernel.launchBounds?.maxThreads;
  return { registers: { value, low, high }, staticSharedBytes, ...(maxThreads === undefined ? {} : { maxThreads }) };
}
