/** What a kernel takes of an SM, estimated without a launch: what the runtime's occupancy calculator knows of compiled code. */
import { compiledFor } from "./compiled.ts";
import type { Kernel } from "./ir/kernel.ts";
import { Work } from "./work.ts";

export interface KernelResources {
  /** A thread; the estimate and the interval it is likely to lie in. */
  readonly registers: { readonly value: number; readonly low: number; readonly high: number };
  /** Bytes a block. */
  readonly staticSharedBytes: number;
  /** The most threads a block may have by `__launch_bounds__`. */
  readonly maxThreads?: number;
}

/**
 * @param kernel as the front end made it; it is left as it is
 * @param computeCapability such as 90
 * @param work what it is spent of
 * @throws Cancelled, and an Error with a reason where the kernel cannot be compiled
 */
export function estimateResources(kernel: Kernel, computeCapability: number, work: Work = new Work()): KernelResources {
  const compiled = compiledFor(kernel, computeCapability, work);
  const { value, low, high } = compiled.machine.registers;
  let staticSharedBytes = 0;
  for (const { bytes, align } of compiled.kernel.shared)
    if (bytes !== undefined) staticSharedBytes = Math.ceil(staticSharedBytes / align) * align + bytes;
  const maxThreads = kernel.launchBounds?.maxThreads;
  return { registers: { value, low, high }, staticSharedBytes, ...(maxThreads === undefined ? {} : { maxThreads }) };
}
